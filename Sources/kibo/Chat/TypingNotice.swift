import Basics

/// Decides when to tell the others that we write, and that we stopped: at once, then no more often than they need to be
/// reminded, and off after a pause. Time goes in, news to tell comes out.
struct TypingNotice {
    /// The others take silence for an end after a while; by then they have heard again.
    static let reminder = Duration.seconds(4)
    /// A user who has not touched a key for this long is not writing.
    static let pause = Duration.seconds(6)

    private var lastKey: Instant?
    private var lastSaid: Instant?

    /// When ``tick(at:)`` wants to be called.
    var deadline: Instant? { lastKey.map { $0 + Self.pause } }

    /// The text was changed.
    ///
    /// - Returns: the news to tell; nil for none.
    mutating func edited(isComposing: Bool, at now: Instant) -> Bool? {
        guard isComposing else { return stop() }
        lastKey = now
        if let lastSaid, now - lastSaid < Self.reminder { return nil }
        lastSaid = now
        return true
    }

    /// Time has passed.
    mutating func tick(at now: Instant) -> Bool? {
        guard let deadline, now >= deadline else { return nil }
        return stop()
    }

    /// The message is sent, or given up.
    mutating func stop() -> Bool? {
        defer {
            lastKey = nil
            lastSaid = nil
        }
        return lastKey == nil ? nil : false
    }
}
