import Basics
import Glibc

/// Waiting for another process.
public enum Patience {
    /// The time that a busy machine with few cores may take for anything small.
    public static let usual = Duration.seconds(40)

    /// A condition that did not come true in time.
    public struct Exhausted: Error, CustomStringConvertible {
        public let description: String
    }

    /// Calls `condition` again and again until its result is not nil: at first after 2 ms, then less and less often.
    ///
    /// - Parameters:
    ///   - what: the awaited condition, as the end of "waited in vain for …".
    ///   - longest: the longest time between two calls. A benchmark takes a short one, because it measures no finer than this.
    ///   - report: more text for the failure, such as a log.
    /// - Throws: ``Exhausted``, or what `condition` throws.
    @discardableResult
    public static func until<Value>(
        _ what: String, within limit: Duration = usual, atLeastEvery longest: Duration = .milliseconds(200),
        report: @autoclosure () -> String = "", _ condition: () throws -> Value?
    ) throws -> Value {
        let clocks = SystemClocks()
        let begin = clocks.now
        var pause: UInt32 = 2_000
        while true {
            if let value = try condition() { return value }
            guard clocks.now - begin < limit else {
                throw Exhausted(description: "waited in vain for \(what), \(limit)\n\(report())")
            }
            usleep(pause)
            // Each check takes processor time away from what is being waited for.
            pause = min(pause * 3 / 2, UInt32(clamping: longest.nanoseconds / 1000))
        }
    }

    /// Like ``until(_:within:atLeastEvery:report:_:)``, for a condition that is true or false.
    public static func until(
        _ what: String, within limit: Duration = usual, atLeastEvery longest: Duration = .milliseconds(200),
        report: @autoclosure () -> String = "", isTrue: () throws -> Bool
    ) throws {
        _ = try until(what, within: limit, atLeastEvery: longest, report: report()) { try isTrue() ? true : nil }
    }

    /// Lets time pass, for tests that are about time.
    public static func pause(_ length: Duration) { usleep(UInt32(clamping: length.nanoseconds / 1000)) }
}
