import ControlProtocol
import Glibc
import Vocabulary

/// A file or folder that is to be sent.
struct SentFile: Equatable {
    /// From the root, and no link.
    let path: String
    /// The name that the user typed, if a link has led to the file; else it goes under its own.
    var name: String?

    /// What users know it by.
    var shown: String { name ?? path }
}

/// Paths of this process as the daemon needs them.
enum LocalPath {
    /// The path from the root of an existing file or directory.
    static func existing(_ path: String) throws(Failure) -> String {
        var information = stat()
        guard !path.isEmpty else { throw Failure(.usage, "the path is empty") }
        guard stat(path, &information) == 0 else {
            throw Failure(.failed, "\(path): \(String(cString: strerror(errno)))")
        }
        return try absolute(path)
    }

    /// An existing file or directory that is to be sent. A link that the user names is followed, and what it leads to goes under the
    /// link's name, with the file's extension if that has none. `.` and `..` are followed too: their names mean nothing elsewhere.
    static func sent(_ path: String) throws(Failure) -> SentFile {
        let path = try existing(path)
        var information = stat()
        let last = path.split(separator: "/").last.map(String.init) ?? ""
        let isLink = lstat(path, &information) == 0 && information.st_mode & S_IFMT == S_IFLNK
        // A link with a slash behind it is looked at as the folder that it leads to.
        guard isLink || last == "." || last == ".." || path.hasSuffix("/") else { return SentFile(path: path) }
        guard let resolved = realpath(path, nil) else {
            throw Failure(.failed, "\(path): \(String(cString: strerror(errno)))")
        }
        defer { free(resolved) }
        let target = String(cString: resolved)
        let own = target.split(separator: "/").last.map(String.init) ?? ""
        guard !last.isEmpty, last != ".", last != "..", last != own else { return SentFile(path: target) }
        let isFile = stat(target, &information) == 0 && information.st_mode & S_IFMT == S_IFREG
        let type = isFile && FileType.offered(last).isEmpty ? FileType.offered(own) : ""
        return SentFile(path: target, name: type.isEmpty ? last : last + "." + type)
    }

    /// Whether there is something at a path, even if it is a link that leads nowhere.
    static func isThere(_ path: String) -> Bool {
        var information = stat()
        return !path.isEmpty && lstat(path, &information) == 0
    }

    /// The path from the root of an existing directory.
    static func directory(_ path: String) throws(Failure) -> String {
        let path = try existing(path)
        var information = stat()
        guard stat(path, &information) == 0, information.st_mode & S_IFMT == S_IFDIR else {
            throw Failure(.failed, "\(path): not a directory", hint: "Name the directory to put it in.")
        }
        return path
    }

    /// The path from the root of a file that is still to be made.
    static func new(_ path: String) throws(Failure) -> String {
        guard !path.isEmpty else { throw Failure(.usage, "the path is empty") }
        return try absolute(path)
    }

    /// The path from the root. Links are left alone: the daemon resolves them.
    private static func absolute(_ path: String) throws(Failure) -> String {
        if path.hasPrefix("/") { return path }
        guard let here = getcwd(nil, 0) else {
            throw Failure(.failed, "the working directory no longer exists", hint: "Give an absolute path.")
        }
        defer { free(here) }
        return String(cString: here) + "/" + path
    }
}

/// Standard input, for a command's `-`.
enum StandardInput {
    /// All of it as text, without the newline at its very end, and without what Windows' programs put into texts
    /// (``withoutWindows(_:)``).
    static func text(maximumBytes: Int) throws(Failure) -> String {
        // A text of nothing but ends of lines becomes half as long.
        var bytes = withoutWindows(try bytes(2 * maximumBytes + byteOrderMark.count + 2, of: maximumBytes))
        if bytes.last == UInt8(ascii: "\n") { bytes.removeLast() }
        guard bytes.count <= maximumBytes else { throw tooLong(maximumBytes) }
        return try text(of: bytes)
    }

    /// All of it as it is, but for the newline at its very end: for a secret, in which each byte counts.
    static func secret(maximumBytes: Int) throws(Failure) -> String {
        var bytes = try bytes(maximumBytes + 1, of: maximumBytes)
        if bytes.last == UInt8(ascii: "\n") { bytes.removeLast() }
        return try text(of: bytes)
    }

    private static let byteOrderMark: [UInt8] = [0xEF, 0xBB, 0xBF]

    /// A text without a byte order mark at its beginning, and with a newline for each of Windows' ends of lines.
    static func withoutWindows(_ bytes: [UInt8]) -> [UInt8] {
        let rest = bytes.starts(with: byteOrderMark) ? bytes.dropFirst(byteOrderMark.count) : bytes[...]
        var out: [UInt8] = []
        out.reserveCapacity(rest.count)
        for byte in rest {
            if byte == UInt8(ascii: "\n"), out.last == UInt8(ascii: "\r") { out.removeLast() }
            out.append(byte)
        }
        return out
    }

    private static func tooLong(_ maximumBytes: Int) -> Failure {
        Failure(
            .failed, "the text has more than \(maximumBytes) bytes, which is the most that a message can have",
            hint: "Send it as a file: --file PATH")
    }

    /// - Parameters:
    ///   - most: bytes that are read at most.
    ///   - allowed: bytes that may be left of them, to be said where there are more.
    private static func bytes(_ most: Int, of allowed: Int) throws(Failure) -> [UInt8] {
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 16 << 10)
        while true {
            let count = read(0, &buffer, buffer.count)
            if count < 0 && errno == EINTR { continue }
            guard count >= 0 else { throw Failure(.failed, "standard input: \(String(cString: strerror(errno)))") }
            if count == 0 { break }
            bytes += buffer[..<count]
            guard bytes.count <= most else { throw tooLong(allowed) }
        }
        return bytes
    }

    private static func text(of bytes: [UInt8]) throws(Failure) -> String {
        guard let text = String(validating: bytes, as: UTF8.self) else {
            throw Failure(.failed, "standard input is not text (UTF-8)", hint: "Send it as a file: --file PATH")
        }
        return text
    }
}
