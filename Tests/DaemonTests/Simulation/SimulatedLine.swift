import Basics
import PeerProtocol

/// One connection between two peers: bytes arrive in pieces, late, in order, until it is cut.
final class SimulatedLine {
    unowned let dialler: SimulatedPeer
    unowned let acceptor: SimulatedPeer
    private let random: SharedRandom
    private let timeline: Timeline
    /// For the bytes to the dialler and to the acceptor: when the last of them arrive.
    private var arrival: [Instant]
    /// What would arrive later is lost.
    private var lostAfter: Instant?
    // The peers own them, and they the line.
    private weak var dialled: SimulatedSession?
    private weak var accepted: SimulatedSession?

    init(dialler: SimulatedPeer, acceptor: SimulatedPeer, timeline: Timeline, random: SharedRandom) {
        (self.dialler, self.acceptor, self.timeline, self.random) = (dialler, acceptor, timeline, random)
        arrival = [timeline.now, timeline.now]
        // The one that is called is ready first: what the caller says behind its handshake finds it open.
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
        // Cut anywhere, also within a frame's header.
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

    /// One side has said all it had to say.
    func close(by peer: SimulatedPeer) {
        let target = 1 - side(peer)
        tell(target, at: arrival[target])
    }

    /// The network fails: some of what is under way is lost, and the ends hear of it sooner or later, or never.
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
