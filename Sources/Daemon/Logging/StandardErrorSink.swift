import Basics
import Glibc
import Threads

/// Writes log lines to standard error, one `write` a line, as text for people or JSON for machines. Foreign text in
/// fields is escaped.
public final class StandardErrorSink: LogSink {
    private let state: Lock<(level: LogLevel, format: LogFormat)>
    private let clocks = SystemClocks()

    public init(level: LogLevel, format: LogFormat) {
        state = Lock((level, format))
    }

    public var level: LogLevel { state.withLock { $0.level } }

    /// For SIGHUP.
    public func change(level: LogLevel, format: LogFormat) {
        state.withLock { $0 = (level, format) }
    }

    public func write(_ record: LogRecord) {
        let line: String
        switch state.withLock({ $0.format }) {
        case .text: line = text(record)
        case .json: line = json(record)
        }
        var bytes = Array(line.utf8)
        bytes.append(UInt8(ascii: "\n"))
        var rest = bytes[...]
        while !rest.isEmpty {
            let written = rest.withUnsafeBytes { Glibc.write(STDERR_FILENO, $0.baseAddress, $0.count) }
            if written < 0, errno == EINTR { continue }
            // A log that can't be written has nobody to tell.
            guard written > 0 else { return }
            rest = rest.dropFirst(written)
        }
    }

    private func timestamp() -> String {
        let wall = clocks.wallTime.milliseconds
        var seconds = time_t(wall / 1000)
        var parts = tm()
        gmtime_r(&seconds, &parts)
        func pad(_ value: Int, _ width: Int) -> String {
            let text = String(value)
            return String(repeating: "0", count: max(0, width - text.utf8.count)) + text
        }
        return pad(Int(parts.tm_year) + 1900, 4) + "-" + pad(Int(parts.tm_mon) + 1, 2) + "-"
            + pad(Int(parts.tm_mday), 2)
            + "T" + pad(Int(parts.tm_hour), 2) + ":" + pad(Int(parts.tm_min), 2) + ":" + pad(Int(parts.tm_sec), 2) + "."
            + pad(Int(wall % 1000), 3) + "Z"
    }

    private func text(_ record: LogRecord) -> String {
        var line =
            timestamp() + " " + record.level.rawValue + " " + record.label + ": " + ForeignText.escaped(record.message)
        for (name, value) in record.fields {
            let isPlain = !value.isEmpty && !value.utf8.contains { $0 == 0x20 || $0 == UInt8(ascii: "\"") }
            line += " " + name + "=" + (isPlain ? ForeignText.escaped(value) : quoted(value))
        }
        return line
    }

    private func json(_ record: LogRecord) -> String {
        var line = "{\"at\":\"\(timestamp())\",\"level\":\"\(record.level.rawValue)\",\"label\":\(quoted(record.label))"
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
