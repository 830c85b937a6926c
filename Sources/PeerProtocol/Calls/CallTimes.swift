import Basics
import Vocabulary

/// The times that a call between two and a call of a group have in common: how long it rings, when the window of this side
/// counts as gone, and how long this side has talked.
///
/// Deadlines go by the monotonic clock, and start from zero when the daemon starts again.
struct CallTimes: Sendable {
    enum Due: Hashable {
        /// The call has rung for long enough.
        case rung
        /// The window has not come back in time.
        case lost
        /// The window has said that it closes, and has not come back in time.
        case closed
    }

    private(set) var connectedAt: WallTime?
    private(set) var ringUntil: Instant?
    private var seatUntil: Instant?
    private var awayUntil: Instant?
    /// When this side's part ends unless the window comes back; set while the window has said that it closes.
    private var closesAt: Instant?
    private var talkTime = TalkTime()

    init() {}

    mutating func ring(until: Instant) { ringUntil = until }
    mutating func ringEnds() { ringUntil = nil }

    /// Notes that the window is there.
    mutating func seated(now: Instant) {
        seatUntil = now + PeerLimits.callSeatTime
        (awayUntil, closesAt) = (nil, nil)
    }

    var isClosing: Bool { closesAt != nil }

    /// Notes that the window closes, for good or to be reloaded.
    mutating func close(now: Instant) {
        closesAt = closesAt ?? now + PeerLimits.callCloseTime
        (seatUntil, awayUntil) = (now, nil)
    }

    /// Notes that this side doesn't take part any more.
    mutating func left(now: Instant) {
        talk(false, now: now)
        (ringUntil, seatUntil, awayUntil, closesAt) = (nil, nil, nil, nil)
    }

    mutating func connected(at moment: CallMoment) { connectedAt = connectedAt ?? moment.wall }

    /// Notes whether this side and another device take part, which is the time that counts as talking.
    mutating func talk(_ talks: Bool, now: Instant) {
        if talks { talkTime.begin(now: now) } else { talkTime.end(now: now) }
    }

    /// Returns the milliseconds in which this side talked.
    func talked(at now: Instant) -> Int64 { talkTime.milliseconds(at: now) }

    var nextDeadline: Instant? {
        [ringUntil, seatUntil, awayUntil, closesAt, talkTime.keepAt].compactMap(\.self).min()
    }

    /// Returns what ends this side's part or its ringing, once.
    mutating func due(_ now: Instant) -> Due? {
        func isDue(_ deadline: inout Instant?) -> Bool {
            guard let time = deadline, time <= now else { return false }
            deadline = nil
            return true
        }
        if isDue(&ringUntil) { return .rung }
        if isDue(&awayUntil) { return .lost }
        return isDue(&closesAt) ? .closed : nil
    }

    /// Returns, once, whether the window has not been heard from for too long, or has said that it closes.
    mutating func isSeatEmpty(_ now: Instant) -> Bool {
        guard let seatUntil, seatUntil <= now else { return false }
        self.seatUntil = nil
        awayUntil = isClosing ? nil : now + PeerLimits.callAwayTime
        return true
    }

    /// Returns, once, whether the duration has to be written to disk.
    mutating func mustKeep(_ now: Instant) -> Bool {
        guard let keepAt = talkTime.keepAt, keepAt <= now else { return false }
        talkTime.keep(now: now)
        return true
    }

    // MARK: Memory

    func memory(at moment: CallMoment) -> CBOR {
        var map: CBORMap = [1: .integer(talked(at: moment.now))]
        map[2] = connectedAt.map { .integer($0.milliseconds) }
        // After a restart the ring goes on for the rest of its time.
        map[3] = ringUntil.map { .integer(max(0, ($0 - moment.now).milliseconds)) }
        return .map(map)
    }

    /// - Parameter startedAt: when the call began.
    init(remembering value: CBOR, startedAt: WallTime, at moment: CallMoment) throws(WireError) {
        let body = try BodyReader(value, field: "times")
        talkTime = TalkTime(before: Int64(clamping: try body.unsigned(1, "talked")))
        if body.has(2) { connectedAt = try body.time(2, "connected") }
        guard let left = try body.optionalUnsigned(3, "ring") else { return }
        // The milliseconds that have passed since the call began, if the wall clock can be believed.
        let passed = max(0, moment.wall.milliseconds - startedAt.milliseconds)
        let most = PeerLimits.callRingLongest.milliseconds - passed
        ringUntil = moment.now + .milliseconds(max(0, min(Int64(clamping: left), most)))
    }
}
