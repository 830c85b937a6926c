import Basics
import Glibc
import Synchronization

/// Lets those who talk go first. A scheduler that shares cores fairly gives a thread that computes at length its whole turn,
/// some milliseconds, before one that was just woken: on a machine whose cores are all busy with a file, each of the five or
/// six threads that a message passes may wait so long. So the threads that move files leave their core for a moment after each
/// piece, while messages are under way in this process, and only then.
public final class InteractivePriority: Sendable {
    /// The process has one.
    public static let shared = InteractivePriority()

    /// Until when somebody talks, in nanoseconds of the steady clock.
    private let until = Atomic<UInt64>(0)

    /// A message is under way. Cheap: for every one.
    public func claim() {
        until.store((SystemClocks().now + TransferLimits.interactivePriority).nanoseconds, ordering: .relaxed)
    }

    /// Between two pieces of a file.
    func give() {
        let until = until.load(ordering: .relaxed)
        guard until > 0, SystemClocks().now.nanoseconds < until else { return }
        usleep(TransferLimits.givingWayMicroseconds)
    }
}
