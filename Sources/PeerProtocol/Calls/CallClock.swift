import Basics
import Vocabulary

/// The times of one call: when it ceases to ring, when a window counts as gone, and how long both sides have talked.
///
/// Deadlines go by the monotonic clock, and start from zero when the daemon starts again.
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

    private(set) var connectedAt: WallTime?
    /// Whether the window says that it has a connection.
    private(set) var isConnected = false
    /// Whether the call has waited for an answer for some seconds; a device that has said nothing until then counts as silent.
    private(set) var isSilent = false
    private var ringUntil: Instant?
    private var silentAt: Instant?
    private var seatUntil: Instant?
    private var awayUntil: Instant?
    /// When the call ends unless the window comes back; set while the window has said that it closes.
    private var closesAt: Instant?
    /// When a connection must have come about, or come back.
    private var connectBy: Instant?
    private(set) var forgetAt: Instant?
    private var talkTime = TalkTime()

    init() {}

    mutating func ring(until: Instant, silentAt: Instant?) {
        ringUntil = until
        self.silentAt = silentAt
    }

    /// Notes that this side takes part from now on.
    mutating func joined(now: Instant) {
        (ringUntil, silentAt) = (nil, nil)
        connectBy = now + PeerLimits.callConnectTime
    }

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
            if connectedAt == nil { connectedAt = moment.wall }
        } else if self.isConnected {
            connectBy = moment.now + PeerLimits.callMediaTime
        }
        defer { self.isConnected = isConnected }
        return isConnected != self.isConnected
    }

    /// Notes that both sides take part, from when on they talk.
    mutating func talk(now: Instant) { talkTime.begin(now: now) }

    mutating func end(now: Instant) {
        talkTime.end(now: now)
        (ringUntil, silentAt, seatUntil, awayUntil, connectBy) = (nil, nil, nil, nil, nil)
        closesAt = nil
        forgetAt = now + PeerLimits.callMemory
    }

    /// Returns the milliseconds in which both sides took part.
    func talked(at now: Instant) -> Int64 { talkTime.milliseconds(at: now) }

    var nextDeadline: Instant? {
        [ringUntil, silentAt, seatUntil, awayUntil, closesAt, connectBy, talkTime.keepAt].compactMap(\.self).min()
    }

    /// Returns the first thing that is due.
    mutating func tick(phase: CallPhase, isTaken: Bool, isPeerAway: Bool, _ now: Instant) -> Due {
        if let ringUntil, ringUntil <= now { return .over(.unanswered) }
        if let awayUntil, awayUntil <= now { return .over(.lost) }
        if let closesAt, closesAt <= now { return .over(phase == .calling ? .cancelled : .hangup) }
        if let connectBy, connectBy <= now {
            // While one side is away, the time that it may be away counts instead.
            guard phase == .joined, !isPeerAway else {
                self.connectBy = now + PeerLimits.callMediaTime
                return .nothing
            }
            return .over(connectedAt == nil ? .failed : .lost)
        }
        if let seatUntil, seatUntil <= now {
            self.seatUntil = nil
            if isClosing { return phase == .calling ? .nothing : .seatEmpty }
            awayUntil = now + PeerLimits.callAwayTime
            return .seatEmpty
        }
        if let silentAt, silentAt <= now {
            self.silentAt = nil
            isSilent = true
            return .shown
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

    init(
        remembering value: CBOR, phase: CallPhase, startedAt: WallTime, isTaken: Bool, at moment: CallMoment
    ) throws(WireError) {
        let body = try BodyReader(value, field: "times")
        talkTime = TalkTime(before: Int64(clamping: try body.unsigned(1, "talked")))
        if body.has(2) { connectedAt = try body.time(2, "connected") }
        let now = moment.now
        switch phase {
        case .calling, .ringing, .waiting:
            let left = Int64(clamping: try body.optionalUnsigned(3, "ring") ?? 0)
            // The milliseconds that have passed since the call began, if the wall clock can be believed.
            let passed = max(0, moment.wall.milliseconds - startedAt.milliseconds)
            let most = PeerLimits.callRingLongest.milliseconds - passed
            ringUntil = now + .milliseconds(max(0, min(left, most)))
            if phase == .calling { seatUntil = now + PeerLimits.callSeatTime }
        case .joined, .away:
            seatUntil = now + PeerLimits.callSeatTime
            connectBy = now + PeerLimits.callMediaTime
            if isTaken { talkTime.begin(now: now) }
        case .ended: forgetAt = now + PeerLimits.callMemory
        }
    }
}
