import Basics

/// A peer by address or by name; names are resolved when it is dialled.
public struct PeerAddress: Hashable, Sendable, CustomStringConvertible {
    public let host: String
    public let port: UInt16

    /// Reads `host:port`, `192.0.2.1:port` or `[2001:db8::1]:port`.
    public init?(_ text: String) {
        guard let colon = text.lastIndex(of: ":"), let port = UInt16(text[text.index(after: colon)...]), port > 0 else {
            return nil
        }
        var host = text[..<colon]
        if host.hasPrefix("["), host.hasSuffix("]") {
            host = host.dropFirst().dropLast()
        } else if host.contains(":") {
            return nil
        }
        let isPlausible =
            !host.isEmpty && host.utf8.count <= 253
            && host.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F && $0 != UInt8(ascii: "/") }
        guard isPlausible else { return nil }
        self.host = String(host)
        self.port = port
    }

    /// The address, if the host is a number.
    public var socketAddress: SocketAddress? { IPAddress(host).map { SocketAddress($0, port: port) } }
    public var description: String { host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)" }
}
