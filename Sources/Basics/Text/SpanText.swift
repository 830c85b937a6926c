/// Spans of time as text for people.
public enum SpanText {
    /// `12 s`, `5 min`, `3 h 20 min`, `2 days 4 h`. A negative span reads as zero.
    public static func text(milliseconds: Int64) -> String {
        let seconds = max(0, milliseconds) / 1000
        switch seconds {
        case ..<60: return "\(seconds) s"
        case ..<3600: return "\(seconds / 60) min"
        case ..<86_400:
            let minutes = seconds / 60 % 60
            return "\(seconds / 3600) h" + (minutes > 0 ? " \(minutes) min" : "")
        default:
            let (days, hours) = (seconds / 86_400, seconds / 3600 % 24)
            return (days == 1 ? "1 day" : "\(days) days") + (hours > 0 ? " \(hours) h" : "")
        }
    }

    /// `0:07`, `12:40`, `3:05:09`. A negative span reads as zero.
    public static func clock(seconds: Int64) -> String {
        let seconds = max(0, seconds)
        let (hours, minutes, rest) = (seconds / 3600, seconds / 60 % 60, seconds % 60)
        return hours > 0 ? "\(hours):\(two(minutes)):\(two(rest))" : "\(minutes):\(two(rest))"
    }

    private static func two(_ number: Int64) -> String { number < 10 ? "0\(number)" : "\(number)" }
}
