import Basics
import Testing
import Vocabulary

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
        let account = try Person(1).account
        func candidates(_ texts: [String]) throws -> [CallCandidate] {
            try texts.map { CallCandidate(priority: 1, address: try Self.address($0), port: 9) }
        }
        func taken(_ texts: [String]) throws -> [String] {
            var places = CallPlaces()
            return addresses.accepted(try candidates(texts), of: account, &places).map { $0.address.description }
        }
        #expect(try taken(["10.0.0.1", "192.0.2.5", "192.0.2.6"]) == ["192.0.2.5"])
        #expect(try taken(["192.0.2.6", "10.0.0.1", "192.0.2.7", "192.0.2.8"]) == ["192.0.2.6", "192.0.2.7"])
        #expect(try taken(["10.0.0.1", "127.0.0.1", "169.254.169.254", "2001:db8::1"]).isEmpty)
    }

    /// What the windows of a call were given: side 1 says something with each of these candidates, a signal for each.
    private static func given(
        _ pair: inout CallPair, _ call: UUIDv7, generation: UInt64 = 1, from first: UInt64 = 1,
        _ candidates: [(host: UInt32, port: UInt16)]
    ) throws -> [CallCandidate] {
        for (index, one) in candidates.enumerated() {
            let candidate = CallCandidate(priority: 1, address: .v4(0xC000_0200 + one.host), port: one.port)
            pair.deliver(
                .callSignal(
                    CallSignalBody(
                        call: call, generation: generation, number: first + UInt64(index), kind: .candidates,
                        candidates: [candidate], to: 1)), from: 1)
        }
        return try pair.signals(call, of: 0).flatMap(\.candidates)
    }

    /// A call in which side 0 knows side 1 at no address.
    private static func call() throws -> (CallPair, UUIDv7) {
        var pair = CallPair()
        pair.addresses = CallAddresses(isNear: { if case .v4(let bits) = $0 { bits >> 8 == 0xC00002 } else { false } })
        let call = try pair.ring(from: 0)
        try pair.accept(call, by: 1)
        return (pair, call)
    }

    @Test("In a whole call a device names two addresses where it isn't known, over all signals, restarts and reloads")
    func hosts() throws {
        var (pair, call) = try Self.call()
        let many = (1...50 as ClosedRange<UInt32>).map { (host: $0, port: UInt16(9)) }
        var seen = Set(try Self.given(&pair, call, many).map(\.address))
        #expect(seen == [.v4(0xC000_0201), .v4(0xC000_0202)])
        // The window at side 1 is loaded again, and the daemon at side 0 starts again.
        pair.perform(
            try pair.machines[1].assign(
                call, seat: CallSeat(id: id(9), fingerprint: pair.fingerprint(1)), now: pair.now, wall: pair.wall(1)),
            1)
        pair.pump()
        seen.formUnion(try Self.given(&pair, call, generation: 2, many.reversed()).map(\.address))
        pair.restart(0)
        pair.link()
        pair.pump()
        seen.formUnion(try Self.given(&pair, call, generation: 2, from: 51, many.reversed()).map(\.address))
        #expect(seen.count == 2)
        // The ones that were let through still are: a connection that is made again needs them.
        #expect(try Self.given(&pair, call, generation: 2, from: 101, [(1, 9), (2, 10)]).count >= 2)
        #expect(pair.machines[0].refused[.addresses, default: 0] > 40)
    }

    @Test("Of an address where a device isn't known, sixteen ports are taken in a whole call")
    func ports() throws {
        var (pair, call) = try Self.call()
        let many = (1...200).map { (host: UInt32(1), port: UInt16($0)) }
        #expect(try Self.given(&pair, call, many).map(\.port) == Array(1...16))
        // Each port again, and a known address with any.
        #expect(try Self.given(&pair, call, from: 201, [(1, 16), (1, 17)]).count == 17)
        pair.addresses.known = [.v4(0xC000_0201)]
        #expect(try Self.given(&pair, call, from: 203, [(1, 300)]).last?.port == 300)
    }

    @Test("All people together name sixteen such addresses, and a call that takes the place of another counts on")
    func crowds() throws {
        var places = CallPlaces()
        var taken = 0
        for number in 1...40 as ClosedRange<UInt8> {
            for host in 0...3 as ClosedRange<UInt32> {
                let candidate = CallCandidate(priority: 1, address: .v4(UInt32(number) << 8 + host), port: 9)
                if places.accept(candidate, of: try Person(number).account) { taken += 1 }
            }
        }
        #expect(taken == 16)
        var next = CallPlaces()
        next.inherit(places)
        let another = CallCandidate(priority: 1, address: .loopback, port: 9)
        #expect(!next.accept(another, of: try Person(1).account))
        #expect(try CallPlaces(remembering: places.memory) == places)
    }

    @Test("Who moves a window from call to call of a group names no third address by that")
    func moves() throws {
        var crowd = CallCrowd(2)
        crowd.addresses = CallAddresses(isNear: { _ in true })
        _ = try crowd.ring(from: 0)
        var seen: Set<IPAddress> = []
        for step in 0..<3 as Range<UInt32> {
            let call = id(UInt64(90 - step))
            crowd.deliver(
                .callState(
                    CallStateBody(
                        call: call, number: 1, phase: .joined, media: .audio, time: HybridTime(rawValue: 5),
                        root: crowd.root, generation: 1, fingerprint: crowd.fingerprint(1))), from: 1, to: 0)
            #expect(crowd.machines[0].engaged == call)
            for number in 1...9 as ClosedRange<UInt64> {
                let candidate = CallCandidate(priority: 1, address: .v4(step << 8 + UInt32(number)), port: 9)
                crowd.deliver(
                    .callSignal(
                        CallSignalBody(
                            call: call, generation: 1, number: number, kind: .candidates, candidates: [candidate],
                            to: 1)),
                    from: 1, to: 0)
            }
            seen.formUnion(try crowd.signals(call, of: 0).flatMap(\.candidates).map(\.address))
        }
        #expect(seen.count == 2)
    }
}
