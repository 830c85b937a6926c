import Basics
import Glibc

/// A file that readers see whole: as it was, or as it is now.
enum WholeFile {
    /// Writes a file in the place of the one that may be there.
    ///
    /// A file beside it is filled first and then takes its name. Its own name begins with a dot and has another end, so
    /// that no program which collects files takes it.
    /// - Parameters:
    ///   - mode: nil: as that of the file that is there, and if there is none readable for all.
    ///   - followsLinks: whether the file is replaced to which a link at that path leads; otherwise the link is. Root must
    ///     not follow the link that another user may have put there.
    static func replace(
        _ path: String, with text: String, mode: mode_t? = nil, followsLinks: Bool
    ) throws(Failure) {
        var path = path
        if followsLinks, let resolved = realpath(path, nil) {
            path = String(cString: resolved)
            free(resolved)
        }
        var status = stat()
        let isThere = stat(path, &status) == 0
        guard !isThere || status.st_mode & S_IFMT == S_IFREG else {
            throw Failure(.failed, "\(path): not a plain file")
        }
        let mode = mode ?? (isThere ? status.st_mode & 0o777 : 0o644)
        let parts = path.split(separator: "/", omittingEmptySubsequences: false)
        let name = (parts.dropLast() + [".\(parts.last ?? "")-XXXXXX"]).joined(separator: "/")
        var template = Array(name.utf8CString)
        let file = mkstemp(&template)
        guard file >= 0 else { throw failure(path) }
        var isWhole = false
        defer {
            close(file)
            if !isWhole { unlink(template) }
        }
        try write(text, to: file, path)
        guard fchmod(file, mode) == 0, rename(template, path) == 0 else { throw failure(path) }
        isWhole = true
    }

    /// Writes a file that must not be there yet.
    static func make(_ path: String, _ text: String) throws(Failure) {
        let file = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o644)
        guard file >= 0 else { throw failure(path) }
        defer { close(file) }
        do throws(Failure) { try write(text, to: file, path) } catch {
            unlink(path)
            throw error
        }
    }

    private static func write(_ text: String, to file: CInt, _ path: String) throws(Failure) {
        var rest = Array(text.utf8)[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Glibc.write(file, $0.baseAddress, $0.count) }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { throw failure(path) }
            rest = rest.dropFirst(count)
        }
        guard fsync(file) == 0 else { throw failure(path) }
    }

    private static func failure(_ path: String) -> Failure {
        Failure(.failed, "\(path): \(String(cString: strerror(errno)))")
    }
}
