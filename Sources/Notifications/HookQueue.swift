import Basics

/// The runs that wait for the hook command: one goes at a time, in order, and one that fails is tried again. A value without I/O.
package struct HookQueue: Sendable {
    /// One run of the command.
    package struct Job: Hashable, Sendable {
        package let input: [UInt8]
        /// How often the command was run for it.
        package fileprivate(set) var attempts = 0
    }

    /// What became of a run.
    package enum Outcome: Hashable, Sendable {
        case done
        /// The run has failed and is tried again.
        case failed
        case givenUp
    }

    private var waiting: [Job] = []
    private var bytes = 0
    private var running: Job?
    private var notBefore: Instant?
    /// Events that were left out because too many waited.
    package private(set) var leftOut: UInt64 = 0
    /// Runs that have failed since one has succeeded.
    package private(set) var failures: UInt64 = 0
    /// Why the last run failed; nil once one has succeeded.
    package private(set) var problem: String?

    package init() {}

    /// How many jobs wait or run.
    package var count: Int { waiting.count + (running == nil ? 0 : 1) }
    package var isRunning: Bool { running != nil }

    /// Adds something to tell the command.
    /// - Returns: how many of the oldest jobs were left out to make room.
    @discardableResult
    package mutating func put(_ input: [UInt8]) -> UInt64 {
        waiting.append(Job(input: input))
        bytes += input.count
        var out: UInt64 = 0
        while waiting.count > NotificationLimits.hookQueue || bytes > NotificationLimits.hookBytes, !waiting.isEmpty {
            bytes -= waiting.removeFirst().input.count
            out += 1
        }
        leftOut += out
        return out
    }

    /// Returns the run that is to begin now; the caller tells its end by ``ended(_:now:)``.
    package mutating func next(now: Instant) -> Job? {
        guard running == nil, !waiting.isEmpty, notBefore.map({ $0 <= now }) ?? true else { return nil }
        var job = waiting.removeFirst()
        bytes -= job.input.count
        job.attempts += 1
        running = job
        notBefore = nil
        return job
    }

    /// Notes the end of the run.
    /// - Parameter problem: why it failed, a phrase for people; nil if it did its work.
    package mutating func ended(_ problem: String?, now: Instant) -> Outcome {
        guard let job = running else { return .done }
        running = nil
        guard let problem else {
            self.problem = nil
            failures = 0
            return .done
        }
        self.problem = problem
        failures += 1
        let pauses = NotificationLimits.hookPauses
        guard job.attempts <= pauses.count else { return .givenUp }
        notBefore = now + pauses[job.attempts - 1]
        waiting.insert(job, at: 0)
        bytes += job.input.count
        return .failed
    }

    /// Forgets the waiting jobs, because the command was removed or replaced.
    package mutating func forget() {
        waiting = []
        bytes = 0
        notBefore = nil
        problem = nil
        failures = 0
    }

    /// The time at which ``next(now:)`` has something; nil while one runs or nothing waits.
    package var nextDeadline: Instant? {
        running == nil && !waiting.isEmpty ? notBefore ?? Instant(nanoseconds: 0) : nil
    }
}
