import Basics

/// The stage of each connection, its deadline for the next stage, and which connection goes if there is no room. A
/// value: the time is passed in.
package struct ConnectionTable<ID: Hashable> {
    /// How far a connection is.
    package enum Stage: Hashable {
        /// It has sent nothing.
        case silent
        /// It has sent something, and waits for room.
        case waiting
        /// A head is on its way.
        case head
        /// A request was answered; the next one may begin.
        case between
        /// A request is under way.
        case request
        /// It was told to end.
        case ending
    }

    private struct Entry {
        var stage: Stage
        var deadline: Instant?
        /// Which of those in its stage came first.
        var order: UInt64
    }

    private var entries: [ID: Entry] = [:]
    private var last: UInt64 = 0

    package init() {}

    package var count: Int { entries.count }

    /// How many are in a stage.
    package func count(of stage: Stage) -> Int { entries.values.count { $0.stage == stage } }

    /// When the first deadline is over; nil without one.
    package var next: Instant? { entries.values.lazy.compactMap(\.deadline).min() }

    package func stage(of id: ID) -> Stage? { entries[id]?.stage }

    /// Notes that a connection has got so far.
    /// - Parameter deadline: by when it has to be further; nil for no such time.
    package mutating func set(_ id: ID, _ stage: Stage, until deadline: Instant?) {
        last += 1
        entries[id] = Entry(stage: stage, deadline: deadline, order: last)
    }

    package mutating func remove(_ id: ID) { entries[id] = nil }

    /// The connection that came into one of these stages first, the first of the stages that has any.
    package func oldest(_ stages: Stage...) -> ID? {
        for stage in stages {
            let oldest = entries.lazy.filter { $0.value.stage == stage }.min { $0.value.order < $1.value.order }
            if let oldest { return oldest.key }
        }
        return nil
    }

    /// Marks a connection as ending, to make room: the one that has been sending its head for longest, or else the one
    /// that has been idle for longest. It never takes one with a request, because only our own page gets that far.
    /// - Returns: nil where there is none.
    package mutating func giveUp() -> ID? {
        guard let id = oldest(.head, .between) else { return nil }
        set(id, .ending, until: nil)
        return id
    }

    /// Marks the connections that have missed their deadline as ending, and returns them. The caller must end them now.
    package mutating func due(_ now: Instant) -> [ID] {
        let overdue = entries.filter { $0.value.deadline.map { $0 <= now } ?? false }
        for id in overdue.keys { set(id, .ending, until: nil) }
        return overdue.sorted { $0.value.order < $1.value.order }.map(\.key)
    }
}
