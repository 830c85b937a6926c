import Basics

/// Which of the changes that were refused are tried again, and when. A value: it knows keys, not what they do.
///
/// One is tried after a pause that doubles. When it is stored, the disk is well again and all others follow at once. A
/// newer change under the same key takes the place of the older one.
struct CommitBacklog<Key: Hashable & Sendable>: Sendable {
    /// The keys of the changes to submit now.
    typealias Attempts = [Key]

    private struct Entry {
        var number: UInt64
        var isWaiting = false
    }

    /// Changes that are not stored yet: on their way to the store, or waiting.
    private var entries: [Key: Entry] = [:]
    /// Keys of the changes that wait, the oldest first.
    private var line: [Key] = []
    private var lastNumber: UInt64 = 0
    private var pause: Duration
    private let limits: Limits
    /// When the oldest is tried again; nil while none waits.
    private(set) var nextDeadline: Instant?

    struct Limits: Sendable {
        /// How many changes may be in the backlog at the same time.
        package let count: Int
        let firstPause: Duration
        let longestPause: Duration
    }

    init(_ limits: Limits) {
        self.limits = limits
        pause = limits.firstPause
    }

    /// Changes that are not stored yet.
    var count: Int { entries.count }

    /// A change is submitted.
    /// - Returns: the number of this change; nil if there are too many that could not be stored.
    mutating func begin(_ key: Key) -> UInt64? {
        guard entries[key] != nil || entries.count < limits.count else { return nil }
        forgetWaiting(key)
        lastNumber += 1
        entries[key] = Entry(number: lastNumber)
        return lastNumber
    }

    /// A change is stored.
    /// - Parameter hasWritten: whether the disk has taken something. A change that only reads doesn't show that the
    ///   disk is well.
    /// - Returns: what has waited for the disk to be well.
    mutating func stored(_ key: Key, _ number: UInt64, hasWritten: Bool = true) -> Attempts {
        if entries[key]?.number == number { entries[key] = nil }
        guard hasWritten else { return [] }
        pause = limits.firstPause
        nextDeadline = nil
        let all = line
        line = []
        for key in all { entries[key]?.isWaiting = false }
        return all
    }

    /// A change was refused for a reason that may pass.
    /// - Returns: whether it waits. It does not if a newer one has taken its place, or if it was forgotten.
    mutating func refused(_ key: Key, _ number: UInt64, now: Instant) -> Bool {
        guard entries[key]?.number == number else { return false }
        if entries[key]?.isWaiting == false {
            entries[key]?.isWaiting = true
            line.append(key)
        }
        guard nextDeadline == nil else { return true }
        nextDeadline = now + pause
        pause = min(pause * 2, limits.longestPause)
        return true
    }

    /// A change can never be stored. A newer one that has taken its place stays, and others that wait have their turn.
    mutating func forget(_ key: Key, _ number: UInt64, now: Instant) {
        guard entries[key]?.number == number else { return }
        forgetWaiting(key)
        entries[key] = nil
        nextDeadline = line.isEmpty ? nil : nextDeadline ?? now + pause
    }

    private mutating func forgetWaiting(_ key: Key) {
        if entries[key]?.isWaiting == true { line.removeAll { $0 == key } }
    }

    mutating func tick(now: Instant) -> Attempts {
        guard let deadline = nextDeadline, deadline <= now else { return [] }
        nextDeadline = nil
        guard !line.isEmpty else { return [] }
        let key = line.removeFirst()
        entries[key]?.isWaiting = false
        return [key]
    }
}
