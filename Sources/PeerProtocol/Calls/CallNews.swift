import Basics
import Vocabulary

/// What a call has to tell, to write and to show at the end of an input, and the numbers of its states.
struct CallNews: Sendable {
    /// The number of the last state; 0 before the first.
    private(set) var number: UInt64
    /// Every number of a state is greater than this one.
    private let floor: UInt64
    private var pace = RateLimiter(PeerLimits.callStates)
    private var hasNews = false
    private var isUrgent = false
    private var isChanged = false
    private var isDirty = false
    private var told: [CallEffect] = []

    init(number: UInt64 = 0, floor: UInt64 = 0) { (self.number, self.floor) = (number, floor) }

    /// Notes that this side has something new to say of itself.
    /// - Parameter urgent: whether it is said at once, however many states were told just before.
    mutating func note(urgent: Bool = false) {
        (hasNews, isChanged, isDirty) = (true, true, true)
        isUrgent = isUrgent || urgent
    }

    /// Notes that clients have something new to see.
    mutating func show() { isChanged = true }
    /// Notes that the call has to be written to disk.
    mutating func keep() { isDirty = true }

    /// Tells a device something, after the states.
    mutating func tell(_ device: DeviceID, _ hint: Hint) { told.append(.tell(device, hint)) }
    /// Writes the record of the call.
    mutating func record(_ note: CallNote) { told.append(.record(note)) }
    mutating func record(_ note: GroupCallNote) { told.append(.recordOfGroup(note)) }
    /// Tells the group that this side has begun a call.
    mutating func announce(_ note: GroupCallNote) { told.append(.announce(note)) }

    /// Returns a number greater than every one before, also after a restart that has forgotten the last.
    func next(after wall: WallTime) -> UInt64 {
        max(number + 1, floor + 1, HybridTime(milliseconds: wall.milliseconds).rawValue)
    }

    /// Counts a state that is told outside of its turn.
    mutating func count(at moment: CallMoment) { number = next(after: moment.wall) }

    /// From when on news may be told; nil if there is none.
    var opensAt: Instant? { hasNews ? pace.opensAt : nil }

    /// Decides whether a new state is told now, and gives it the next number.
    /// - Returns: whether it is told.
    mutating func acquireTurn(at moment: CallMoment) -> Bool {
        guard hasNews else { return false }
        let mayTell = pace.acquire(now: moment.now)
        guard mayTell || isUrgent else { return false }
        count(at: moment)
        (hasNews, isUrgent) = (false, false)
        return true
    }

    /// Returns the effects of the input in their order: what is written comes before what is told, and a state before the signals
    /// that stand on it.
    ///
    /// - Parameters:
    ///   - states: the new state for each device, if ``acquireTurn(at:)`` has returned true.
    ///   - memory: makes the effect that keeps the call; it is called only if something has to be written.
    mutating func flush(_ call: UUIDv7, states: [CallEffect], memory: () -> CallEffect?) -> [CallEffect] {
        defer { (told, isChanged, isDirty) = ([], false, false) }
        var effects: [CallEffect] = []
        if isDirty, let kept = memory() { effects.append(kept) }
        effects += told.filter { if case .tell = $0 { false } else { true } }
        effects += states + told.filter { if case .tell = $0 { true } else { false } }
        if isChanged { effects.append(.changed(call)) }
        return effects
    }
}
