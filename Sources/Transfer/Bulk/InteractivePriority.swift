import Basics
import Glibc
import Synchronization

/// Lets messages go before files. A fair scheduler gives a thread that computes at length its whole turn, some
/// milliseconds, before a thread that was just woken. On a machine whose cores are all busy with a file, each of the
/// five or six threads that a message passes may wait that long. So the threads that move files leave their core for a
/// moment after each piece, but only while messages are under way in this process.
public final class InteractivePriority: Sendable {
    /// The process's only instance.
    public static let shared = InteractivePriority()

    /// The end of the messages' priority, in nanoseconds of the steady clock.
    private let until = Atomic<UInt64>(0)

    /// Reports that a message is under way. It is cheap enough to be called for every message.
    public func claim() {
        until.store((SystemClocks().now + TransferLimits.interactivePriority).nanoseconds, ordering: .relaxed)
    }

    /// Gives way to messages; called between two pieces of a file.
    func give() {
        let until = until.load(ordering: .relaxed)
        guard until > 0, SystemClocks().now.nanoseconds < until else { return }
        usleep(TransferLimits.givingWayMicroseconds)
    }
}
