import Basics
import ControlProtocol

/// Everything that ``ChatScreen`` draws, and how one moves through it. A value: the controller and the feed change it, the screen
/// reads it.
struct ChatState {
    /// How long a notice stands.
    static let notice = Duration.seconds(6)

    /// The lowest line of the messages that is seen, where that is not simply the newest.
    struct Anchor: Equatable {
        let id: String
        let position: String
        /// How many of its lines are below the edge.
        let hidden: Int
    }

    /// Text that lies over the messages until it is closed.
    struct Panel: Equatable {
        let title: String
        let lines: [StyledLine]
        /// How far the rest of a line that is too wide stands in.
        var indent = 2
        /// The first line that is seen, once they fit the width.
        var top = 0
        /// The messages that the lines are about, where one can go there.
        var messages: [String] = []
        /// The line that is chosen.
        var selected: Int?
    }

    /// One line for the person, in the bar above the text being written.
    struct Notice: Equatable {
        let text: String
        let isBad: Bool
        /// When it goes by itself.
        let until: Instant
        /// The only key that leaves it standing; nil if all do.
        var onlyFor: Keystroke?
    }

    /// A message that the daemon has not confirmed yet. Its key makes sure that asking again sends once.
    struct Pending: Equatable {
        let key: String
        let text: String
        let replyTo: String?
        let files: [SentFile]
        /// Whether the files may be of any type.
        var isOfAnyType = false
        let since: Instant
        /// Whether the message itself is here already, and only the answer is missing.
        var isHere = false
    }

    var size = ChatScreen.Size(columns: 80, rows: 24)
    var now = Instant(nanoseconds: 0)
    var wallTime = WallTime(milliseconds: 0)
    var model: ChatModel
    var people: People
    /// The title of the conversation; a group may get another one meanwhile.
    var title: String
    /// The other one's account, where there are two.
    private(set) var contact: String?
    /// The group, where it is one.
    private(set) var group: String?
    /// All chats, this one too.
    var chats = ChatList()
    var calls = ChatCalls()
    /// The unsent texts in other chats.
    private var drafts: [String: String] = [:]
    /// A message to go to, as soon as enough of the older ones is loaded.
    var wanted: String?
    var isMuted = false
    /// Whether the conversation is gone, and no new one with the same contact or group is known.
    var isDeleted = false
    var composer = ChatComposer()
    /// The accounts that are writing, and until when we believe it.
    var typing: [String: Instant] = [:]
    private(set) var anchor: Anchor?
    /// Messages that came in below the edge.
    private(set) var newBelow = 0
    /// Messages that the daemon knows to be seen.
    var marked: Set<String> = []
    /// How many unread ones are older than what is loaded.
    var unreadOlder: Int64 = 0
    /// Whether an unread one has come in since the conversation was opened, and stands above what was seen.
    var hasNewAbove = false
    var selection: String?
    var panel: Panel?
    var notice: Notice?
    var isConnected = true
    var pending: [Pending] = []
    var transfers: [String: Transfer] = [:]
    /// Answered messages that are not loaded.
    var quotes: [String: Message] = [:]
    var showsShortIDs = false
    /// The first message that was unread when the conversation was opened.
    var unreadMark: String?

    init(model: ChatModel, people: People, title: String, contact: String?, group: String? = nil) {
        self.model = model
        self.people = people
        self.title = title
        self.contact = contact
        self.group = group
    }

    /// Whether it is the conversation with oneself.
    var isNotes: Bool { contact != nil && contact == people.own }

    /// Whether a message can be sent once the conversation is gone.
    var canBeginAnew: Bool { contact != nil || group != nil }

    /// Whether a conversation is the one with our contact, or our group's.
    func isOurs(_ conversation: JSONValue) -> Bool {
        if let contact { return conversation["contact"]?.string == contact }
        return group != nil && conversation["group"]?.string == group
    }

    /// A message by its id, loaded or fetched for a quotation.
    func message(_ id: String) -> Message? { model.message(id) ?? quotes[id] }

    /// The short id of a message, for commands: the end of its id, which is random, as short as it can be among those that
    /// are loaded.
    func shortID(_ id: String) -> String { String(id.suffix(4)) }

    /// The messages whose ids begin or end like that.
    func messages(named word: String) -> [Message] {
        let word = word.lowercased()
        guard word.utf8.count >= 4 else { return [] }
        return model.messages.filter { $0.id.hasSuffix(word) || $0.id.hasPrefix(word) }
    }

    var screen: ChatScreen { ChatScreen(state: self) }

    /// Whether a chat keeps still.
    func keepsStill(_ conversation: String?) -> Bool {
        conversation == model.conversation ? isMuted : conversation.flatMap { chats[$0] }?.muted == true
    }

    /// The other side of a call.
    func name(of call: Call) -> String { call.participants.first.map { people.name($0.account) } ?? "somebody" }

    /// The names of the people who may be meant in a message here.
    var names: [String] {
        if let contact { return isNotes ? [] : [people.name(contact)] }
        let members = group.flatMap { people.groups[$0] }?.members ?? []
        return members.filter { $0.id != people.own }.map { people.name($0.id) }
    }

    // MARK: Moving through the messages

    /// Shows the newest messages.
    mutating func toNewest() {
        anchor = nil
        newBelow = 0
    }

    /// Chooses the line before or after the chosen one, in a list of messages.
    mutating func choose(previous: Bool) {
        guard var panel, !panel.messages.isEmpty else { return }
        let last = panel.messages.count - 1
        panel.selected = panel.selected.map { max(0, min(last, $0 + (previous ? -1 : 1))) } ?? (previous ? last : 0)
        let screen = screen
        let above = panel.lines.prefix(panel.selected ?? 0).reduce(0) { $0 + screen.rows(of: $1, in: panel) }
        let height = panel.selected.map { screen.rows(of: panel.lines[$0], in: panel) } ?? 1
        panel.top = max(above + height - screen.messageRows, min(panel.top, above))
        self.panel = panel
    }

    /// Shows a message that is loaded, and chooses it.
    mutating func go(to id: String) {
        wanted = nil
        panel = nil
        selection = id
        anchor = screen.viewport.anchor(showing: id)
    }

    /// Scrolls by a page, in the panel if there is one.
    mutating func page(up: Bool) {
        let screen = screen
        // One line of the old page stays, to find one's place by.
        let step = max(1, screen.messageRows - 1)
        if var panel {
            panel.top = max(0, min(panel.top + (up ? -step : step), screen.lines(of: panel).count - screen.messageRows))
            self.panel = panel
            return
        }
        anchor = up ? screen.viewport.up(step) : screen.viewport.down(step)
        if anchor == nil { newBelow = 0 }
    }

    /// Chooses the message before or after the chosen one.
    /// - Returns: whether the oldest that is loaded is chosen now.
    mutating func select(previous: Bool) -> Bool {
        guard model.count > 0 else { return false }
        let next: Int
        if let current = selection.flatMap({ model.index(of: $0) }) {
            next = previous ? max(0, current - 1) : current + 1
        } else {
            if !previous { return false }
            next = screen.viewport.view().last.flatMap { model.index(of: $0.id) } ?? model.count - 1
        }
        guard let message = model[next] else {
            selection = nil
            return false
        }
        panel = nil
        selection = message.id
        let viewport = screen.viewport
        if !viewport.view().ids.contains(message.id) { anchor = viewport.anchor(showing: message.id) }
        return next == 0
    }

    // MARK: What comes in

    /// A message that comes in out of sight is announced: below, or above by a sender whose clock is slow.
    mutating func place(_ message: Message) {
        guard model.isLoaded else { return }
        let view = screen.viewport.view()
        let top = view.first.flatMap { model.index(of: $0.id) } ?? 0
        guard let index = model.index(of: message.id) else {
            // It is older than all that is loaded.
            if message.unread { hasNewAbove = true }
            return
        }
        if index < top {
            if message.unread { hasNewAbove = true }
        } else if anchor != nil, !view.ids.contains(message.id) {
            newBelow += 1
        }
    }

    mutating func notify(_ text: String, isBad: Bool = false, onlyFor key: Keystroke? = nil) {
        // A text of several rows takes longer to read.
        let more = Duration.milliseconds(50 * max(0, text.count - 80))
        notice = Notice(text: text, isBad: isBad, until: now + Self.notice + more, onlyFor: key)
    }

    /// The titles of other chats in which a text was begun.
    var drafted: [String] { drafts.keys.sorted().compactMap { chats[$0].map(Words.title(of:)) } }

    /// Turns to another chat. What was begun to be written in this one waits here.
    mutating func turn(to chat: Conversation) {
        drafts[model.conversation] = composer.isEmpty ? nil : composer.text
        contact = chat.contact
        group = chat.group
        title = chat.title
        isMuted = chat.muted
        isDeleted = false
        begin(chat.id)
        composer.turn(to: drafts.removeValue(forKey: chat.id) ?? "")
    }

    /// Shows another conversation with the same contact or group. Only what is being written or sent is kept.
    mutating func begin(_ conversation: String) {
        composer.begin()
        wanted = nil
        model = ChatModel(conversation: conversation, lastSeq: model.lastSeq)
        selection = nil
        panel = nil
        unreadMark = nil
        unreadOlder = 0
        hasNewAbove = false
        marked = []
        quotes = [:]
        transfers = [:]
        typing = [:]
        toNewest()
    }

    /// Takes a transfer's state in, if it is of this conversation.
    mutating func update(transfer json: JSONValue) {
        guard let transfer = try? Transfer(json: json), transfer.conversation == model.conversation else { return }
        transfers[transfer.id] = transfer
    }
}
