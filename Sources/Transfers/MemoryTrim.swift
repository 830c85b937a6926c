import Basics
import CLinux
import Reactor
import Runtime

/// Gives memory that is not in use back to the system once all transfers have been over for a moment: each has a thread, and the
/// list of a large folder leaves much that is free in what the allocator keeps for that thread.
@ReactorActor final class MemoryTrim {
    private let environment: Environment
    private var timer: TimerToken?

    init(environment: Environment) { self.environment = environment }

    /// The last transfer is over.
    /// - Parameter isIdle: whether none has begun since then.
    func rest(_ isIdle: @escaping @ReactorActor () -> Bool) {
        timer?.cancel()
        timer = Reactor.shared.schedule(at: environment.clocks.now + JobLimits.trimPause) { [environment] in
            if isIdle() { _ = environment.workers.files.submit { kibo_trim_memory() } }
        }
    }
}
