import Basics

/// How far off a moment is, for the story of a message.
enum Spans {
    static func ago(_ time: WallTime, now: WallTime) -> String {
        let span = now.milliseconds - min(time.milliseconds, now.milliseconds)
        return span < 1000 ? "just now" : SpanText.text(milliseconds: span) + " ago"
    }

    static func until(_ time: WallTime, now: WallTime) -> String {
        let span = time.milliseconds - now.milliseconds
        return span < 1000 ? "now" : "in " + SpanText.text(milliseconds: span)
    }
}
