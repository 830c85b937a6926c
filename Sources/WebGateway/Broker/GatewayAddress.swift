import Crypto
import Glibc

/// The name and port of this user's gateway, drawn once and kept in a file: `kibo-<12 letters> 15427`.
package struct GatewayAddress: Hashable, Sendable {
    package let name: String
    package var port: UInt16

    /// A new name. Nobody else can know it, so that no other server of this host is visited under it.
    package static func drawn(port: UInt16) -> GatewayAddress {
        var generator = SodiumGenerator()
        let letters = (0..<12).map { _ in UInt8.random(in: UInt8(ascii: "a")...UInt8(ascii: "z"), using: &generator) }
        return GatewayAddress(name: "kibo-" + String(decoding: letters, as: UTF8.self), port: port)
    }

    package init(name: String, port: UInt16) {
        self.name = name
        self.port = port
    }

    /// Reads the file's text; nil for anything else.
    package init?(text: String) {
        let words = text.split(whereSeparator: \.isWhitespace)
        guard words.count == 2, words[0].hasPrefix("kibo-"), words[0].utf8.count == 17,
            words[0].dropFirst(5).utf8.allSatisfy({ UInt8(ascii: "a")...UInt8(ascii: "z") ~= $0 }),
            let port = UInt16(words[1]), port > 0
        else { return nil }
        self.init(name: String(words[0]), port: port)
    }

    package var text: String { "\(name) \(port)\n" }
}
