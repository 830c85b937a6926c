import Basics

/// A time by which each job of a reading thread must be done. Belongs to that thread.
final class Deadline {
    private let clocks: any Clocks
    private let time: Duration
    private var end: Instant

    /// - Parameter time: what each job has.
    init(_ time: Duration, clocks: any Clocks) {
        (self.clocks, self.time) = (clocks, time)
        end = clocks.now + time
    }

    /// A job begins.
    func restart() { end = clocks.now + time }

    var hasPassed: Bool { clocks.now >= end }

    /// For work that SQLite doesn't do.
    func check() throws(StoreError) { if hasPassed { throw .tooLong } }
}
