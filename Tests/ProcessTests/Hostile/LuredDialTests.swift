import Basics
import ControlProtocol
import PeerProtocol
import TestSupport
import Testing

/// An attacker listens at the address where a friend was last seen, and waits for a dial.
@Suite("A trap at a friend's address", .serialized)
struct LuredDialTests {
    @Test(
        "A hidden daemon shows no identity there; an open one does, and notices that it met another account")
    func trap() throws {
        let (anna, bert) = try MessageProcessTests.friends()
        try anna.set("discovery.mode", to: "silent")
        let address = try #require(SocketAddress(try bert.listenAddress))
        let annas = try #require(AccountID(try anna.account.id))
        // He is killed instead of stopped, because a lost friend is dialled at once, again and again.
        bert.kill()
        let mallory = try TestPeer()
        let listener = try RawListener(port: address.port)

        /// Answers the next dial. Returns how many bytes came after our answer, and the dialler.
        func answer() throws -> (bytes: Int, dialler: PeerIdentity?) {
            let socket = try #require(listener.accept(), "\(anna.logTail)")
            var channel = SecureChannel(accepting: try mallory.identity(), now: SystemClocks().now)
            var (bytes, hasAnswered) = (0, false)
            while case .bytes(let piece) = socket.read(within: Patience.usual) {
                if hasAnswered { bytes += piece.count }
                let clocks = SystemClocks()
                for effect in try channel.receive(piece[...], now: clocks.now, wallTime: clocks.wallTime) {
                    switch effect {
                    case .send(let answer):
                        socket.write(answer)
                        hasAnswered = true
                    case .established(let peer, _): return (bytes, peer)
                    case .plaintext: break
                    }
                }
            }
            #expect(hasAnswered)
            return (bytes, nil)
        }
        let hidden = try answer()
        #expect(hidden.bytes == 0 && hidden.dialler == nil)
        // The address is still in the store.
        anna.kill()
        try anna.start()
        let again = try answer()
        #expect(again.bytes == 0 && again.dialler == nil)
        try anna.set("discovery.mode", to: "open")
        anna.kill()
        try anna.start()
        let open = try answer()
        #expect(open.dialler?.account == annas)
    }
}
