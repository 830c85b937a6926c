import Glibc

/// Reading and writing files for tests: whole, at once, blocking.
public enum TextFile {
    /// All bytes of a file.
    /// - Throws: ``SystemError``.
    public static func bytes(_ path: String) throws(SystemError) -> [UInt8] {
        guard let file = fopen(path, "re") else { throw SystemError("open \(path)") }
        defer { fclose(file) }
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 64 << 10)
        while true {
            let count = fread(&buffer, 1, buffer.count, file)
            if count == 0 { break }
            bytes += buffer[..<count]
        }
        guard ferror(file) == 0 else { throw SystemError("read \(path)") }
        return bytes
    }

    /// Whether a file has these bytes and no others. Tests are not optimised: there, to compare megabytes takes seconds.
    /// - Throws: ``SystemError``.
    public static func holds(_ path: String, _ bytes: [UInt8]) throws(SystemError) -> Bool {
        try Self.bytes(path) == bytes
    }

    /// A file as text, with broken UTF-8 replaced.
    /// - Throws: ``SystemError``.
    public static func text(_ path: String) throws(SystemError) -> String {
        String(decoding: try bytes(path), as: UTF8.self)
    }

    /// Writes a file of these bytes, and replaces an older one.
    /// - Throws: ``SystemError``.
    public static func write(_ bytes: some Collection<UInt8>, to path: String) throws(SystemError) {
        guard let file = fopen(path, "we") else { throw SystemError("open \(path)") }
        let array = Array(bytes)
        let isWritten = fwrite(array, 1, array.count, file) == array.count
        guard fclose(file) == 0, isWritten else { throw SystemError("write \(path)") }
    }

    /// `F_SETLEASE` of fcntl(2), on every Linux; its header shows it only with `_GNU_SOURCE`.
    private static let setLease: CInt = 1_024

    /// Writes a program, such as a script, and returns when it can be started.
    ///
    /// Until then it may be that it can't ("Text file busy"): another thread starts a process while the file is being
    /// written, and for a moment the new process has that file open for writing, too.
    /// - Throws: ``SystemError``, or ``Patience/Exhausted`` if somebody goes on writing it.
    public static func writeProgram(_ bytes: some Collection<UInt8>, to path: String) throws {
        try write(bytes, to: path)
        guard chmod(path, 0o755) == 0 else { throw SystemError("chmod \(path)") }
        let file = open(path, O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { throw SystemError("open \(path)") }
        defer { close(file) }
        try Patience.until("\(path) to be open for writing nowhere") {
            // A lease to read is refused while somebody has the file open for writing, see fcntl(2). A file system without
            // leases can't tell.
            fcntl(file, setLease, F_RDLCK) == 0 || errno != EAGAIN
        }
    }

    /// The last lines of a text.
    public static func tail(_ text: String, lines: Int) -> String {
        text.split(separator: "\n").suffix(lines).joined(separator: "\n")
    }
}
