import Basics
import Glibc

/// A moment as a person types it: `2026-11-21`, `2026-11-21 14:00`, `14:00` (today), `today`, `yesterday`. It is local time.
enum Moment {
    static let allowed = "a day such as 2026-11-21, a day with a time (\"2026-11-21 14:00\"), 14:00, today or yesterday"

    /// Milliseconds since 1970; nil for other words.
    static func read(_ word: String, now: WallTime) -> Int64? {
        switch word.lowercased() {
        case "today": return day(now.milliseconds, ahead: 0)
        case "yesterday": return day(now.milliseconds, ahead: -1)
        default: break
        }
        let parts = word.split { $0 == " " || $0 == "T" }.map(String.init)
        guard (1...2).contains(parts.count) else { return nil }
        if parts.count == 1, let clock = clock(parts[0]) {
            return local(now.milliseconds).flatMap { milliseconds($0, clock) }
        }
        guard let date = date(parts[0]) else { return nil }
        return parts.count == 1 ? milliseconds(date, (0, 0)) : clock(parts[1]).flatMap { milliseconds(date, $0) }
    }

    private static func local(_ time: Int64) -> tm? {
        var seconds = time_t(time / 1000)
        var parts = tm()
        return localtime_r(&seconds, &parts) == nil ? nil : parts
    }

    /// The beginning of the day that is some days after that of a time; nil if there is none.
    static func day(_ time: Int64, ahead: Int) -> Int64? {
        guard var parts = local(time) else { return nil }
        parts.tm_mday += CInt(ahead)
        (parts.tm_hour, parts.tm_min, parts.tm_sec, parts.tm_isdst) = (0, 0, 0, -1)
        let seconds = mktime(&parts)
        return seconds >= 0 ? Int64(seconds) * 1000 : nil
    }

    private static func number(_ text: Substring, _ range: ClosedRange<CInt>, digits: ClosedRange<Int>) -> CInt? {
        guard digits.contains(text.utf8.count), text.allSatisfy({ $0.isASCII && $0.isNumber }) else { return nil }
        return CInt(text).flatMap { range.contains($0) ? $0 : nil }
    }

    private static func clock(_ text: String) -> (CInt, CInt)? {
        let parts = text.split(separator: ":", omittingEmptySubsequences: false)
        guard parts.count == 2, let hour = number(parts[0], 0...23, digits: 1...2),
            let minute = number(parts[1], 0...59, digits: 2...2)
        else { return nil }
        return (hour, minute)
    }

    private static func date(_ text: String) -> tm? {
        let parts = text.split(separator: "-", omittingEmptySubsequences: false)
        guard parts.count == 3, let year = number(parts[0], 1970...9999, digits: 4...4),
            let month = number(parts[1], 1...12, digits: 1...2), let day = number(parts[2], 1...31, digits: 1...2)
        else { return nil }
        var date = tm()
        (date.tm_year, date.tm_mon, date.tm_mday) = (year - 1900, month - 1, day)
        return date
    }

    private static func milliseconds(_ date: tm, _ clock: (CInt, CInt)) -> Int64? {
        var parts = date
        (parts.tm_hour, parts.tm_min, parts.tm_sec) = (clock.0, clock.1, 0)
        // The time zone's rules say whether it is summer time then.
        parts.tm_isdst = -1
        let day = parts.tm_mday
        let seconds = mktime(&parts)
        // The 31st of a shorter month is none.
        guard seconds >= 0, parts.tm_mday == day else { return nil }
        return Int64(seconds) * 1000
    }
}
