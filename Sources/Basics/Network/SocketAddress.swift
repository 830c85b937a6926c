import Glibc

/// An IPv4 or IPv6 address with a port, as a value.
public struct SocketAddress: Hashable, Sendable, CustomStringConvertible {
    public let host: IPAddress
    public let port: UInt16

    public init(_ host: IPAddress, port: UInt16) {
        self.host = host
        self.port = port
    }

    /// `192.0.2.1:5` or `[2001:db8::1%eth0]:5`; numbers only, no names. Nil for anything else.
    public init?(_ text: String) {
        guard let colon = text.lastIndex(of: ":") else { return nil }
        let digits = text[text.index(after: colon)...]
        // UInt16 alone would also accept "+80".
        guard digits.utf8.allSatisfy({ UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 }), let port = UInt16(digits) else {
            return nil
        }
        var host = text[..<colon]
        if host.hasPrefix("[") && host.hasSuffix("]") {
            host = host.dropFirst().dropLast()
            guard host.contains(":") else { return nil }
        } else if host.contains(":") {
            return nil
        }
        guard let address = IPAddress(String(host)) else { return nil }
        self.init(address, port: port)
    }

    public var description: String {
        switch host {
        case .v4: "\(host):\(port)"
        case .v6: "[\(host)]:\(port)"
        }
    }
}

/// An IPv4 or IPv6 address; a link-local one of IPv6 carries the index of its interface.
public enum IPAddress: Hashable, Sendable, CustomStringConvertible {
    /// In host byte order: 127.0.0.1 is 0x7F000001.
    case v4(UInt32)
    /// Sixteen bytes as two words in host byte order, and the interface index (0: none).
    case v6(high: UInt64, low: UInt64, scope: UInt32)

    public static let loopback = IPAddress.v4(0x7F00_0001)
    public static let any = IPAddress.v4(0)

    /// Reads four bytes or sixteen, most significant first; nil for another number of bytes.
    public init?(bytes: [UInt8]) {
        func number(_ part: ArraySlice<UInt8>) -> UInt64 { part.reduce(0) { $0 << 8 | UInt64($1) } }
        switch bytes.count {
        case 4: self = .v4(UInt32(truncatingIfNeeded: number(bytes[...])))
        case 16: self = .v6(high: number(bytes[..<8]), low: number(bytes[8...]), scope: 0)
        default: return nil
        }
    }

    /// Four bytes or sixteen, most significant first. The interface of a link-local address means nothing to others.
    public var bytes: [UInt8] {
        var bytes: [UInt8] = []
        switch self {
        case .v4(let value): bytes.appendBigEndian(value)
        case .v6(let high, let low, _):
            bytes.appendBigEndian(high)
            bytes.appendBigEndian(low)
        }
        return bytes
    }

    /// The address without the interface that a link-local one names.
    public var withoutScope: IPAddress {
        if case .v6(let high, let low, _) = self { .v6(high: high, low: low, scope: 0) } else { self }
    }

    /// Dotted or colon form, with `%name` or `%index` for a scope. Nil for anything else.
    public init?(_ text: String) {
        // inet_pton would stop reading at a zero byte.
        guard !text.utf8.contains(0) else { return nil }
        var four = in_addr()
        if inet_pton(AF_INET, text, &four) == 1 {
            self = .v4(UInt32(bigEndian: four.s_addr))
            return
        }
        let parts = text.split(separator: "%", maxSplits: 1, omittingEmptySubsequences: false)
        var six = in6_addr()
        guard let head = parts.first, inet_pton(AF_INET6, String(head), &six) == 1 else { return nil }
        var scope: UInt32 = 0
        if parts.count == 2 {
            let isNumber = parts[1].utf8.allSatisfy { UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 }
            scope = isNumber ? UInt32(parts[1]) ?? 0 : if_nametoindex(String(parts[1]))
            guard scope != 0 else { return nil }
        }
        self = Self.from(six, scope: scope)
    }

    public static func from(_ address: in6_addr, scope: UInt32) -> IPAddress {
        withUnsafeBytes(of: address) { bytes in
            let high = UInt64(bigEndian: bytes.loadUnaligned(as: UInt64.self))
            let low = UInt64(bigEndian: bytes.loadUnaligned(fromByteOffset: 8, as: UInt64.self))
            // ::ffff:a.b.c.d is an IPv4 peer on a socket that serves IPv4 and IPv6.
            if high == 0, low >> 32 == 0xFFFF { return .v4(UInt32(truncatingIfNeeded: low)) }
            return .v6(high: high, low: low, scope: scope)
        }
    }

    /// 127.0.0.0/8 or ::1.
    public var isLoopback: Bool {
        switch self {
        case .v4(let value): value >> 24 == 127
        case .v6(let high, let low, _): high == 0 && low == 1
        }
    }

    /// fe80::/10: an address that a host gives itself on one link. A host can take as many of them as it likes.
    public var isLinkLocal: Bool {
        if case .v6(let high, _, _) = self { high >> 54 == 0xFE80 >> 6 } else { false }
    }

    /// The /64 of an IPv6 address, with its link if it is link-local. A /64 is the smallest IPv6 network, so one host
    /// may have every address in it. An IPv4 address is a network by itself.
    public var network: IPAddress {
        if case .v6(let high, _, let scope) = self { .v6(high: high, low: 0, scope: scope) } else { self }
    }

    /// The part of an address that counts as one host when a limit is set per host: an IPv4 address, or the /64 of an
    /// IPv6 address that comes through a router. Neighbours on a link can take any address there
    /// (docs/decisions/0028-ipv6-sources.md).
    /// - Parameters:
    ///   - link: the interface on whose network the address lies; nil if it comes through a router.
    ///   - joinsNeighbours: whether all IPv6 addresses of a link are one, as far as they are not loopback.
    public func source(link: UInt32?, joinsNeighbours: Bool) -> IPAddress {
        guard case .v6 = self, !isLoopback else { return self }
        guard let link else { return network }
        return joinsNeighbours ? .v6(high: 0xFE80 << 48, low: 0, scope: link) : self
    }

    public var description: String {
        var buffer = [CChar](repeating: 0, count: Int(INET6_ADDRSTRLEN))
        switch self {
        case .v4(let value):
            var address = in_addr(s_addr: value.bigEndian)
            inet_ntop(AF_INET, &address, &buffer, socklen_t(buffer.count))
        case .v6(let high, let low, _):
            var address = in6_addr()
            withUnsafeMutableBytes(of: &address) {
                $0.storeBytes(of: high.bigEndian, as: UInt64.self)
                $0.storeBytes(of: low.bigEndian, toByteOffset: 8, as: UInt64.self)
            }
            inet_ntop(AF_INET6, &address, &buffer, socklen_t(buffer.count))
        }
        let text = String(decoding: buffer.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
        guard case .v6(_, _, let scope) = self, scope != 0 else { return text }
        // The interface's name is used where it has one, because its index may differ after the next start.
        var name = [CChar](repeating: 0, count: Int(IF_NAMESIZE))
        guard if_indextoname(scope, &name) != nil else { return "\(text)%\(scope)" }
        return text + "%" + String(decoding: name.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }
}
