import Crypto
import Glibc

/// The name and port of this user's gateway, kept in a file: `kibo-<12 letters> 15427 SOCKETS`. If another program took
/// the former port, that port and the time of the move follow: `15426 1795698000000`.
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
    /// The mark of the sockets for which the name was drawn; nil for those that end with the broker.
    package let sockets: String?
    package let move: Move?

    /// A new name. Nobody else can know it, so that no other server of this host is visited under it.
    package static func drawn(port: UInt16, sockets: String? = nil, move: Move? = nil) -> GatewayAddress {
        var generator = SodiumGenerator()
        let letters = (0..<12).map { _ in UInt8.random(in: UInt8(ascii: "a")...UInt8(ascii: "z"), using: &generator) }
        return GatewayAddress(
            name: "kibo-" + String(decoding: letters, as: UTF8.self), port: port, sockets: sockets, move: move)
    }

    package init(name: String, port: UInt16, sockets: String? = nil, move: Move? = nil) {
        (self.name, self.port, self.sockets, self.move) = (name, port, sockets, move)
    }

    /// The address at other sockets: under a new name, so that browsers send nothing of the old one to a program that has or had
    /// the port, and believe nothing that it has told them.
    package func moved(to port: UInt16, sockets: String?, now: Int64) -> GatewayAddress {
        .drawn(port: port, sockets: sockets, move: port == self.port ? move : Move(from: self.port, at: now))
    }

    /// Reads the file's text; nil for anything else.
    package init?(text: String) {
        let words = text.split(whereSeparator: \.isWhitespace)
        guard [2, 3, 5].contains(words.count), Self.isName(words[0]), let port = UInt16(words[1]), port > 0 else {
            return nil
        }
        var move: Move?
        if words.count == 5 {
            guard let from = UInt16(words[3]), let at = Int64(words[4]) else { return nil }
            move = Move(from: from, at: at)
        }
        let sockets = words.count > 2 && words[2] != Self.none ? String(words[2]) : nil
        self.init(name: String(words[0]), port: port, sockets: sockets, move: move)
    }

    /// Whether a text is written as our names are.
    static func isName(_ text: Substring) -> Bool {
        text.hasPrefix("kibo-") && text.utf8.count == 17
            && text.dropFirst(5).utf8.allSatisfy { UInt8(ascii: "a")...UInt8(ascii: "z") ~= $0 }
    }

    /// What the file has in place of a mark if the sockets have none.
    private static let none = "-"

    package var text: String { "\(name) \(port) \(sockets ?? Self.none)\(move.map { " \($0.from) \($0.at)" } ?? "")\n" }
}
