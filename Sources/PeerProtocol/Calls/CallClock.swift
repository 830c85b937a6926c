import Basics
import Vocabulary

/// The times of a call between two: those that all calls have, by when a connection must be made, and from when on a
/// device that has said nothing counts as silent.
struct CallClock: Sendable {
    enum Due: Hashable {
        case nothing
        /// Clients have something new to see.
        case shown
        /// The duration has to be written to disk.
        case keep
        /// The window has not been heard from for too long, or has said that it closes.
        case seatEmpty
        case over(CallEnding)
    }

    var times = CallTimes()
    /// Whether the window says that it has a connection.
    private(set) var isConnected = false
    /// Whether the call has waited for an answer for some seconds; a device that has said nothing until then counts as silent.
    private(set) var isSilent = false
    private var silentAt: Instant?
    /// By when a connection must be made, or be back.
    private var connectBy: Instant?
    private(set) var forgetAt: Instant?

    init() {}

    mutating func ring(until: Instant, silentAt: Instant?) {
        times.ring(until: until)
        self.silentAt = silentAt
    }

    /// Notes that this side takes part from now on.
    mutating func joined(now: Instant) {
        times.ringEnds()
        silentAt = nil
        connectBy = now + PeerLimits.callConnectTime
    }

    /// Notes that a window was reloaded on one side, and gives the connection ``PeerLimits/callMediaTime`` to come back.
    mutating func reconnects(now: Instant) {
        isConnected = false
        connectBy = now + PeerLimits.callMediaTime
    }

    /// Notes whether the window has a connection.
    /// - Returns: whether that has changed.
    mutating func report(isConnected: Bool, at moment: CallMoment) -> Bool {
        if isConnected {
            connectBy = nil
            times.connected(at: moment)
        } else if self.isConnected {
            connectBy = moment.now + PeerLimits.callMediaTime
        }
        defer { self.isConnected = isConnected }
        return isConnected != self.isConnected
    }

    mutating func end(now: Instant) {
        times.left(now: now)
        (silentAt, connectBy) = (nil, nil)
        forgetAt = now + PeerLimits.callMemory
    }

    var nextDeadline: Instant? { [times.nextDeadline, silentAt, connectBy].compactMap(\.self).min() }

    /// Returns the first thing that is due.
    mutating func tick(phase: CallPhase, isTaken: Bool, isPeerAway: Bool, _ now: Instant) -> Due {
        switch times.due(now) {
        case .rung: return .over(.unanswered)
        case .lost: return .over(.lost)
        case .closed: return .over(phase == .calling ? .cancelled : .hangup)
        case nil: break
        }
        if let connectBy, connectBy <= now {
            // While one side is away, the time that it may be away counts instead.
            guard phase == .joined, !isPeerAway else {
                self.connectBy = now + PeerLimits.callMediaTime
                return .nothing
            }
            return .over(times.connectedAt == nil ? .failed : .lost)
        }
        if times.isSeatEmpty(now) { return times.isClosing && phase == .calling ? .nothing : .seatEmpty }
        if let silentAt, silentAt <= now {
            self.silentAt = nil
            isSilent = true
            return .shown
        }
        return times.mustKeep(now) ? .keep : .nothing
    }

    /// Goes on after a restart of the daemon.
    init(remembering times: CallTimes, phase: CallPhase, isTaken: Bool, now: Instant) {
        self.times = times
        switch phase {
        case .calling: self.times.seated(now: now)
        case .ringing, .waiting: break
        case .joined, .away:
            self.times.seated(now: now)
            connectBy = now + PeerLimits.callMediaTime
            if isTaken { self.times.talk(true, now: now) }
        case .ended: forgetAt = now + PeerLimits.callMemory
        }
    }
}
