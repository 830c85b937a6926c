import Basics

/// A time by which each job of a reading thread must be done. It belongs to that thread.
final class Deadline {
    private let clocks: any Clocks
    private let time: Duration
    private var end: Instant

    /// - Parameter time: the time that each job has.
    init(_ time: Duration, clocks: any Clocks) {
        (self.clocks, self.time) = (clocks, time)
        end = clocks.now + time
    }

    /// Begins the time of a new job.
    func restart() { end = clocks.now + time }

    var hasPassed: Bool { clocks.now >= end }

    /// Throws ``StoreError/tooLong`` after the deadline, for work outside SQLite.
    func check() throws(StoreError) { if hasPassed { throw .tooLong } }
}
