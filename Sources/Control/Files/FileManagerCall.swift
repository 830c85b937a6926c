import Basics
import ControlProtocol
import Media

/// Shows a file in the user's file manager, by the interface that desktops agree on (org.freedesktop.FileManager1),
/// over the session's bus with `busctl`, which comes with systemd. It opens nothing. Blocking.
enum FileManagerCall {
    /// - Throws: a refusal of kind `unsupported` if no file manager answers.
    static func show(_ path: String) throws(ControlError) {
        let name = "org.freedesktop.FileManager1"
        let words = [
            "busctl", "--user", "call", name, "/org/freedesktop/FileManager1", name, "ShowItems", "ass", "1",
            uri(of: path), "",
        ]
        do throws(CommandRun.Failure) {
            try CommandRun(words: words, input: [], patience: ControlLimits.fileManagerAnswer).run()
        } catch {
            throw ControlError(.unsupported, "no file manager shows it: \(error.text)")
        }
    }

    /// The path as a URI (RFC 8089): every byte but the unreserved ones and the slash is written in hexadecimal.
    static func uri(of path: String) -> String {
        path.utf8.reduce(into: "file://") { uri, byte in
            let isPlain =
                0x61...0x7A ~= byte | 0x20 || 0x30...0x39 ~= byte || "-._~/".utf8.contains(byte)
            uri += isPlain ? String(UnicodeScalar(byte)) : "%" + Hex.encode([byte]).uppercased()
        }
    }
}
