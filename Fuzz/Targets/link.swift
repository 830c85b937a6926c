// Compiled with: Sources/Control/Names/ContactLink.swift

import Basics
import Crypto

/// Foreign links and QR codes.
enum FuzzTarget {
    static let seeds: [[UInt8]] = {
        let (one, other) = (AccountID(Identities.key(1).publicKey), AccountID(Identities.key(2).publicKey))
        return [
            "kibo:\(one)", "KIBO:\(one)?name=Anna%20B&addr=192.0.2.1:5&colour=red",
            "kibo:\(one)?addr=[fe80::1]:9&addr=x&safety=\(SafetyNumber(one, other).digits)",
            "kibo:\(one)?name=%E2%80%AEevil&&=&name", "kibo:",
        ].map { Array($0.utf8) }
    }()

    static func run(_ bytes: [UInt8]) {
        guard let link = try? ContactLink(String(decoding: bytes, as: UTF8.self)) else { return }
        require(link.name.map { !$0.isEmpty && ForeignText.isLabel($0, maximumCharacters: 128) } ?? true, "a name")
        require(link.addresses.count <= 16 && link.addresses.allSatisfy { $0.port > 0 }, "addresses")
        // The shown form can be read again.
        let again = try? ContactLink("kibo:\(link.account)")
        require(again?.account == link.account, "the account")
    }
}
