import Basics
import Vocabulary

/// The times of a group's call: how long it rings, when the window counts as gone, when this side repeats what it says, and how
/// long it has talked with others.
///
/// Deadlines go by the monotonic clock, and start from zero when the daemon starts again.
struct GroupCallClock: Sendable {
    enum Due: Hashable {
        case nothing
        /// The call has rung for long enough, here or at the others.
        case rung
        /// The window has not been heard from for too long, or has said that it closes.
        case seatEmpty
        /// The window has not come back in time.
        case lost
        /// The window has said that it closes, and has not come back in time.
        case closed
        /// This side has to repeat its state.
        case again
        /// The duration has to be written to disk.
        case keep
    }

    private(set) var connectedAt: WallTime?
    private var ringUntil: Instant?
    private var seatUntil: Instant?
    private var awayUntil: Instant?
    /// When this side's part ends unless the window comes back; set while the window has said that it closes.
    private var closesAt: Instant?
    private var againAt: Instant?
    /// The time from which the end need not be remembered any more; nil while any device takes part.
    private(set) var forgetAt: Instant?
    private var talkTime = TalkTime()

    init() {}

    var isRinging: Bool { ringUntil != nil }

    /// Notes how long the call rings, here or at others.
    mutating func ring(until: Instant) { ringUntil = until }
    mutating func ringEnds() { ringUntil = nil }

    /// Notes that the window is there.
    mutating func seated(now: Instant) {
        seatUntil = now + PeerLimits.callSeatTime
        (awayUntil, closesAt) = (nil, nil)
        againAt = againAt ?? now + PeerLimits.callRepeat
    }

    var isClosing: Bool { closesAt != nil }

    /// Notes that the window closes, for good or to be reloaded.
    mutating func close(now: Instant) {
        closesAt = closesAt ?? now + PeerLimits.callCloseTime
        (seatUntil, awayUntil) = (now, nil)
    }

    /// Notes that this side doesn't take part any more.
    mutating func left() { (ringUntil, seatUntil, awayUntil, closesAt, againAt) = (nil, nil, nil, nil, nil) }

    /// Makes this side repeat its state soon, because the devices that take part, or their sessions, have changed.
    mutating func repeatSoon(now: Instant) {
        if let againAt { self.againAt = min(againAt, now + PeerLimits.callRepeatSoon) }
    }

    mutating func connected(at moment: CallMoment) { connectedAt = connectedAt ?? moment.wall }

    /// Notes whether this side and another device take part, which is the time that counts as talking.
    mutating func talk(_ talks: Bool, now: Instant) {
        if talks { talkTime.begin(now: now) } else { talkTime.end(now: now) }
    }

    /// Notes whether any device takes part.
    mutating func goesOn(_ goesOn: Bool, now: Instant) {
        forgetAt = goesOn ? nil : forgetAt ?? now + PeerLimits.callMemory
    }

    /// Returns the milliseconds in which this side talked with others.
    func talked(at now: Instant) -> Int64 { talkTime.milliseconds(at: now) }

    var nextDeadline: Instant? {
        [ringUntil, seatUntil, awayUntil, closesAt, againAt, talkTime.keepAt, forgetAt].compactMap(\.self).min()
    }

    /// Returns the first thing that is due.
    mutating func tick(_ now: Instant) -> Due {
        if let ringUntil, ringUntil <= now {
            self.ringUntil = nil
            return .rung
        }
        if let awayUntil, awayUntil <= now {
            self.awayUntil = nil
            return .lost
        }
        if let closesAt, closesAt <= now {
            self.closesAt = nil
            return .closed
        }
        if let seatUntil, seatUntil <= now {
            self.seatUntil = nil
            awayUntil = isClosing ? nil : now + PeerLimits.callAwayTime
            return .seatEmpty
        }
        if let againAt, againAt <= now {
            self.againAt = now + PeerLimits.callRepeat
            return .again
        }
        if let keepAt = talkTime.keepAt, keepAt <= now {
            talkTime.keep(now: now)
            return .keep
        }
        return .nothing
    }

    // MARK: Memory

    func memory(at moment: CallMoment) -> CBOR {
        var map: CBORMap = [1: .integer(talked(at: moment.now))]
        map[2] = connectedAt.map { .integer($0.milliseconds) }
        // After a restart the ring goes on for the rest of its time.
        map[3] = ringUntil.map { .integer(max(0, ($0 - moment.now).milliseconds)) }
        return .map(map)
    }

    /// - Parameter takesPart: whether this side took part when the call was written.
    init(remembering value: CBOR, takesPart: Bool, startedAt: WallTime, at moment: CallMoment) throws(WireError) {
        let body = try BodyReader(value, field: "times")
        talkTime = TalkTime(before: Int64(clamping: try body.unsigned(1, "talked")))
        if body.has(2) { connectedAt = try body.time(2, "connected") }
        if let left = try body.optionalUnsigned(3, "ring") {
            // The milliseconds that have passed since the call began, if the wall clock can be believed.
            let passed = max(0, moment.wall.milliseconds - startedAt.milliseconds)
            let most = PeerLimits.callRingLongest.milliseconds - passed
            ringUntil = moment.now + .milliseconds(max(0, min(Int64(clamping: left), most)))
        }
        if takesPart { seated(now: moment.now) }
    }
}
