import Basics

/// The notifications that are shown or wait, and when each may be shown: one in each place, and there at most one a
/// second. A value without I/O.
package struct NotificationBoard: Sendable {
    /// What kibo-notify is to do next.
    package enum Order: Hashable, Sendable {
        case show(Notification)
        case close(NotificationPlace)
    }

    private struct Entry {
        var notification: Notification
        /// The notification that is shown; nil if none is.
        var shown: Notification?
        /// Whether there is something new that is not shown yet.
        var isWaiting: Bool
        /// When a notification was last shown here.
        var shownAt: Instant?
        /// Grows with each notification, to find the oldest entry.
        var number: UInt64
    }

    private var entries: [NotificationPlace: Entry] = [:]
    private var closing: [NotificationPlace] = []
    private var lastShown: Instant?
    private var number: UInt64 = 0
    /// How many places made room for others.
    package private(set) var left: UInt64 = 0

    package init() {}

    /// How many places have a notification that is shown or waits.
    package var places: Int { entries.count }

    /// Returns the notification that is shown at a place; nil if there is none.
    package func shown(at place: NotificationPlace) -> Notification? { entries[place]?.shown }

    package func has(_ place: NotificationPlace) -> Bool { entries[place] != nil }

    /// The conversations that have a notification or wait for one, each with its newest message.
    package var messages: [(place: NotificationPlace, message: UUIDv7)] {
        entries.compactMap { place, entry in entry.notification.messages.map { (place, $0.newest) } }
    }

    /// Adds a notification of something new.
    package mutating func add(_ notification: Notification) {
        let place = notification.place
        number += 1
        closing.removeAll { $0 == place }
        var new = notification
        let old = entries[place]
        // The words of a sum have the number already.
        if let old, new.ring == nil, place != .requests { new.count += old.notification.count }
        if let arrival = old?.notification.messages?.arrival, let own = new.messages?.arrival {
            new.messages?.arrival = max(arrival, own)
        }
        entries[place] = Entry(
            notification: new, shown: old?.shown, isWaiting: true, shownAt: old?.shownAt, number: number)
        guard entries.count > NotificationLimits.places,
            // A call that rings makes no room for others.
            let oldest = entries.filter({ $1.notification.ring == nil })
                .min(by: { $0.value.number < $1.value.number })?.key
        else { return }
        left += 1
        withdraw(oldest)
    }

    /// Withdraws the notification of a place, which is of no use any more because the user has seen it elsewhere.
    package mutating func withdraw(_ place: NotificationPlace) {
        guard let entry = entries.removeValue(forKey: place), entry.shown != nil else { return }
        closing.append(place)
    }

    /// Withdraws all notifications, those that are shown and those that wait.
    package mutating func withdrawAll() {
        for place in entries.keys.sorted(by: { $0.tag < $1.tag }) { withdraw(place) }
    }

    /// Notes that the user has closed a notification, or pressed one of its buttons. What has come since it was shown
    /// still waits.
    /// - Parameter isOpen: whether the notification may still be on the screen.
    package mutating func wasSeen(_ place: NotificationPlace, isOpen: Bool = false) {
        guard let entry = entries[place] else { return }
        if isOpen, entry.shown != nil { closing.append(place) }
        guard entry.isWaiting else {
            entries[place] = nil
            return
        }
        entries[place]?.notification.count -= entry.shown?.count ?? 0
        entries[place]?.shown = nil
    }

    /// Notes that the server or kibo-notify has gone, and with it all that it has shown. Only a call that rings is shown again.
    /// - Parameter underWay: the place of a notification that was handed over and is not answered yet: whether it is
    ///   shown, by another server, its answer says.
    package mutating func nothingIsShown(but underWay: NotificationPlace? = nil) {
        closing = []
        for (place, entry) in entries where place != underWay {
            guard entry.notification.ring != nil else {
                wasSeen(place)
                continue
            }
            entries[place]?.isWaiting = true
            entries[place]?.shown = nil
        }
    }

    /// Notes that the server did not take a notification: it waits again, unless it was withdrawn meanwhile.
    package mutating func wasRefused(_ notification: Notification) {
        guard entries[notification.place] != nil else { return }
        entries[notification.place]?.isWaiting = true
        entries[notification.place]?.shown = nil
    }

    /// Returns what kibo-notify is to do now; nil if there is nothing. The caller has it done before it asks again.
    package mutating func next(now: Instant) -> Order? {
        if !closing.isEmpty { return .close(closing.removeFirst()) }
        guard let (place, entry) = first, due(entry) <= now else { return nil }
        entries[place]?.isWaiting = false
        entries[place]?.shown = entry.notification
        entries[place]?.shownAt = now
        lastShown = now
        return .show(entry.notification)
    }

    /// The time at which ``next(now:)`` has something; nil if nothing waits.
    package var nextDeadline: Instant? {
        closing.isEmpty ? first.map { due($0.value) } : Instant(nanoseconds: 0)
    }

    /// The entry that is shown next: a call that rings comes before all else.
    private var first: (key: NotificationPlace, value: Entry)? {
        let waiting = entries.filter { $1.isWaiting }
        let ringing = waiting.filter { $1.notification.ring != nil }
        return (ringing.isEmpty ? waiting : ringing).min {
            (due($0.value), $0.value.number) < (due($1.value), $1.value.number)
        }
    }

    private func due(_ entry: Entry) -> Instant {
        let start = Instant(nanoseconds: 0)
        return max(
            entry.shownAt.map { $0 + NotificationLimits.samePlace } ?? start,
            lastShown.map { $0 + NotificationLimits.anyPlace } ?? start)
    }
}
