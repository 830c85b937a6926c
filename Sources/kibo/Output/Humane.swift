import Basics
import Glibc

/// Numbers and times as people say them.
enum Humane {
    /// `512 B`, `1.5 KiB`, `64.0 MiB`.
    static func size(_ bytes: Int64) -> String {
        let units = ["B", "KiB", "MiB", "GiB", "TiB", "PiB"]
        var value = Double(max(0, bytes))
        var unit = 0
        // From 1023.95 on one decimal would round up to 1024.0.
        while value >= (unit == 0 ? 1024 : 1023.95), unit < units.count - 1 {
            value /= 1024
            unit += 1
        }
        return unit == 0 ? "\(bytes < 0 ? 0 : bytes) B" : "\(oneDecimal(value)) \(units[unit])"
    }

    private static func oneDecimal(_ value: Double) -> String {
        let tenths = Int64((value * 10).rounded())
        return "\(tenths / 10).\(tenths % 10)"
    }

    /// `0:07`, `12:40`, `3:05:09`.
    static func clock(seconds: Int64) -> String { SpanText.clock(seconds: seconds) }

    /// `12 s`, `5 min`, `3 h 20 min`, `2 days 4 h`.
    static func span(milliseconds: Int64) -> String { SpanText.text(milliseconds: milliseconds) }

    /// How long ago something was: `now`, `40 s ago`, `5 min ago`, `3 h ago`, then the day in local time.
    static func ago(_ time: Int64, now: WallTime) -> String {
        let (age, overflow) = now.milliseconds.subtractingReportingOverflow(time)
        guard !overflow, age > -60_000, age < 7 * 86_400_000 else { return date(time, now: now) }
        switch age / 1000 {
        case ..<5: return "now"
        case ..<60: return "\(age / 1000) s ago"
        case ..<3600: return "\(age / 60_000) min ago"
        case ..<86_400: return "\(age / 3_600_000) h ago"
        case ..<172_800: return "yesterday"
        default: return "\(age / 86_400_000) days ago"
        }
    }

    /// The day in local time: `12 Mar`, with the year unless it is this one.
    static func date(_ time: Int64, now: WallTime) -> String {
        let thisYear = format(now.milliseconds, "%Y")
        let text = format(time, "%Y") == thisYear ? format(time, "%e %b") : format(time, "%e %b %Y")
        return String(text.drop { $0 == " " })
    }

    /// A heading for the messages of a day: `Today`, `Yesterday`, `Monday, 3 March 2025`.
    static func day(_ time: Int64, now: WallTime) -> String {
        let day = format(time, "%F")
        if day == format(now.milliseconds, "%F") { return "Today" }
        if day == format(now.milliseconds - 86_400_000, "%F") { return "Yesterday" }
        let name = format(time, "%A, %e %B %Y")
        return name.split(separator: " ").joined(separator: " ")
    }

    /// `14:02` in local time.
    static func timeOfDay(_ time: Int64) -> String { format(time, "%H:%M") }

    /// A moment in local time, as short as it can be: `14:02`, `12 Mar 14:02`, `12 Mar 2024 14:02`; to the millisecond
    /// where `precise`.
    static func moment(_ time: Int64, now: WallTime, precise: Bool = false) -> String {
        let isToday = format(time, "%F") == format(now.milliseconds, "%F")
        var clock = precise ? format(time, "%H:%M:%S") : timeOfDay(time)
        if precise {
            let rest = String(((time % 1000) + 1000) % 1000)
            clock += "." + String(repeating: "0", count: 3 - rest.count) + rest
        }
        return isToday ? clock : "\(date(time, now: now)) \(clock)"
    }

    /// By strftime(3) in local time; the C locale's words, which are English.
    static func format(_ time: Int64, _ pattern: String) -> String {
        var seconds = time_t(time / 1000)
        var parts = tm()
        guard localtime_r(&seconds, &parts) != nil else { return "?" }
        var buffer = [CChar](repeating: 0, count: 128)
        let count = strftime(&buffer, buffer.count, pattern, &parts)
        return String(decoding: buffer.prefix(count).map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    /// A moment for programs: `2026-11-27T08:30:00+0100`.
    static func exact(_ time: Int64) -> String { format(time, "%Y-%m-%dT%H:%M:%S%z") }

    /// `Ann`, `Ann and Ben`, `Ann, Ben and Carl`.
    static func list(_ words: [String]) -> String {
        guard let last = words.last, words.count > 1 else { return words.first ?? "" }
        return words.dropLast().joined(separator: ", ") + " and " + last
    }

    /// `1 peer`, `3 peers`.
    static func count(_ number: Int64, _ one: String, _ many: String? = nil) -> String {
        "\(number) \(number == 1 ? one : many ?? one + "s")"
    }
}
