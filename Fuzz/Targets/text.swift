import Basics
import Transfer

/// Everything that is parsed from text, and the rules for names.
enum FuzzTarget {
    static let seeds: [[UInt8]] = [
        "[fe80::1%lo]:80", "127.0.0.1:15426", "017f22e2-79b0-7cc3-98c4-dc0c0c07398f", "00ff",
        "kibo1qqqsyqcyq5rqwzqfpg9scrgwpugpzysnzs23v9ccrydpk8qarc0sy2rjmy", "a\u{202E}gpj.exe", "CON.txt",
    ].map { Array($0.utf8) }

    static func run(_ bytes: [UInt8]) {
        let text = String(decoding: bytes, as: UTF8.self)
        if let address = SocketAddress(text) { require(SocketAddress(address.description) == address, "address") }
        if let id = UUIDv7(text) { require(UUIDv7(id.description) == id, "UUID") }
        if let account = AccountID(text) { require(AccountID(account.description) == account, "account") }
        if let data = Hex.decode(text) { require(Hex.encode(data) == text.lowercased(), "hexadecimal") }
        if let (prefix, data) = Bech32m.decode(text) {
            require(Bech32m.encode(prefix: prefix, data) == text.lowercased(), "bech32m")
        }
        for multiline in [true, false] {
            let escaped = ForeignText.escaped(text, multiline: multiline)
            require(
                !escaped.unicodeScalars.contains { ForeignText.isHostile($0, multiline: multiline) },
                "nothing hostile is left")
        }
        _ = ForeignText.isLabel(text, maximumCharacters: 50)
        if SafeName.problem(text) == nil {
            require(!text.contains("/") && !text.contains("\0") && text != ".." && text.utf8.count <= 255, "safe name")
            let numbered = SafeName.numbered(text, 12, isFolder: false)
            require(SafeName.problem(numbered) == nil, "a numbered name is safe")
        }
    }
}
