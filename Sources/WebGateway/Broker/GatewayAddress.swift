import Crypto
import Glibc

/// The name and port of this user's gateway, kept in a file: `kibo-<12 letters> 15427`, and behind it, where another program
/// took the port, `15426 1795698000000`: the port before, and when it was left.
package struct GatewayAddress: Hashable, Sendable {
    /// How the gateway came from another port.
    package struct Move: Hashable, Sendable {
        /// The port that could not be had any more.
        package let from: UInt16
        /// Milliseconds since 1970.
        package let at: Int64
    }

    package let name: String
    package let port: UInt16
    package let move: Move?

    /// A new name. Nobody else can know it, so that no other server of this host is visited under it.
    package static func drawn(port: UInt16, move: Move? = nil) -> GatewayAddress {
        var generator = SodiumGenerator()
        let letters = (0..<12).map { _ in UInt8.random(in: UInt8(ascii: "a")...UInt8(ascii: "z"), using: &generator) }
        return GatewayAddress(name: "kibo-" + String(decoding: letters, as: UTF8.self), port: port, move: move)
    }

    package init(name: String, port: UInt16, move: Move? = nil) {
        (self.name, self.port, self.move) = (name, port, move)
    }

    /// The address at another port: under a new name, so that browsers send nothing of the old one to the program that has
    /// the port now, and believe nothing that it has told them.
    package func moved(to port: UInt16, now: Int64) -> GatewayAddress {
        .drawn(port: port, move: Move(from: self.port, at: now))
    }

    /// Reads the file's text; nil for anything else.
    package init?(text: String) {
        let words = text.split(whereSeparator: \.isWhitespace)
        guard words.count == 2 || words.count == 4, words[0].hasPrefix("kibo-"), words[0].utf8.count == 17,
            words[0].dropFirst(5).utf8.allSatisfy({ UInt8(ascii: "a")...UInt8(ascii: "z") ~= $0 }),
            let port = UInt16(words[1]), port > 0
        else { return nil }
        var move: Move?
        if words.count == 4 {
            guard let from = UInt16(words[2]), let at = Int64(words[3]) else { return nil }
            move = Move(from: from, at: at)
        }
        self.init(name: String(words[0]), port: port, move: move)
    }

    package var text: String { "\(name) \(port)\(move.map { " \($0.from) \($0.at)" } ?? "")\n" }
}
