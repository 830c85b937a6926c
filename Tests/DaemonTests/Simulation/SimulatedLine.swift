import Basics
import PeerProtocol

/// One connection between two peers: bytes arrive in pieces, with a delay, in order, until it is cut.
final class SimulatedLine {
    unowned let dialler: SimulatedPeer
    unowned let acceptor: SimulatedPeer
    private let random: SharedRandom
    private let timeline: Timeline
    /// When the last bytes to the dialler, and those to the acceptor, arrive.
    private var arrival: [Instant]
    /// Bytes that would arrive later are lost.
    private var lostAfter: Instant?
    // The peers own the sessions, and the sessions own the line.
    private weak var dialled: SimulatedSession?
    private weak var accepted: SimulatedSession?

    init(dialler: SimulatedPeer, acceptor: SimulatedPeer, timeline: Timeline, random: SharedRandom) {
        (self.dialler, self.acceptor, self.timeline, self.random) = (dialler, acceptor, timeline, random)
        arrival = [timeline.now, timeline.now]
        // The acceptor is ready first: bytes that follow the dialler's handshake find it open.
        accepted = acceptor.open(dialler, on: self)
        dialled = dialler.open(acceptor, on: self)
        accepted?.feed(.opened(card: acceptor.person.card))
        dialled?.feed(.opened(card: dialler.person.card))
    }

    private func session(_ side: Int) -> SimulatedSession? { side == 0 ? dialled : accepted }
    private func side(_ peer: SimulatedPeer) -> Int { peer === dialler ? 0 : 1 }

    func send(_ bytes: [UInt8], from peer: SimulatedPeer) {
        let target = 1 - side(peer)
        var rest = bytes[...]
        // Bytes may be cut anywhere, also within a frame's header.
        while !rest.isEmpty {
            let piece = Array(rest.prefix(random.chance(60) ? rest.count : random.int(1...rest.count)))
            rest = rest.dropFirst(piece.count)
            let time = max(arrival[target], timeline.now + random.milliseconds(0...(random.chance(5) ? 400 : 12)))
            arrival[target] = time
            timeline.schedule(at: time) { [weak self] in
                guard let self, lostAfter.map({ time <= $0 }) ?? true else { return }
                session(target)?.feed(.received(piece))
            }
        }
    }

    /// Closes the line, after one side has sent all its bytes.
    func close(by peer: SimulatedPeer) {
        let target = 1 - side(peer)
        tell(target, at: arrival[target])
    }

    /// The network fails: some of the bytes on their way are lost, and the ends notice this sooner or later, or never.
    func cut() {
        guard lostAfter == nil else { return }
        lostAfter = timeline.now + random.milliseconds(0...10)
        for target in 0...1 where random.chance(85) {
            tell(target, at: timeline.now + random.milliseconds(10...(random.chance(30) ? 6000 : 50)))
        }
    }

    private func tell(_ target: Int, at time: Instant) {
        timeline.schedule(at: time) { [weak self] in
            self?.session(target)?.feed(.interrupted)
        }
    }
}
