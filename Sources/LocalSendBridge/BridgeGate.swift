import Basics
import HTTP
import LocalSend

/// Which hosts may connect, and which requests are looked at.
struct BridgeGate {
    let links: [BridgeOrder.Link]

    /// Whether a host may connect.
    func admits(_ address: IPAddress) -> Bool { Neighbourhood(links).contains(address) }

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
