import Basics
import Glibc
import Threads

/// How log lines look.
public enum LogFormat: String, CaseIterable, Sendable {
    case text, json
}

/// Writes log lines to standard error, one `write` a line, as text for people or JSON for machines. Foreign text in
/// fields is escaped. In the journal each line has its priority, and text has no time, because the journal notes both.
///
/// A reader that has stalled (a pager, a terminal where the user pressed Control-S) must not stop the daemon. Lines
/// that it doesn't take are left out, and their number is told when it goes on.
public final class StandardErrorSink: LogSink {
    private struct Output {
        /// Lines that were not taken since the last one that was.
        var leftOut = 0
        /// Warnings and errors since the start, also those that were left out.
        var written: [LogLevel: UInt64] = [:]
        /// The last line that went out did so only in part.
        var isCut = false
    }

    private let state: Lock<(level: LogLevel, format: LogFormat)>
    /// Held while a line is written. A caller that only asks for the level doesn't wait for it.
    private let output = Lock(Output())
    private let clocks = SystemClocks()
    private let descriptor: CInt
    private let isJournal: Bool

    /// - Parameter descriptor: standard error, except in tests.
    public init(level: LogLevel, format: LogFormat, descriptor: CInt = STDERR_FILENO) {
        state = Lock((level, format))
        self.descriptor = descriptor
        isJournal = Journal.reads(descriptor)
    }

    public var level: LogLevel { state.withLock { $0.level } }

    /// Takes what SIGHUP changes.
    public func change(level: LogLevel, format: LogFormat) {
        state.withLock { $0 = (level, format) }
    }

    /// How many lines of a level there were since the start; only warnings and errors are counted.
    public func written(_ level: LogLevel) -> UInt64 { output.withLock { $0.written[level] ?? 0 } }

    public func write(_ record: LogRecord) {
        let format = state.withLock { $0.format }
        let line = words(record, format)
        output.withLock { output in
            if record.level >= .warning { output.written[record.level, default: 0] &+= 1 }
            if output.leftOut > 0 {
                let note = LogRecord(
                    level: .warning, label: "log", message: "lines were left out: nobody read them",
                    fields: [("lines", "\(output.leftOut)")])
                guard send((output.isCut ? "\n" : "") + words(note, format), &output) else {
                    output.leftOut += 1
                    return
                }
                output.leftOut = 0
            }
            if !send(line, &output) { output.leftOut += 1 }
        }
    }

    private func words(_ record: LogRecord, _ format: LogFormat) -> String {
        let prefix = isJournal ? record.level.journalPrefix : ""
        return switch format {
        case .text: prefix + text(record)
        case .json: prefix + json(record)
        }
    }

    /// Returns false if the reader doesn't take the line, or not all of it. A pipe that can be written to takes as much
    /// as one piece. A reader that is known to have stalled isn't waited for.
    private func send(_ line: String, _ output: inout Output) -> Bool {
        var rest = (Array(line.utf8) + [UInt8(ascii: "\n")])[...]
        let length = rest.count
        while !rest.isEmpty {
            var poller = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
            let ready = poll(&poller, 1, output.leftOut > 0 ? 0 : RuntimeLimits.logPatience)
            if ready < 0, errno == EINTR { continue }
            let piece = rest.prefix(Int(PIPE_BUF))
            let written =
                ready > 0 ? piece.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) } : 0
            if written < 0, errno == EINTR { continue }
            guard written > 0 else {
                // If a log can't be written, there is nowhere to report it.
                if rest.count < length { output.isCut = true }
                return ready > 0 && written < 0 && errno != EAGAIN
            }
            rest = rest.dropFirst(written)
        }
        output.isCut = false
        return true
    }

    private func text(_ record: LogRecord) -> String {
        var line =
            (isJournal ? "" : clocks.wallTime.utcText + " ") + record.level.rawValue + " " + record.label + ": "
            + ForeignText.escaped(record.message)
        for (name, value) in record.fields {
            let isPlain = !value.isEmpty && !value.utf8.contains { $0 == 0x20 || $0 == UInt8(ascii: "\"") }
            line += " " + name + "=" + (isPlain ? ForeignText.escaped(value) : quoted(value))
        }
        return line
    }

    private func json(_ record: LogRecord) -> String {
        var line =
            "{\"at\":\"\(clocks.wallTime.utcText)\",\"level\":\"\(record.level.rawValue)\",\"label\":\(quoted(record.label))"
        line += ",\"message\":" + quoted(record.message)
        for (name, value) in record.fields { line += "," + quoted(name) + ":" + quoted(value) }
        return line + "}"
    }

    private func quoted(_ text: String) -> String {
        var out = "\""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"": out += "\\\""
            case "\\": out += "\\\\"
            default:
                if ForeignText.isHostile(scalar, multiline: false) {
                    for unit in String(scalar).utf16 {
                        let hex = String(unit, radix: 16)
                        out += "\\u" + String(repeating: "0", count: 4 - hex.count) + hex
                    }
                } else {
                    out.unicodeScalars.append(scalar)
                }
            }
        }
        return out + "\""
    }
}
