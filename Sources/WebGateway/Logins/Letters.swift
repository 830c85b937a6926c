import Basics

/// Secrets as letters that need no escaping anywhere: RFC 4648 §5, without padding.
enum Letters {
    /// Letters of a secret of 32 bytes.
    static let count = 43

    static func encode(_ bytes: [UInt8]) -> String {
        String(
            Base64.encode(bytes).compactMap { letter in
                switch letter {
                case "+": "-"
                case "/": "_"
                case "=": nil
                default: letter
                }
            })
    }

    /// Whether a text can be a secret of 32 bytes.
    static func isSecret(_ text: String) -> Bool {
        text.utf8.count == count && text.utf8.allSatisfy { Route.isLetterOrDigit($0) || "-_".utf8.contains($0) }
    }
}
