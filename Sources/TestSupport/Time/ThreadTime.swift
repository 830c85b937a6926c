import Basics
import Glibc

/// Processor time of the calling thread: what a piece of work costs, independent of other programs.
public enum ThreadTime {
    /// The time since the thread began. Take both ends of a measurement on the same thread, without a suspension in
    /// between.
    public static var now: Duration {
        var time = timespec()
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
        return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
    }
}
