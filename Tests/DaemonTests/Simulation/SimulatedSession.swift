import Basics
import PeerProtocol
import Store

@testable import Daemon

/// What ``PeerSession`` does, on simulated time: it feeds a session machine and carries out the machine's effects.
final class SimulatedSession {
    private unowned let peer: SimulatedPeer
    unowned let other: SimulatedPeer
    let line: SimulatedLine
    private var machine: SessionMachine
    private var notes = SentNotes()
    private var armedFor: Instant?
    private(set) var hasEnded = false

    init(_ peer: SimulatedPeer, with other: SimulatedPeer, on line: SimulatedLine) {
        (self.peer, self.other, self.line) = (peer, other, line)
        machine = SessionMachine(
            peer: other.person.peer, relation: .friend, isDialler: line.dialler === peer, now: peer.now)
    }

    /// Its daemon was killed, so the session ends without a close.
    func forget() { hasEnded = true }

    func feed(_ input: SessionInput) {
        guard !hasEnded else { return }
        for effect in machine.receive(input, now: peer.now) { perform(effect) }
        arm()
    }

    private func perform(_ effect: SessionEffect) {
        switch effect {
        case .send(let bytes): line.send(bytes, from: peer)
        case .commit(let frames): peer.commit(frames, for: self)
        case .receipts(let status, let ids):
            notes.settled(ids)
            peer.settled(ids, by: other, status)
        case .wantOutbox(let after, let limit, let maximumBytes):
            peer.readStore { [account = other.account] transaction in
                try transaction.outbox(for: account, after: after ?? 0, limit: limit, maximumBytes: maximumBytes)
            } then: { [weak self] rows in
                self?.feed(.outbox(rows.map(OutboxItem.init), hasMore: !rows.isEmpty))
            }
        case .sent(let ids): notes.sent(ids, now: peer.now)
        case .card, .pauseReading, .resumeReading, .renewalDue, .hint: break
        case .closed:
            guard !hasEnded else { return }
            hasEnded = true
            markSent(notes.drain())
            line.close(by: peer)
            peer.ended(self)
        }
    }

    private func arm() {
        let deadlines = [machine.nextDeadline, notes.deadline].compactMap { $0 }
        guard !hasEnded, let deadline = deadlines.min() else { return }
        if let armedFor, armedFor <= deadline { return }
        armedFor = deadline
        peer.timeline.schedule(at: deadline) { [weak self] in
            // A timer that was set again for an earlier moment has already fired.
            guard let self, !hasEnded, armedFor == deadline else { return }
            armedFor = nil
            markSent(notes.due(now: peer.now))
            feed(.tick)
        }
    }

    private func markSent(_ ids: [UUIDv7]) {
        guard !ids.isEmpty else { return }
        let account = other.account
        peer.submit { try $0.markSent(ids, to: account) }
    }
}
