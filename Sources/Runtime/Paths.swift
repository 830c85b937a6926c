import Basics
import Glibc

/// Where files are by default, after the XDG base directory specification.
package enum Paths {
    package static func environment(_ name: String) -> String? {
        guard let value = getenv(name) else { return nil }
        let text = String(cString: value)
        return text.isEmpty ? nil : text
    }

    package static var home: String {
        if let home = environment("HOME") { return home }
        if let entry = getpwuid(getuid()) { return String(cString: entry.pointee.pw_dir) }
        return "/"
    }

    package static var data: String { (environment("XDG_DATA_HOME") ?? home + "/.local/share") + "/kibo" }
    /// The configuration of the host, for all its users. Tests name another file, so that the host's has no part in them.
    package static var hostConfiguration: String { environment("KIBOD_HOST_CONFIG") ?? "/etc/kibo/kibod.json5" }
    package static var configuration: String {
        (environment("XDG_CONFIG_HOME") ?? home + "/.config") + "/kibo/kibod.json5"
    }

    /// The name of this host; nil if it has none.
    package static var hostName: String? {
        var buffer = [CChar](repeating: 0, count: 256)
        guard gethostname(&buffer, buffer.count - 1) == 0 else { return nil }
        return String(decoding: buffer.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    /// An absolute form of a path that a person typed.
    package static func absolute(_ path: String) -> String {
        guard !path.hasPrefix("/") else { return path }
        guard let current = getcwd(nil, 0) else { return path }
        defer { free(current) }
        return String(cString: current) + "/" + path
    }

    /// Whether two paths lead to the same file, through links too.
    package static func isSame(_ one: String, _ other: String) -> Bool {
        var (first, second) = (stat(), stat())
        guard stat(one, &first) == 0, stat(other, &second) == 0 else { return one == other }
        return first.st_dev == second.st_dev && first.st_ino == second.st_ino
    }

    /// Creates the directory and its parents, each for this user only. A directory that it makes outlives a power cut,
    /// with all that is then made durable in it.
    package static func makeDirectory(_ path: String, mode: mode_t = 0o700) throws(StartError) {
        var built = ""
        for part in absolute(path).split(separator: "/") {
            built += "/" + part
            if mkdir(built, mode) == 0 {
                AtomicFile.syncDirectory(of: built)
                continue
            }
            if errno != EEXIST {
                let code = errno
                var status = stat()
                // A parent that may not be written to but is there already is fine (EROFS, EACCES).
                if stat(built, &status) == 0, status.st_mode & S_IFMT == S_IFDIR { continue }
                throw StartError(errno: code, "can't make the directory \(built)")
            }
        }
        var status = stat()
        guard stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFDIR else {
            throw StartError.unusable("\(path) is not a directory")
        }
    }

    /// Reads a plain file. It blocks; a file that a configuration names is read within a ``NamedPlace``.
    /// - Parameter limit: bytes.
    /// - Returns: nil if there is no such file.
    package static func readFile(_ path: String, limit: Int) throws(StartError) -> [UInt8]? {
        // Opening a pipe or a device must not hold up anything.
        let file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)
        guard file >= 0 else {
            if errno == ENOENT { return nil }
            throw StartError(errno: errno, "can't read \(path)")
        }
        defer { close(file) }
        var status = stat()
        guard fstat(file, &status) == 0 else { throw StartError(errno: errno, "can't look at \(path)") }
        guard status.st_mode & S_IFMT == S_IFREG else {
            throw .unusable("can't read \(path): it is not a plain file")
        }
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 65536)
        while true {
            let count = read(file, &buffer, buffer.count)
            if count == 0 { return bytes }
            if count < 0 {
                if errno == EINTR { continue }
                throw StartError(errno: errno, "can't read \(path)")
            }
            bytes += buffer[..<count]
            guard bytes.count <= limit else { throw StartError.unusable("\(path) is larger than \(limit) bytes") }
        }
    }
}

/// Why the daemon doesn't start, in words for a person, with the exit code.
public enum StartError: Error, Equatable, CustomStringConvertible {
    case failed(String)
    /// The configuration, a key, an address or the data can't be used: a person has to put it right first, and another
    /// start would find the same.
    case unusable(String)
    /// Another daemon has the data directory or the socket.
    case alreadyRunning(String)

    public var message: String {
        switch self {
        case .failed(let message), .unusable(let message), .alreadyRunning(let message): message
        }
    }
    public var exitCode: Int32 {
        switch self {
        case .failed: 1
        // EX_CONFIG of sysexits.h, which `systemctl status` shows as 78/CONFIG. The units don't restart after it.
        case .unusable: 78
        case .alreadyRunning: 6
        }
    }

    public var description: String { message }

    /// What the kernel has refused. A person has to put right what a path leads to and who may use it; the rest, such as a full
    /// disk or a file server that is away, may pass.
    /// - Parameter what: what can't be done, for the user.
    package init(errno code: CInt, _ what: String) {
        let text = "\(what): \(describe(code))"
        self =
            switch code {
            case EACCES, EPERM, EROFS, ENOTDIR, EISDIR, ELOOP, ENAMETOOLONG, ENXIO: .unusable(text)
            default: .failed(text)
            }
    }
}

/// The C library's words for an error number.
package func describe(_ code: CInt) -> String {
    var buffer = [CChar](repeating: 0, count: 128)
    _ = strerror_r(code, &buffer, buffer.count)
    let text = buffer.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }
    return text.isEmpty ? "error \(code)" : String(decoding: text, as: UTF8.self)
}
