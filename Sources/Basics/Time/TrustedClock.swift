/// Tells how old things are here, whatever the wall clock says.
///
/// Hosts boot with clocks that are wrong by days, and somebody sets them right while the daemon runs. What counts from the
/// wall clock then looks old, or new, by as much. This clock counts what certainly went by:
///
/// - ``seen`` is the time for which the daemon ran, and what is stored could be read, by the monotonic clock. It is what
///   rows are stamped with: in milliseconds, and it begins at the wall clock of its first day, so that stamps of before
///   it can be compared.
/// - ``absences`` are the times for which the daemon did not run, or what is stored could not be read, each with the stamp at
///   which it began. Only the wall clock tells of most of them, and it may be wrong: so it is believed a little at a time, each
///   hour of running for a day of absence, and what it says counts for what was there before, never for what came since.
///
/// A thing is as old as what was seen since it came, and the absences since. A machine: its times come in, nothing goes out.
public struct TrustedClock: Sendable {
    /// A time for which nothing could be read.
    public struct Absence: Hashable, Sendable {
        /// The stamp at which it began. What has this stamp or an earlier one was there before.
        public var at: Int64
        /// Milliseconds.
        public var length: Int64

        public init(at: Int64, length: Int64) {
            self.at = at
            self.length = length
        }
    }

    /// Milliseconds by which the wall clock and the estimate may part and still agree: clocks are steered.
    public static let tolerance: Int64 = 60_000
    /// The longest step, in milliseconds, for which the daemon is believed to have run: it looks at the clock more often. The
    /// host slept for the rest.
    public static let longestStep: Int64 = 20 * 60_000
    /// Milliseconds of absence that one of running vouches for: who runs for an hour a day has all of it counted, and a
    /// clock that is years ahead for an hour makes things older by a day.
    public static let creditForRunning: Int64 = 24
    /// Absences that are remembered apart: one for each start or sleep, which is some months. Beyond them, two that are next to
    /// each other become one.
    public static let absencesKept = 512

    /// The stamp of what comes now. It never goes back.
    public private(set) var seen: Int64
    /// Ascending by their stamps.
    public private(set) var absences: [Absence]
    /// The time that the wall clock would show if it had always been right, as far as is known, in milliseconds.
    public private(set) var estimate: Int64
    /// The stamp at which the wall clock and the estimate last agreed: an absence that is found later began then.
    public private(set) var agreed: Int64
    /// Whether what is stored can be read from now on. To be set after ``advance(now:wall:)``.
    public var isReadable = true {
        // Rows stored from now on are younger than the absence that ends here.
        didSet { if isReadable, !oldValue { seen = Self.sum(seen, 1) } }
    }
    private var last: (now: Instant, wall: Int64)?
    /// Whether the wall clock shows what the estimate does.
    public private(set) var isInLine = false

    /// A clock as it was kept, or a new one.
    public init(seen: Int64, estimate: Int64, agreed: Int64, absences: [Absence] = []) {
        self.seen = seen
        self.estimate = estimate
        self.agreed = min(agreed, seen)
        self.absences = absences
    }

    /// A clock that begins.
    public init(from wall: WallTime) {
        self.init(seen: wall.milliseconds, estimate: wall.milliseconds, agreed: wall.milliseconds)
    }

    /// The wall clock's time, or the time that it would show if it were not behind.
    public var wallTime: WallTime { WallTime(milliseconds: max(estimate, last?.wall ?? estimate)) }

    /// Takes note of both clocks. To be called at each commit, and every now and then.
    public mutating func advance(now: Instant, wall: WallTime) {
        let wall = wall.milliseconds
        guard let last else {
            // Rows stored from now on are younger than all that were there.
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
        // Somebody has set a clock that was as we knew it: no time went by, and it goes on from there.
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

    /// What came by then is so old, or older: the greatest stamp of which that is true.
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

    /// The same for what counts only while it can be read.
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
        // The earlier one of the two that are closest takes both: what came between them is younger for it, never older.
        let closest = absences.indices.dropFirst().min {
            Self.difference(absences[$0].at, absences[$0 - 1].at)
                < Self.difference(absences[$1].at, absences[$1 - 1].at)
        }
        if let closest {
            absences[closest - 1].length = Self.sum(absences[closest - 1].length, absences[closest].length)
            absences.remove(at: closest)
        }
    }

    /// Saturates.
    private static func sum(_ left: Int64, _ right: Int64) -> Int64 {
        let (sum, overflow) = left.addingReportingOverflow(right)
        return overflow ? (right < 0 ? .min : .max) : sum
    }

    /// Saturates.
    private static func difference(_ left: Int64, _ right: Int64) -> Int64 {
        let (difference, overflow) = left.subtractingReportingOverflow(right)
        return overflow ? (right < 0 ? .max : .min) : difference
    }
}
