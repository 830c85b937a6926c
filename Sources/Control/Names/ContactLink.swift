import Basics
import Crypto

/// `kibo:kibo1…?name=…&addr=…`: a contact as a link or QR code. Unknown parameters are ignored.
struct ContactLink: Equatable {
    let account: AccountID
    var name: String?
    var addresses: [SocketAddress]
    /// The safety number of the account and of the account that the link was made for, in a link for comparing.
    var safetyNumber: SafetyNumber?

    struct Invalid: Error, CustomStringConvertible {
        let message: String

        var description: String { message }
    }

    init(
        account: AccountID, name: String? = nil, addresses: [SocketAddress] = [], safetyNumber: SafetyNumber? = nil
    ) {
        self.account = account
        self.name = name
        self.addresses = addresses
        self.safetyNumber = safetyNumber
    }

    init(_ text: String) throws(Invalid) {
        guard text.lowercased().hasPrefix("kibo:") else { throw Invalid(message: "it does not begin with kibo:") }
        let rest = text.dropFirst("kibo:".count)
        let parts = rest.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
        guard let head = parts.first, let account = AccountID(String(head)) else {
            throw Invalid(message: "its account id is damaged")
        }
        var name: String?
        var addresses: [SocketAddress] = []
        var safetyNumber: SafetyNumber?
        for item in parts.dropFirst().joined().split(separator: "&").prefix(16) {
            let pair = item.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard pair.count == 2, let value = Self.decoded(pair[1]) else { continue }
            switch pair[0] {
            case "name" where ForeignText.isLabel(value, maximumCharacters: 128): name = value
            case "addr":
                if let address = SocketAddress(value), address.port > 0 { addresses.append(address) }
            // A damaged number must not count as none: it equals no other number.
            case "safety":
                guard let number = SafetyNumber(value) else { throw Invalid(message: "its safety number is damaged") }
                safetyNumber = number
            default: break
            }
        }
        self.safetyNumber = safetyNumber
        self.account = account
        self.name = name
        self.addresses = addresses
    }

    /// RFC 3986 §2.1 percent-encoding; nil for a text that is not UTF-8 or not well-formed.
    private static func decoded(_ text: Substring) -> String? {
        var bytes: [UInt8] = []
        var rest = Array(text.utf8)[...]
        while let byte = rest.popFirst() {
            if byte == UInt8(ascii: "%") {
                guard rest.count >= 2, let pair = Hex.decode(String(decoding: rest.prefix(2), as: UTF8.self)) else {
                    return nil
                }
                bytes += pair
                rest = rest.dropFirst(2)
            } else {
                bytes.append(byte)
            }
        }
        return String(validating: bytes, as: UTF8.self)
    }
}

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
