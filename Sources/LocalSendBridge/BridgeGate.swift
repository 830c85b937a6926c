import Basics
import HTTP
import LocalSend

/// Which hosts may connect, and which requests are looked at.
struct BridgeGate {
    let links: [BridgeOrder.Link]

    /// Whether a host may connect: one on a network of ours, or with a private address, which no router of the internet leads to.
    func admits(_ address: IPAddress) -> Bool {
        if address.isLoopback { return links.contains { $0.address.isLoopback } }
        return Self.isPrivate(address) || links.contains { $0.contains(address) }
    }

    /// RFC 1918 and RFC 3927.
    private static func isPrivate(_ address: IPAddress) -> Bool {
        guard case .v4(let value) = address else { return address.isLinkLocal }
        return value >> 24 == 10 || value >> 20 == 0xAC1 || value >> 16 == 0xC0A8 || value >> 16 == 0xA9FE
    }

    /// A request that is looked at.
    struct Admitted {
        let route: LocalSendRoute
        /// Bytes of its body; nil if it doesn't say.
        let length: Int64?
    }

    /// - Returns: the request, or the status that refuses it.
    func admit(_ head: RequestHead) -> Result<Admitted, Refusal> {
        // A page in a browser must not offer anything, nor learn the name of this host by a name that leads here.
        guard head.value("origin") == nil, head.fields.allSatisfy({ !$0.name.hasPrefix("sec-fetch-") }),
            head.value("host").map(Self.isAddress) ?? true
        else { return .failure(.notAllowed) }
        guard let route = LocalSendRoute(method: head.method, target: head.target) else { return .failure(.notFound) }
        let lengths = head.fields.filter { $0.name == "content-length" }
        let encodings = head.fields.filter { $0.name == "transfer-encoding" }
        guard lengths.count + encodings.count <= 1 else { return .failure(.malformed) }
        guard let length = lengths.first else {
            return .success(Admitted(route: route, length: encodings.isEmpty ? 0 : nil))
        }
        guard 1...18 ~= length.value.utf8.count, length.value.utf8.allSatisfy({ 0x30...0x39 ~= $0 }),
            let count = Int64(length.value)
        else { return .failure(.malformed) }
        return .success(Admitted(route: route, length: count))
    }

    enum Refusal: UInt32, Error {
        case malformed = 400
        case notAllowed = 403
        case notFound = 404
    }

    /// Whether a host is named by its address. One with a scope is none: to look for the interface of that name takes a socket,
    /// and the filter would end this program for it.
    private static func isAddress(_ host: String) -> Bool {
        guard !host.utf8.contains(UInt8(ascii: "%")) else { return false }
        return IPAddress(host) != nil || SocketAddress(host) != nil
            || host.hasPrefix("[") && host.hasSuffix("]") && IPAddress(String(host.dropFirst().dropLast())) != nil
    }
}

extension BridgeOrder.Link {
    fileprivate func contains(_ other: IPAddress) -> Bool {
        guard case .v4(let ours) = address, case .v4(let theirs) = other, 1...32 ~= prefix else { return false }
        return (ours ^ theirs) >> UInt32(32 - prefix) == 0
    }
}
