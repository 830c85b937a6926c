/// Secrets as letters that need no escaping anywhere: RFC 4648 §5, without padding.
enum Letters {
    private static let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8)
    /// Letters of a secret of 32 bytes.
    static let count = 43

    static func encode(_ bytes: [UInt8]) -> String {
        var text: [UInt8] = []
        var bits: UInt32 = 0
        var held = 0
        for byte in bytes {
            bits = bits << 8 | UInt32(byte)
            held += 8
            while held >= 6 {
                held -= 6
                text.append(alphabet[Int(bits >> UInt32(held) & 0x3F)])
            }
        }
        if held > 0 { text.append(alphabet[Int(bits << UInt32(6 - held) & 0x3F)]) }
        return String(decoding: text, as: UTF8.self)
    }

    /// Whether a text can be a secret of 32 bytes.
    static func isSecret(_ text: String) -> Bool {
        text.utf8.count == count && text.utf8.allSatisfy { Route.isLetterOrDigit($0) || "-_".utf8.contains($0) }
    }
}
