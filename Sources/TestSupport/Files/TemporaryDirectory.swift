import Glibc

/// A directory that is removed with all its content when the value goes. `KIBO_KEEP=1` keeps it for inspection.
///
/// Its path is short on purpose: a Unix socket's path has at most 107 bytes.
public final class TemporaryDirectory: Sendable {
    /// Absolute, without a slash at the end.
    public let path: String

    /// Makes a directory under `$TMPDIR`, else `/tmp`, with mode 0700.
    /// - Throws: ``SystemError``.
    public init(prefix: String = "kibo-test") throws(SystemError) {
        let parent = getenv("TMPDIR").map { String(cString: $0) } ?? "/tmp"
        var template = Array("\(parent)/\(prefix).XXXXXX".utf8CString)
        guard mkdtemp(&template) != nil else { throw SystemError("mkdtemp \(parent)/\(prefix)") }
        path = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    deinit {
        if getenv("KIBO_KEEP") == nil { Self.remove(path) }
    }

    /// The path of something inside.
    public func file(_ name: String) -> String { "\(path)/\(name)" }

    /// Makes a directory inside and returns its path.
    /// - Throws: ``SystemError``.
    @discardableResult
    public func makeDirectory(_ name: String, mode: mode_t = 0o700) throws(SystemError) -> String {
        guard mkdir(file(name), mode) == 0 else { throw SystemError("mkdir \(file(name))") }
        return file(name)
    }

    /// Removes a directory with all its content. Symbolic links are removed, not followed. What can't be removed stays.
    public static func remove(_ path: String) {
        var status = stat()
        guard lstat(path, &status) == 0 else { return }
        if status.st_mode & S_IFMT == S_IFDIR {
            // A directory whose rights a test took away would stay otherwise.
            _ = chmod(path, status.st_mode | 0o700)
            for name in names(in: path) { remove("\(path)/\(name)") }
            rmdir(path)
        } else {
            unlink(path)
        }
    }

    /// The names in a directory, in no order, without `.` and `..`; empty if it can't be read.
    public static func names(in path: String) -> [String] {
        guard let directory = opendir(path) else { return [] }
        defer { closedir(directory) }
        var names: [String] = []
        while let entry = readdir(directory) {
            let name = withUnsafeBytes(of: entry.pointee.d_name) { bytes in
                String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
            }
            if name != ".", name != ".." { names.append(name) }
        }
        return names
    }
}

/// A system call that failed.
public struct SystemError: Error, CustomStringConvertible {
    /// What was tried.
    public let what: String
    /// The call's `errno`.
    public let code: CInt

    /// - Parameter code: `errno` as it is now, unless given.
    public init(_ what: String, code: CInt = errno) {
        self.what = what
        self.code = code
    }

    public var description: String { "\(what): \(String(cString: strerror(code)))" }
}
