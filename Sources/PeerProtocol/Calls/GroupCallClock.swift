import Basics
import Vocabulary

/// The times of a group's call: those that all calls have, when this side repeats what it says, and when the call may be
/// forgotten.
struct GroupCallClock: Sendable {
    enum Due: Hashable {
        case nothing
        /// This side's part or its ringing is over.
        case over(CallTimes.Due)
        /// The window has not been heard from for too long, or has said that it closes.
        case seatEmpty
        /// This side has to repeat its state.
        case again
        /// The duration has to be written to disk.
        case keep
    }

    var times = CallTimes()
    private var againAt: Instant?
    /// The time from which the end need not be remembered any more; nil while any device takes part.
    private(set) var forgetAt: Instant?

    init() {}

    /// Notes that the window is there.
    mutating func seated(now: Instant) {
        times.seated(now: now)
        againAt = againAt ?? now + PeerLimits.callRepeat
    }

    /// Notes that this side doesn't take part any more.
    mutating func left(now: Instant) {
        times.left(now: now)
        againAt = nil
    }

    /// Makes this side repeat its state soon, because the devices that take part, or their sessions, have changed.
    mutating func repeatSoon(now: Instant) {
        if let againAt { self.againAt = min(againAt, now + PeerLimits.callRepeatSoon) }
    }

    /// Notes whether any device takes part.
    mutating func goesOn(_ goesOn: Bool, now: Instant) {
        forgetAt = goesOn ? nil : forgetAt ?? now + PeerLimits.callMemory
    }

    var nextDeadline: Instant? { [times.nextDeadline, againAt, forgetAt].compactMap(\.self).min() }

    /// Returns the first thing that is due.
    mutating func tick(_ now: Instant) -> Due {
        if let due = times.due(now) { return .over(due) }
        if times.isSeatEmpty(now) { return .seatEmpty }
        if let againAt, againAt <= now {
            self.againAt = now + PeerLimits.callRepeat
            return .again
        }
        return times.mustKeep(now) ? .keep : .nothing
    }

    /// Goes on after a restart of the daemon.
    /// - Parameter takesPart: whether this side took part when the call was written.
    init(remembering times: CallTimes, takesPart: Bool, now: Instant) {
        self.times = times
        if takesPart { seated(now: now) }
    }
}
