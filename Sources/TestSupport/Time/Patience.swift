import Basics
import Glibc

/// Waiting for what another process does.
public enum Patience {
    /// As long as a busy machine with few cores may take for anything small.
    public static let usual = Duration.seconds(20)

    /// Something did not come true in time.
    public struct Exhausted: Error, CustomStringConvertible {
        public let description: String
    }

    /// Asks again and again until the answer is not nil, at first every 2 ms, then every 50.
    ///
    /// - Parameters:
    ///   - what: what is waited for, as the end of "waited in vain for …".
    ///   - report: more to say if it does not come, such as a log.
    /// - Throws: ``Exhausted``, or what `condition` throws.
    @discardableResult
    public static func until<Value>(
        _ what: String, within limit: Duration = usual, report: @autoclosure () -> String = "",
        _ condition: () throws -> Value?
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
            pause = min(pause * 2, 50_000)
        }
    }

    /// As ``until(_:within:report:_:)-_``, for something that is true or not.
    public static func until(
        _ what: String, within limit: Duration = usual, report: @autoclosure () -> String = "",
        isTrue: () throws -> Bool
    ) throws {
        _ = try until(what, within: limit, report: report()) { try isTrue() ? true : nil }
    }

    /// Lets time pass, where that is what a test is about.
    public static func pause(_ length: Duration) { usleep(UInt32(clamping: length.nanoseconds / 1000)) }
}
