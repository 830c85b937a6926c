import Basics
import Glibc

/// Replaces a file so that at every moment the old or the new one is there, whole.
///
/// What is replaced or removed is overwritten with zeros once no name leads to it any more: these files hold keys and
/// passphrases. A program can do no more than that; it has no power over copies that the file system or the disk keeps.
package enum AtomicFile {
    /// The file that a crash may leave beside the file of that path. It was never renamed, so it counts for nothing.
    package static func temporary(_ path: String) -> String { path + ".new" }

    /// Writes the whole file beside (mode 0600), makes it durable, and renames it into place.
    package static func write(_ bytes: UnsafeRawBufferPointer, to path: String) throws(StartError) {
        let temporary = temporary(path)
        remove(temporary)
        let file = open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard file >= 0 else { throw .failed("can't write \(temporary): \(describe(errno))") }
        let code = write(bytes, to: file)
        close(file)
        guard code == 0 else {
            remove(temporary)
            throw .failed("can't write \(temporary): \(describe(code))")
        }
        do { try move(temporary, to: path) } catch {
            remove(temporary)
            throw error
        }
    }

    /// Does the same for bytes that are no secret.
    package static func write(_ bytes: [UInt8], to path: String) throws(StartError) {
        let result = bytes.withUnsafeBytes { bytes -> Result<Void, StartError> in
            do throws(StartError) {
                try write(bytes, to: path)
                return .success(())
            } catch {
                return .failure(error)
            }
        }
        try result.get()
    }

    /// Renames one file over another. If that fails, both stay as they are.
    package static func move(_ path: String, to target: String) throws(StartError) {
        let old = open(target, O_WRONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
        defer { if old >= 0 { close(old) } }
        guard rename(path, target) == 0 else {
            throw .failed("can't write \(target): \(describe(errno))")
        }
        // The old content may be needed as long as a power cut may undo the new name.
        if syncDirectory(of: target) { overwrite(old) }
    }

    /// Removes a file if it is there.
    package static func remove(_ path: String) {
        let old = open(path, O_WRONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
        defer { if old >= 0 { close(old) } }
        guard unlink(path) == 0 else { return }
        if syncDirectory(of: path) { overwrite(old) }
    }

    /// - Returns: the `errno` of the call that failed, or 0.
    private static func write(_ bytes: UnsafeRawBufferPointer, to file: CInt) -> CInt {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = Glibc.write(file, UnsafeRawBufferPointer(rebasing: rest).baseAddress, rest.count)
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return errno }
            rest = rest.dropFirst(count)
        }
        return fsync(file) == 0 ? 0 : errno
    }

    /// Writes zeros over a file that no name leads to any more. A file that has another name (a hard link) belongs to
    /// that name, and stays.
    private static func overwrite(_ file: CInt) {
        var status = stat()
        guard file >= 0, fstat(file, &status) == 0, status.st_mode & S_IFMT == S_IFREG, status.st_nlink == 0 else {
            return
        }
        let zeros = [UInt8](repeating: 0, count: Int(clamping: min(status.st_size, 1 << 16)))
        if pwrite(file, zeros, zeros.count, 0) == zeros.count { fsync(file) }
    }

    /// Makes names durable. Returns false where that is not sure.
    @discardableResult
    static func syncDirectory(of path: String) -> Bool {
        let parent = path.lastIndex(of: "/").map { String(path[..<$0]) } ?? "."
        let directory = open(parent.isEmpty ? "/" : parent, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard directory >= 0 else { return false }
        defer { close(directory) }
        return fsync(directory) == 0
    }
}
