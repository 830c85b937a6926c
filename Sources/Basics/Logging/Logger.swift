/// How much a log line matters.
public enum LogLevel: String, CaseIterable, Comparable, Sendable {
    case trace, debug, info, notice, warning, error

    public static func < (left: LogLevel, right: LogLevel) -> Bool { left.rank < right.rank }
    private var rank: Int { Self.allCases.firstIndex(of: self) ?? 0 }
}

/// One line of the log. Its fields never hold secrets or message texts.
public struct LogRecord: Sendable {
    public let level: LogLevel
    /// The module that writes the line: `session`, `discovery`, …
    public let label: String
    public let message: String
    public let fields: [(String, String)]

    public init(level: LogLevel, label: String, message: String, fields: [(String, String)]) {
        self.level = level
        self.label = label
        self.message = message
        self.fields = fields
    }
}

/// Where log lines go: standard error in the daemon, an array in tests.
public protocol LogSink: Sendable {
    var level: LogLevel { get }
    func write(_ record: LogRecord)
}

/// A label and a sink. A line below the sink's level costs one comparison.
public struct Logger: Sendable {
    public let label: String
    private let sink: any LogSink

    public init(label: String, sink: any LogSink) {
        self.label = label
        self.sink = sink
    }

    /// The same sink under another label.
    public func labelled(_ label: String) -> Logger { Logger(label: label, sink: sink) }

    public func log(
        _ level: LogLevel, _ message: @autoclosure () -> String,
        _ fields: @autoclosure () -> [(String, String)] = []
    ) {
        guard level >= sink.level else { return }
        sink.write(LogRecord(level: level, label: label, message: message(), fields: fields()))
    }

    /// Whether lines of the level trace are written.
    public var isTracing: Bool { sink.level <= .trace }

    public func trace(_ message: @autoclosure () -> String, _ fields: @autoclosure () -> [(String, String)] = []) {
        log(.trace, message(), fields())
    }
    public func debug(_ message: @autoclosure () -> String, _ fields: @autoclosure () -> [(String, String)] = []) {
        log(.debug, message(), fields())
    }
    public func info(_ message: @autoclosure () -> String, _ fields: @autoclosure () -> [(String, String)] = []) {
        log(.info, message(), fields())
    }
    public func notice(_ message: @autoclosure () -> String, _ fields: @autoclosure () -> [(String, String)] = []) {
        log(.notice, message(), fields())
    }
    public func warning(_ message: @autoclosure () -> String, _ fields: @autoclosure () -> [(String, String)] = []) {
        log(.warning, message(), fields())
    }
    public func error(_ message: @autoclosure () -> String, _ fields: @autoclosure () -> [(String, String)] = []) {
        log(.error, message(), fields())
    }
}
