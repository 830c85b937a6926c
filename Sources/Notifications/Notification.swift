import Basics
import ControlProtocol
import Store
import Vocabulary

/// The chat, request or call that a notification is about. A new notification takes the place of the earlier one about the same.
package enum NotificationPlace: Hashable, Sendable {
    case conversation(UUIDv7)
    /// An account that asks to be a friend.
    case request(AccountID)
    /// All further accounts that ask.
    case requests
    /// A call that rings.
    case call(UUIDv7)
    /// An account whose words are put off.
    case putOff(AccountID)
    /// What devices offer that are no peers.
    case guests

    /// The name by which kibo-notify knows the place.
    package var tag: String {
        switch self {
        case .conversation(let id): "c\(id)"
        case .request(let account): "r\(account)"
        case .requests: "m"
        case .call(let id): "k\(id)"
        case .putOff(let account): "p\(account)"
        case .guests: "g"
        }
    }

    package init?(tag: String) {
        let rest = String(tag.dropFirst())
        switch tag.first {
        case "c":
            guard let id = UUIDv7(rest) else { return nil }
            self = .conversation(id)
        case "r":
            guard let account = AccountID(rest) else { return nil }
            self = .request(account)
        case "m": self = .requests
        case "g": self = .guests
        case "k":
            guard let id = UUIDv7(rest) else { return nil }
            self = .call(id)
        case "p":
            guard let account = AccountID(rest) else { return nil }
            self = .putOff(account)
        default: return nil
        }
    }
}

/// A notification that tells the user about one place.
package struct Notification: Hashable, Sendable {
    package let place: NotificationPlace
    package let title: Title
    package let body: String
    /// The messages that it stands for; nil if it is about anything else.
    package var messages: Messages?
    /// How a call rings; nil if it is about anything else.
    package var ring: Ring?
    /// How many messages it stands for.
    package var count = 1

    /// Messages of one conversation.
    package struct Messages: Hashable, Sendable {
        /// The message whose words it shows.
        package var newest: UUIDv7
        /// The last message of the conversation, and the greatest arrival: what is up to them is marked as read with the notification.
        package var last: UUIDv7
        package var arrival: Int64

        package init(newest: UUIDv7, last: UUIDv7, arrival: Int64) {
            self.newest = newest
            self.last = last
            self.arrival = arrival
        }
    }

    /// A title: words of the program, and names in them that ``NotificationText`` has made harmless.
    package struct Title: Hashable, Sendable, ExpressibleByStringLiteral {
        package let text: String

        package init(stringLiteral text: String) { self.text = text }

        /// - Parameter text: words in which each name went through ``NotificationText``.
        fileprivate init(safe text: String) { self.text = text }
    }

    /// Whether a call is heard as well as seen.
    package enum Ring: String, Sendable {
        case aloud, silently
    }

    /// - Parameter body: words of others.
    package init(
        place: NotificationPlace, title: Title, body: String, messages: Messages? = nil, ring: Ring? = nil
    ) {
        self.place = place
        self.ring = ring
        self.title = title
        self.body = NotificationText.body(body)
        self.messages = messages
    }

    /// The body, after the number of messages if there are several. The number is not in the title, because the title
    /// contains names, and a name could look like a title with a number.
    package var fullBody: String { count > 1 ? "\(count) messages\n\(body)" : body }
}

/// The words of notifications. They are English: the daemon doesn't know the user's language.
enum NotificationText {
    static let hidden = "New message"
    static let hiddenTitle: Notification.Title = "Kibo"
    static let read = "Mark as read"
    static let reply = "Reply"
    static let request = "wants to be your friend"
    static let hiddenRequest = "Somebody wants to be your friend"
    static let hiddenGuest = "A device on your network wants to give you something"
    /// What a device offers that is no peer. Its name is quoted: anybody can take any name.
    static func guest(_ offer: GuestOffer) -> String {
        let what =
            offer.text != nil ? "a text" : offer.items.count == 1 ? "a file" : "\(offer.items.count) files"
        return "“\(ForeignText.quotable(offer.device.name))” (LocalSend) wants to give you \(what)"
    }
    /// The words for requests that are summed up.
    static func requests(_ count: Int) -> String {
        count == 1 ? "One more person wants to become friends" : "\(count) more people want to become friends"
    }
    static let putOffToday = "has written enough for today. The rest waits at their end; see: kibo status"
    static let putOffForRoom = "The disk is nearly full. What others write waits at their end; see: kibo status"
    static let hiddenPutOff = "Somebody has written enough for today; see: kibo status"
    static let answer = "Answer"
    static let decline = "Decline"
    static let hiddenCall: Notification.Title = "Somebody is calling"
    static let withPicture = "With picture"
    /// The only line of Kibo itself that counts as unread.
    static let added = "added you to this group"
    static let missedCall = "Missed call"
    static let notOpened = "The browser can't be opened. In a terminal: kibo web"

    /// The title for what comes from one person.
    static func title(_ name: String) -> Notification.Title { .init(safe: shown(name, NotificationLimits.title)) }

    /// The title for something from a member of a group. No person can have a name that looks like it: quotation marks
    /// in names are shown as `\u{…}`, and each of the two names is cut so that the other one has room.
    static func title(_ name: String, in group: String) -> Notification.Title {
        let most = NotificationLimits.title / 2
        return .init(safe: "\(shown(name, most)) in “\(shown(group, most))”")
    }

    /// The title of a call that rings.
    static func calls(_ name: String) -> Notification.Title {
        .init(safe: "“\(shown(name, NotificationLimits.title))” is calling")
    }

    /// A name within a title: nothing in it can make it read as two, or turn the words around it.
    private static func shown(_ name: String, _ most: Int) -> String {
        let shown = ForeignText.quotable(cut(name, most))
        return ForeignText.isRightToLeft(shown) ? "\u{2068}\(shown)\u{2069}" : shown
    }

    /// The beginning of a text in whole characters, with "…" where something was left out.
    static func cut(_ text: String, _ most: Int) -> String {
        // A character may have any number of scalars.
        let part = String(String.UnicodeScalarView(text.unicodeScalars.prefix(most * 4)))
        var cut = part.prefix(most)
        guard cut.utf8.count < text.utf8.count else { return text }
        // The last one may have been cut through.
        if cut.endIndex == part.endIndex, cut.count > 1 { cut.removeLast() }
        return cut + "…"
    }

    /// The beginning of the words of others, fit for a notification.
    static func body(_ text: String) -> String {
        // This is the reactor's thread, so only as much of a long text is examined as the notification can show. A
        // character has at most a dozen marks.
        var head = String(String.UnicodeScalarView(text.unicodeScalars.prefix(16 * NotificationLimits.body)))
        if head.unicodeScalars.count < text.unicodeScalars.count { head += ForeignText.openings(in: head).end }
        // If the cut separates a mark that turns the text from its end, the mark ends at the cut.
        let cut = cut(ForeignText.shown(head), NotificationLimits.body)
        return cut + ForeignText.openings(in: cut).end
    }

    /// Returns the words of a message in one line.
    static func body(of record: MessageRecord) -> String {
        switch record.row.kind {
        case .call: return missedCall
        case .system: return added
        case .text, .file: break
        }
        let files = record.attachments.prefix(4).map { "\(word($0.kind)): \($0.name)" }
        let more = record.attachments.count > 4 ? ["and \(record.attachments.count - 4) more"] : []
        return ([record.row.text].filter { !$0.isEmpty } + files + more).joined(separator: "\n")
    }

    private static func word(_ kind: AttachmentKind) -> String {
        switch kind {
        case .image: "Picture"
        case .video: "Video"
        case .audio: "Audio"
        default: "File"
        }
    }
}
