import Arguments
import ControlProtocol
import Glibc

/// Gets passphrases for a command from a file, or from the person at the terminal. They never come from its own words,
/// which every user on the host can read.
enum Passphrases {
    static let fileOption = OptionSpec(
        "--passphrase-file", value: "PATH", help: "the file that holds the passphrase; - is standard input")

    /// The one that counts.
    static func present(_ context: Context, _ prompt: String = "Passphrase: ") throws -> String {
        if let path = context.arguments.value(fileOption.name) { return try inFile(path, "passphrase") }
        return try context.console.askSecret(prompt)
    }

    /// A new passphrase is asked for twice, since the typed one isn't shown.
    static func new(_ context: Context, option: String, _ prompt: String = "New passphrase: ") throws -> String {
        if let path = context.arguments.value(option) { return try inFile(path, "passphrase") }
        let first: String
        do { first = try context.console.askSecret(prompt) } catch let failure as Failure {
            throw failure == SecretPrompt.noTerminal() ? SecretPrompt.noTerminal(option) : failure
        }
        guard !first.isEmpty else { throw Failure(.usage, "the passphrase is empty", hint: "Nothing was changed.") }
        guard try context.console.askSecret("Repeat it: ") == first else {
            throw Failure(.usage, "the passphrases don't match", hint: "Nothing was changed. Try again.")
        }
        if first.count < 8 {
            context.console.errorLine(
                "That is short: somebody who gets hold of this disk can try millions of passphrases in a year.")
        }
        return first
    }

    /// The file's text; a newline at its very end is left out.
    /// - Parameter what: what the file is to hold, in words.
    static func inFile(_ path: String, _ what: String) throws -> String {
        if path == "-" {
            return try checked(StandardInput.secret(maximumBytes: ProtocolLimits.passphraseBytes), path, what)
        }
        let file = open(path, O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { throw Failure(.failed, "\(path): \(String(cString: strerror(errno)))") }
        defer { close(file) }
        var bytes = [UInt8](repeating: 0, count: ProtocolLimits.passphraseBytes + 2)
        var end = 0
        while end < bytes.count {
            let count = bytes.withUnsafeMutableBytes { read(file, $0.baseAddress.map { $0 + end }, $0.count - end) }
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { throw Failure(.failed, "\(path): \(String(cString: strerror(errno)))") }
            if count == 0 { break }
            end += count
        }
        if end > 0, bytes[end - 1] == UInt8(ascii: "\n") { end -= 1 }
        guard let text = String(validating: bytes[..<end], as: UTF8.self) else {
            throw Failure(.failed, "\(path) is not text (UTF-8)")
        }
        return try checked(text, path, what)
    }

    private static func checked(_ text: String, _ path: String, _ what: String) throws -> String {
        guard !text.isEmpty else { throw Failure(.failed, "there is no \(what) in \(path)") }
        guard text.utf8.count <= ProtocolLimits.passphraseBytes else {
            throw Failure(
                .failed, "\(path) is longer than a \(what) may be (\(ProtocolLimits.passphraseBytes) bytes)")
        }
        return text
    }
}
