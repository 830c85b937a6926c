/// Tells how old stored things are, whatever the wall clock shows.
///
/// Hosts boot with clocks that are wrong by days, and a user may correct them while the daemon runs. Ages computed from
/// the wall clock are then wrong by as much. This clock counts the time that certainly went by:
///
/// - ``seen`` is the time for which the daemon ran and its store was readable, by the monotonic clock, in milliseconds.
///   Rows are stamped with it. It starts at the wall clock of the first day, so that older stamps can be compared.
/// - ``absences`` are the times for which the daemon did not run or its store was not readable, each with the stamp at
///   which it began. Only the wall clock tells of most of them, and it may be wrong. So it is believed slowly, one day
///   of absence for each hour of running, and an absence makes only those things older that were there before it.
///
/// The age of a thing is what was seen since it came, plus the absences since. This is a machine: times come in,
/// nothing goes out.
public struct TrustedClock: Sendable {
    /// A time for which the store was not readable.
    public struct Absence: Hashable, Sendable {
        /// The stamp at which it began. Things with this stamp or an earlier one were there before.
        public var at: Int64
        /// Its length in milliseconds.
        public var length: Int64

        public init(at: Int64, length: Int64) {
            self.at = at
            self.length = length
        }
    }

    /// Milliseconds by which the wall clock and the estimate may differ and still agree, since clocks are steered.
    public static let tolerance: Int64 = 60_000
    /// The longest step, in milliseconds, for which the daemon is believed to have run. It reads the clock more often,
    /// so the host slept for the rest.
    public static let longestStep: Int64 = 20 * 60_000
    /// Milliseconds of absence that one millisecond of running vouches for. A daemon that runs for an hour a day has
    /// every absence counted, and a clock that is years ahead for an hour makes things older by one day only.
    public static let creditForRunning: Int64 = 24
    /// The number of absences kept apart: one for each start or sleep, which is some months. Beyond it, two neighbours
    /// become one.
    public static let absencesKept = 512

    /// The stamp of what is stored now. It never goes back.
    public private(set) var seen: Int64
    /// Ascending by their stamps.
    public private(set) var absences: [Absence]
    /// The time, in milliseconds, that the wall clock would show if it had always been right, as far as is known.
    public private(set) var estimate: Int64
    /// The stamp at which the wall clock and the estimate last agreed. An absence that is found later began then.
    public private(set) var agreed: Int64
    /// Whether the store can be read from now on. Set it after ``advance(now:wall:)``.
    public var isReadable = true {
        // Rows stored from now on are younger than the absence that ends here.
        didSet { if isReadable, !oldValue { seen = Self.sum(seen, 1) } }
    }
    private var last: (now: Instant, wall: Int64)?
    /// Whether the wall clock shows what the estimate does.
    public private(set) var isInLine = false

    /// Restores a clock as it was kept.
    public init(seen: Int64, estimate: Int64, agreed: Int64, absences: [Absence] = []) {
        self.seen = seen
        self.estimate = estimate
        self.agreed = min(agreed, seen)
        self.absences = absences
    }

    /// Begins a new clock at the wall clock's time.
    public init(from wall: WallTime) {
        self.init(seen: wall.milliseconds, estimate: wall.milliseconds, agreed: wall.milliseconds)
    }

    /// The wall clock's time, or the estimate where the wall clock is behind it.
    public var wallTime: WallTime { WallTime(milliseconds: max(estimate, last?.wall ?? estimate)) }

    /// Takes note of both clocks. Call it at each commit, and now and then besides.
    public mutating func advance(now: Instant, wall: WallTime) {
        let wall = wall.milliseconds
        guard let last else {
            // Rows stored from now on are younger than all rows that were there.
            seen = Self.sum(seen, 1)
            self.last = (now, wall)
            isInLine = agrees(wall)
            if isInLine { agreed = seen }
            return
        }
        let step = max(0, (now - last.now).milliseconds)
        guard step > 0 else { return }
        // The rest of a millisecond counts with the next step.
        self.last = (last.now + .milliseconds(step), wall)
        let jump = Self.difference(wall, Self.sum(last.wall, step))
        let isSet = !(-Self.tolerance...Self.tolerance).contains(jump)
        estimate = Self.sum(estimate, step)
        // The user has set a clock that agreed with the estimate: no time went by, so the estimate moves with the
        // clock.
        if isInLine, isSet { estimate = Self.sum(estimate, jump) }
        let running = min(step, Self.longestStep)
        let read = isReadable ? running : 0
        if step > read { addAbsence(step - read, at: seen) }
        seen = Self.sum(seen, read)
        let behind = Self.difference(wall, estimate)
        if !isSet, behind > Self.tolerance {
            let credit = min(behind, running * Self.creditForRunning)
            estimate = Self.sum(estimate, credit)
            addAbsence(credit, at: agreed)
        }
        isInLine = agrees(wall)
        if isInLine { agreed = seen }
    }

    /// The greatest stamp whose rows are at least `age` old.
    public func stamp(before age: Duration) -> Int64 {
        var left = max(0, age.milliseconds)
        var position = seen
        for absence in absences.reversed() {
            let read = Self.difference(position, absence.at)
            if read >= left { break }
            left -= max(0, read)
            position = min(position, absence.at)
            if absence.length >= left { return position }
            left -= absence.length
        }
        return Self.difference(position, left)
    }

    /// Like ``stamp(before:)``, for an age that counts only while the store can be read.
    public func stamp(beforeReadable age: Duration) -> Int64 { Self.difference(seen, max(0, age.milliseconds)) }

    private func agrees(_ wall: Int64) -> Bool {
        (-Self.tolerance...Self.tolerance).contains(Self.difference(wall, estimate))
    }

    private mutating func addAbsence(_ length: Int64, at stamp: Int64) {
        let place = absences.lastIndex { $0.at <= stamp }
        if let place, absences[place].at == stamp {
            absences[place].length = Self.sum(absences[place].length, length)
        } else {
            absences.insert(Absence(at: stamp, length: length), at: place.map { $0 + 1 } ?? 0)
        }
        guard absences.count > Self.absencesKept else { return }
        // The earlier of the two closest absences takes both. What came between them becomes younger by that, never
        // older.
        let closest = absences.indices.dropFirst().min {
            Self.difference(absences[$0].at, absences[$0 - 1].at)
                < Self.difference(absences[$1].at, absences[$1 - 1].at)
        }
        if let closest {
            absences[closest - 1].length = Self.sum(absences[closest - 1].length, absences[closest].length)
            absences.remove(at: closest)
        }
    }

    /// Adds, and saturates at both ends.
    private static func sum(_ left: Int64, _ right: Int64) -> Int64 {
        let (sum, overflow) = left.addingReportingOverflow(right)
        return overflow ? (right < 0 ? .min : .max) : sum
    }

    /// Subtracts, and saturates at both ends.
    private static func difference(_ left: Int64, _ right: Int64) -> Int64 {
        let (difference, overflow) = left.subtractingReportingOverflow(right)
        return overflow ? (right < 0 ? .max : .min) : difference
    }
}
