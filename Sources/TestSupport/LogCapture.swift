import Basics
import Threads

/// A log that is kept in memory, so that a test can read what was logged.
public final class LogCapture: LogSink {
    public let level: LogLevel
    private let kept = Lock<[LogRecord]>([])

    public init(level: LogLevel = .trace) { self.level = level }

    public func write(_ record: LogRecord) { kept.withLock { $0.append(record) } }

    /// All lines so far, in the order in which they came.
    public var records: [LogRecord] { kept.withLock { $0 } }

    /// The lines of at least this level whose message contains the text.
    public func lines(containing text: String = "", atLeast level: LogLevel = .trace) -> [LogRecord] {
        records.filter { $0.level >= level && contains($0.message, text) }
    }

    /// Makes a logger that writes here.
    public func logger(_ label: String = "test") -> Logger { Logger(label: label, sink: self) }

    private func contains(_ message: String, _ text: String) -> Bool {
        text.isEmpty || message.firstRange(of: text) != nil
    }
}
