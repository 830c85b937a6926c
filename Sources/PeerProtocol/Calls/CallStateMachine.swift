import Basics
import Vocabulary

/// The interface through which the ``CallMachine`` handles a call between two and a call of a group alike.
protocol CallStateMachine: Sendable {
    var core: CallCore { get set }
    var times: CallTimes { get set }
    /// Whether the call is over: between two as soon as this side's part has ended, in a group once no device takes part.
    var isOver: Bool { get }
    /// Whether this side takes part: it talks, or waits until it can.
    var isEngaged: Bool { get }
    var rings: Bool { get }

    // What this side does.
    mutating func accept(_ seat: CallSeat, at moment: CallMoment) throws(CallObjection)
    mutating func decline(at moment: CallMoment) throws(CallObjection)
    mutating func hangUp(at moment: CallMoment)
    /// Ends the call because the account's keys go, or because nothing here can ring any more.
    mutating func finish(at moment: CallMoment)
    mutating func assign(_ seat: CallSeat, at moment: CallMoment)
    mutating func report(connected: Set<DeviceID>, at moment: CallMoment)
    mutating func send(
        _ kind: CallSignalKind, sdp: String?, candidates: [CallCandidate], to device: DeviceID, at moment: CallMoment
    ) throws(CallObjection)
    /// Gives way to a call that crossed this one.
    mutating func giveWay(to other: UUIDv7, at moment: CallMoment)

    // What others do.
    mutating func met(_ party: CallParty, at moment: CallMoment)
    mutating func lost(_ device: DeviceID, at moment: CallMoment)
    /// Takes the account out of the call, because it is no friend any more or is blocked.
    mutating func parted(_ account: AccountID, at moment: CallMoment)
    /// - Returns: why the state was not obeyed, if it was not.
    mutating func hear(_ body: CallStateBody, from party: CallParty, at moment: CallMoment) -> CallRefused?
    mutating func hear(
        _ body: CallSignalBody, from party: CallParty, _ addresses: CallAddresses, at moment: CallMoment
    ) -> CallRefused?

    // Time.
    var nextDeadline: Instant? { get }
    mutating func tick(at moment: CallMoment)
    /// Whether the call is over and its end need not be remembered any more.
    func isForgotten(now: Instant) -> Bool
    /// Does what is left to do before the call is forgotten: writes a record that is still due.
    mutating func forget(at moment: CallMoment)

    /// Returns the effects that this input has brought about.
    mutating func flush(at moment: CallMoment) -> [CallEffect]
    func view(at moment: CallMoment) -> CallView
}

extension CallStateMachine {
    var id: UUIDv7 { core.id }
    var wireID: UUIDv7 { core.wireID }
    var own: CallParty { core.own }
    var media: CallMedia { core.media }
    var time: HybridTime { core.time }
    var startedAt: WallTime { core.startedAt }
    var seat: CallSeat? { core.seat }
    var generation: UInt64 { core.generation }
    var sends: CallSends { core.sends }
    var inbox: CallInbox { core.inbox }
    var reason: CallEnding? { core.reason }
    var replacedBy: UUIDv7? { core.replacedBy }
    /// Whether the window has said that it closes, for good or to be reloaded.
    var isClosing: Bool { times.isClosing }
    /// The number of this side's last state; 0 before the first.
    var lastNumber: UInt64 { core.news.number }

    /// Notes that the window closes, for good or to be reloaded.
    mutating func close(at moment: CallMoment) { times.close(now: moment.now) }
    mutating func update(_ sends: CallSends) { core.update(sends) }
    mutating func signals(after index: UInt64) -> (items: [CallSignalItem], next: UInt64) {
        core.inbox.read(after: index)
    }

    mutating func forget(at moment: CallMoment) {}

    /// What became of the call, for its record.
    func record(_ outcome: CallOutcome, at moment: CallMoment) -> CallRecord {
        CallRecord(
            media: media, outcome: outcome, startedAt: startedAt, duration: times.talked(at: moment.now))
    }
}
