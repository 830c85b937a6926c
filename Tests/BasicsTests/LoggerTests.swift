import Basics
import Synchronization
import Testing

@Suite("Logging") struct LoggerTests {
    final class Sink: LogSink {
        let level: LogLevel
        let records = Mutex<[LogRecord]>([])
        init(_ level: LogLevel) { self.level = level }
        func write(_ record: LogRecord) { records.withLock { $0.append(record) } }
    }

    @Test("levels are ordered as they are declared")
    func order() {
        #expect(LogLevel.allCases == LogLevel.allCases.sorted() && LogLevel.debug < .error)
    }

    @Test("the message of a line below the sink's level is not computed")
    func levels() {
        let sink = Sink(.notice)
        let logger = Logger(label: "one", sink: sink).labelled("two")
        func expensive() -> String {
            Issue.record("was put together")
            return ""
        }
        logger.info(expensive(), [("field", expensive())])
        logger.notice("kept", [("port", "5")])
        logger.error("too")
        let records = sink.records.withLock { $0 }
        #expect(records.map(\.message) == ["kept", "too"] && records.map(\.label) == ["two", "two"])
        #expect(records.first?.fields.first?.1 == "5")
    }
}
