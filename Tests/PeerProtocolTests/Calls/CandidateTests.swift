import Basics
import Testing

@testable import PeerProtocol

/// Goal: a window's candidates are read by a strict grammar, only addresses that the daemons know go to the other window, and
/// nothing that a peer has written gets there as it is.
@Suite("Candidates of calls")
struct CandidateTests {
    private static func address(_ text: String) throws -> IPAddress { try #require(IPAddress(text)) }

    @Test("Lines as browsers write them")
    func lines() throws {
        let usable = CallCandidate(priority: 2_122_260_223, address: try Self.address("192.0.2.1"), port: 40000)
        let six = CallCandidate(priority: 1, address: try Self.address("2001:db8::1"), port: 9)
        let expected: [(String, CandidateLine?)] = [
            (
                "candidate:842163049 1 udp 2122260223 192.0.2.1 40000 typ host generation 0 network-id 1",
                .usable(usable)
            ),
            ("a=candidate:1 1 UDP 2122260223 192.0.2.1 40000 typ host", .usable(usable)),
            ("candidate:1 1 udp 1 2001:db8::1 9 typ host", .usable(six)),
            (
                "candidate:1 1 udp 1 0a1b2c3d-1111-2222-3333-444455556666.local 9 typ host",
                .hidden(priority: 1, port: 9)
            ),
            ("candidate:1 2 udp 1 192.0.2.1 9 typ host", .dropped),
            ("candidate:1 1 tcp 1 192.0.2.1 9 typ host tcptype active", .dropped),
            ("candidate:1 1 udp 1 192.0.2.1 9 typ srflx raddr 0.0.0.0 rport 0", .dropped),
            ("", .dropped), ("candidate:", .dropped), ("end-of-candidates", .dropped),
            ("candidate:1 1 udp 1 example.org 9 typ host", nil), ("candidate:1 1 udp 1 192.0.2.1 99999 typ host", nil),
            ("candidate:1 1 udp 1 192.0.2.1 9 host", nil), ("candidate:1 1 udp  1 192.0.2.1 9 typ host", nil),
            ("candidate:1 1 udp -1 192.0.2.1 9 typ host", nil), ("candidate:\" 1 udp 1 192.0.2.1 9 typ host", nil),
            ("candidate:1 1 udp 1 192.0.2.1 9 typ host\r\na=x", nil), ("kandidat:1", nil),
            ("candidate:1 1 udp 1 192.0.2.1 9 typ host " + String(repeating: "x", count: 600), nil),
        ]
        for (line, value) in expected { #expect(CandidateLine(line) == value, "\(line)") }
        #expect(usable.line == "candidate:1 1 udp 2122260223 192.0.2.1 40000 typ host")
        #expect(CandidateLine(usable.line) == .usable(usable))
        #expect(CandidateLine(six.line) == .usable(six))
    }

    @Test("Only addresses of the interfaces in use are sent; a hidden one is that of the session")
    func sent() throws {
        let addresses = CallAddresses(
            own: [try Self.address("192.0.2.1")], local: try Self.address("192.0.2.1"))
        let lines = [
            "candidate:1 1 udp 9 10.8.0.1 1 typ host", "candidate:1 1 udp 8 192.0.2.1 2 typ host",
            "candidate:1 1 udp 7 abc.local 3 typ host",
        ].compactMap { CandidateLine($0) }
        #expect(addresses.sent(lines).map(\.port) == [2, 3])
        let own = try Self.address("192.0.2.1")
        #expect(addresses.sent(lines).map(\.address) == [own, own])
        let many = (1...40).map { CandidateLine.hidden(priority: 1, port: UInt16($0)) }
        #expect(addresses.sent(many).count == PeerLimits.callCandidates)
        #expect(CallAddresses().sent(lines).isEmpty)
    }

    @Test("Taken are addresses where the device is known; else two of the subnet, and none beyond")
    func taken() throws {
        let near: @Sendable (IPAddress) -> Bool = {
            if case .v4(let bits) = $0 { bits >> 8 == 0xC00002 } else { false }
        }
        let addresses = CallAddresses(known: [try Self.address("192.0.2.5")], isNear: near)
        func candidates(_ texts: [String]) throws -> [CallCandidate] {
            try texts.map { CallCandidate(priority: 1, address: try Self.address($0), port: 9) }
        }
        func taken(_ texts: [String]) throws -> [String] {
            addresses.taken(try candidates(texts)).map { $0.address.description }
        }
        #expect(try taken(["10.0.0.1", "192.0.2.5", "192.0.2.6"]) == ["192.0.2.5"])
        #expect(try taken(["192.0.2.6", "10.0.0.1", "192.0.2.7", "192.0.2.8"]) == ["192.0.2.6", "192.0.2.7"])
        #expect(try taken(["10.0.0.1", "127.0.0.1", "169.254.169.254", "2001:db8::1"]).isEmpty)
    }
}
