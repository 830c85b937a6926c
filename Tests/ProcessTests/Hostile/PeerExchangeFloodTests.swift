import Basics
import ControlProtocol
import PeerProtocol
import TestSupport
import Testing

/// Goal: a session costs a stranger nothing, so a limit for each session bounds nothing. Strangers get a bounded number
/// of pages of the peer exchange, by source and in all, and friends get theirs meanwhile.
@Suite("Floods of questions for peer exchange, against a real daemon", .serialized)
struct PeerExchangeFloodTests {
    @Test("Eight strangers ask for 300 pages in three sessions each, get a bounded number, and a friend is answered")
    func questions() throws {
        let anna = try DaemonProcess.launch(
            name: "Anna", options: .init(discoveryPort: try FreePort.udp(), logLevel: .info))
        let friend = try TestPeer("Fred").befriend(anna)
        let begin = SystemClocks().now
        let questions = (0..<300).flatMap { _ in
            Frame(kind: .peerExchangeRequest, body: PeerExchangeRequestBody().encoded()).encoded()
        }
        var given = [Int](repeating: 0, count: 8)
        for _ in 0..<3 {
            for number in given.indices {
                let link = try TestPeer("Stranger").openSession(with: anna, from: .v4(0x7F00_0011 + UInt32(number)))
                link.send(plaintext: questions)
                try link.roundTrip()
                given[number] += link.counts[.peerExchange] ?? 0
            }
            friend.send(Frame(kind: .peerExchangeRequest, body: PeerExchangeRequestBody().encoded()))
            _ = try friend.frame(.peerExchange)
        }
        let seconds = Int((SystemClocks().now - begin).milliseconds / 1_000) + 1
        #expect(given.allSatisfy { $0 <= 300 + 2 * seconds }, "\(given) in \(seconds) s")
        let all = given.reduce(0, +)
        #expect(all >= 300 && all <= 1_500 + 200 * seconds, "\(all) pages in \(seconds) s")
        #expect(try anna.metric("kibo_peer_exchange_pages_refused_total") + all == 7_200)
    }
}
