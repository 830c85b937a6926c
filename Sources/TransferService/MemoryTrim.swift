import Basics
import CLinux
import Reactor
import Runtime

/// Gives unused memory back to the system once all transfers have been over for a moment. Each transfer has a thread,
/// and after the list of a large folder the allocator keeps much free memory for that thread.
@ReactorActor final class MemoryTrim {
    private let environment: Environment
    private var timer: TimerToken?

    init(environment: Environment) { self.environment = environment }

    /// Call when the last transfer is over.
    /// - Parameter isIdle: whether none has begun since then.
    func rest(_ isIdle: @escaping @ReactorActor () -> Bool) {
        timer?.cancel()
        timer = Reactor.shared.schedule(at: environment.clocks.now + TransferServiceLimits.trimPause) { [environment] in
            if isIdle() { _ = environment.workers.files.submit { kibo_trim_memory() } }
        }
    }
}
