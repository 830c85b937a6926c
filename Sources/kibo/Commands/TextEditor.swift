import CLinux
import Glibc

/// Lets a person change a text in the editor of their choice.
enum TextEditor {
    /// Bytes of the text that comes back; more is no text that a person typed.
    private static let maximumBytes = 1 << 20

    /// The text as it was when the editor ended, without the newlines at its end.
    /// - Parameters:
    ///   - name: the name of the file, which editors show.
    ///   - editor: a command for the shell, which may have arguments, as git and others take the variables.
    static func edit(_ text: String, named name: String, editor: String = chosen) throws(Failure) -> String {
        var template = Array((temporaryDirectory + "/kibo-XXXXXX").utf8CString)
        guard mkdtemp(&template) != nil else { throw failure("no temporary folder") }
        let folder = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
        let path = folder + "/" + name
        defer {
            unlink(path)
            rmdir(folder)
        }
        try write(text + "\n", to: path)
        try run(editor, on: path)
        return try read(path)
    }

    private static var temporaryDirectory: String { variable("TMPDIR") ?? "/tmp" }

    private static func variable(_ name: String) -> String? {
        guard let value = getenv(name), value.pointee != 0 else { return nil }
        return String(cString: value)
    }

    static var chosen: String { variable("VISUAL") ?? variable("EDITOR") ?? "editor" }

    private static func run(_ editor: String, on path: String) throws(Failure) {
        let words = ["sh", "-c", "\(editor) \"$@\"", editor, path]
        let arguments = words.map { strdup($0) } + [nil]
        defer { for text in arguments { free(text) } }
        let status = kibo_run_in_foreground("/bin/sh", arguments)
        guard status >= 0 else { throw Failure(.failed, "no shell: \(String(cString: strerror(-status)))") }
        guard status == 0 else {
            throw Failure(
                .failed, "the editor \(editor) failed; nothing was sent",
                hint: "Say which one to use: EDITOR=nano kibo invite …")
        }
    }

    private static func write(_ text: String, to path: String) throws(Failure) {
        let file = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard file >= 0 else { throw failure(path) }
        defer { close(file) }
        var rest = Array(text.utf8)[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Glibc.write(file, $0.baseAddress, $0.count) }
            guard count > 0 else { throw failure(path) }
            rest = rest.dropFirst(count)
        }
    }

    private static func read(_ path: String) throws(Failure) -> String {
        let file = open(path, O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { throw failure(path) }
        defer { close(file) }
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 16 << 10)
        while bytes.count <= maximumBytes {
            let count = Glibc.read(file, &buffer, buffer.count)
            guard count >= 0 else { throw failure(path) }
            if count == 0 { break }
            bytes += buffer[..<count]
        }
        bytes = StandardInput.withoutWindows(bytes)
        while let last = bytes.last, last == UInt8(ascii: "\n") || last == UInt8(ascii: "\r") { bytes.removeLast() }
        guard bytes.count <= maximumBytes, let text = String(validating: bytes, as: UTF8.self) else {
            throw Failure(.failed, "the edited text is not UTF-8; nothing was sent")
        }
        guard text.contains(where: { !$0.isWhitespace }) else {
            throw Failure(.failed, "the text is empty; nothing was sent")
        }
        return text
    }

    private static func failure(_ what: String) -> Failure {
        Failure(.failed, "\(what): \(String(cString: strerror(errno)))")
    }
}
