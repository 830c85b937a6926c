import Basics

/// A message as `sendmail -t` reads it from standard input (RFC 5322, RFC 2047). The program adds sender and date.
public enum MailMessage {
    /// Characters of base 64 in a line (RFC 2045 §6.8).
    private static let lineCharacters = 76
    /// Bytes of an encoded word's text. With its frame and the header's name it has at most 76 characters (RFC 2047
    /// §2).
    private static let wordBytes = 39

    /// The whole message. The body is in base 64, so that no line of it has a meaning to programs on the way.
    /// - Parameter address: an address that passes ``EmailAddress/isOne(_:)``.
    public static func bytes(to address: String, subject: String, body: String) -> [UInt8] {
        let head = [
            "To: \(address)", "Subject: \(header(subject))", "MIME-Version: 1.0",
            "Content-Type: text/plain; charset=UTF-8",
            "Content-Transfer-Encoding: base64", "", "",
        ]
        var out = Array(head.joined(separator: "\n").utf8)
        var rest = Array(Base64.encode(Array(body.utf8)).utf8)[...]
        while !rest.isEmpty {
            out += rest.prefix(lineCharacters) + [0x0A]
            rest = rest.dropFirst(lineCharacters)
        }
        return out
    }

    /// The text as it is where it is short and ASCII, else in encoded words. It can't contain a line break, which would
    /// begin another header.
    private static func header(_ text: String) -> String {
        let text = Names.clean(text)
        let isPlain =
            text.utf8.count <= lineCharacters && text.utf8.allSatisfy { 0x20...0x7E ~= $0 } && !text.contains("=?")
        if isPlain { return text }
        var words: [[UInt8]] = [[]]
        for scalar in text.unicodeScalars {
            let bytes = Array(String(scalar).utf8)
            if (words.last?.count ?? 0) + bytes.count > wordBytes { words.append([]) }
            words[words.count - 1] += bytes
        }
        return words.map { "=?UTF-8?B?\(Base64.encode($0))?=" }.joined(separator: "\n ")
    }
}
