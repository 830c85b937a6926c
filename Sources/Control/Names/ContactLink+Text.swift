import Basics

/// Writing links.
extension ContactLink {
    /// The link as text: what people send each other, and what a QR code holds.
    var text: String {
        var items: [String] = []
        if let name { items.append("name=" + Self.encoded(name)) }
        for address in addresses { items.append("addr=" + Self.encoded(address.description)) }
        if let safetyNumber { items.append("safety=" + safetyNumber.digits) }
        return "kibo:\(account)" + (items.isEmpty ? "" : "?" + items.joined(separator: "&"))
    }

    /// RFC 3986 §2.1. Characters that §3.4 allows in a query, and that mean nothing in ours, stay.
    private static func encoded(_ text: String) -> String {
        var encoded = ""
        for byte in text.utf8 {
            let isPlain =
                0x61...0x7A ~= byte | 0x20 || 0x30...0x39 ~= byte || "-._~:[]".utf8.contains(byte)
            encoded += isPlain ? String(UnicodeScalar(byte)) : "%" + Hex.encode([byte]).uppercased()
        }
        return encoded
    }
}
