import Basics
import Vocabulary

extension CallView {
    init(_ call: Call, at moment: CallMoment) {
        self.init(
            id: call.id, account: call.account, root: nil, isOutgoing: call.isOutgoing, media: call.media,
            stage: CallStage(call), isWaiting: call.phase == .waiting,
            participants: call.peers.values.sorted { $0.party.device < $1.party.device }.map {
                Participant(
                    party: $0.party, phase: $0.phase, isHere: $0.isHere, since: nil,
                    isSilent: $0.phase == nil && call.clock.isSilent, sends: $0.state?.sends ?? [],
                    generation: $0.state?.generation ?? 0)
            },
            sends: call.sends, seat: call.seat?.id, generation: call.generation, signals: call.inbox.last,
            startedAt: call.startedAt, connectedAt: call.times.connectedAt,
            duration: call.times.talked(at: moment.now), reason: call.reason, replacedBy: call.replacedBy)
    }
}

extension CallView {
    init(_ call: GroupCall, at moment: CallMoment) {
        // The devices that take part or ring come first, then those that only others mention.
        let shown = Set(call.company.map(\.device))
        let peers = call.peers.all.filter { shown.contains($0.party.device) || $0.phase?.rings == true }
        let participants =
            peers.map { peer in
                let since = peer.takesPart ? peer.state.map { WallTime(milliseconds: $0.time.milliseconds) } : nil
                return Participant(
                    party: peer.party, phase: peer.phase, isHere: peer.isHere, since: since, isSilent: false,
                    sends: (peer.state?.sends ?? []).intersection(.media), generation: peer.state?.generation ?? 0)
            }
            + call.peers.hearsay(of: call.company, but: call.own.device).map {
                Participant(
                    party: $0, phase: nil, isHere: false, since: nil, isSilent: false, sends: [], generation: 0)
            }
        self.init(
            id: call.id, account: nil, root: call.peers.group.root, isOutgoing: call.isOutgoing, media: call.media,
            stage: CallStage(call), isWaiting: call.part == .waiting,
            participants: participants.sorted { $0.party.device < $1.party.device }, sends: call.sends,
            seat: call.isEngaged ? call.seat?.id : nil, generation: call.generation, signals: call.inbox.last,
            startedAt: call.startedAt, connectedAt: call.times.connectedAt,
            duration: call.times.talked(at: moment.now),
            reason: call.isOver ? call.reason ?? .hangup : call.reason, replacedBy: call.replacedBy)
    }
}

extension CallStage {
    fileprivate init(_ call: GroupCall) {
        switch call.part {
        case _ where call.isOver: self = .ended
        case .ringing, .waiting: self = .incoming
        case .away: self = .away
        case .joined where call.company.isEmpty:
            self = call.peers.all.contains { $0.phase?.rings == true } ? .ringing : .outgoing
        case .joined: self = call.peers.connected.isEmpty ? .connecting : .active
        case .calling, .ended, nil: self = .ongoing
        }
    }

    fileprivate init(_ call: Call) {
        let phases = call.peers.values.compactMap(\.phase)
        switch call.phase {
        case .calling: self = phases.contains(where: \.rings) ? .ringing : .outgoing
        case .ringing, .waiting: self = .incoming
        case .away: self = .away
        case .joined where phases.contains(.away): self = .away
        case .joined: self = call.clock.isConnected && call.isTaken ? .active : .connecting
        case .ended: self = .ended
        }
    }
}

extension CallEnding {
    /// What became of a call that ends for this reason before both sides took part.
    var outcome: CallOutcome {
        switch self {
        case .hangup, .elsewhere: .answered
        case .cancelled: .cancelled
        case .declined: .declined
        case .busy, .full: .busy
        case .unanswered, .lost: .unanswered
        case .nobody, .unsupported, .notAllowed: .unreachable
        case .failed: .failed
        }
    }
}
