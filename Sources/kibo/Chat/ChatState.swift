import Basics
import ControlProtocol

/// Everything that ``ChatScreen`` draws. A value: the controller changes it, the screen reads it.
struct ChatState {
    /// What the text being written is going to be.
    enum Composing: Equatable {
        case message
        case reply(to: String)
        case edit(String)
    }

    /// The lowest line of the messages that is seen, if that is not simply the newest.
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
    }

    /// One line for the person, in the bar above the text being written.
    struct Notice: Equatable {
        let text: String
        let isBad: Bool
        /// When it goes by itself.
        let until: Instant
    }

    /// A message that the daemon has not confirmed yet. Its key makes sure that asking again sends once.
    struct Pending: Equatable {
        let key: String
        let text: String
        let replyTo: String?
        let files: [String]
        let since: Instant
        /// Whether the message itself is here already, and only the answer is missing.
        var isHere = false
    }

    var model: ChatModel
    var people: People
    /// A group may get another one meanwhile.
    var title: String
    /// The other one's account, where there are two.
    let contact: String?
    /// The group, where it is one.
    let group: String?
    var isMuted = false
    /// Whether the conversation is gone, and no new one with the same contact or group is known.
    var isDeleted = false
    var editor = LineEditor()
    var composing = Composing.message
    /// Who is writing, and until when we believe it.
    var typing: [String: Instant] = [:]
    var anchor: Anchor?
    /// Messages that came in below the edge.
    var newBelow = 0
    /// Messages of which the daemon was told that they were seen.
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
    var showsTags = false
    /// The first message that was unread when the conversation was opened.
    var unreadMark: String?

    init(model: ChatModel, people: People, title: String, contact: String?, group: String? = nil) {
        self.model = model
        self.people = people
        self.title = title
        self.contact = contact
        self.group = group
    }

    /// Whether a message can be sent once the conversation is gone.
    var canBeginAnew: Bool { contact != nil || group != nil }

    /// A message by its id, loaded or fetched for a quotation.
    func message(_ id: String) -> Message? { model.message(id) ?? quotes[id] }

    /// What a message is called in commands: the end of its id, which is random, as short as it can be among those that
    /// are loaded.
    func tag(_ id: String) -> String { String(id.suffix(4)) }

    /// The messages whose ids begin or end like that.
    func messages(tagged word: String) -> [Message] {
        let word = word.lowercased()
        guard word.utf8.count >= 4 else { return [] }
        return model.messages.filter { $0.id.hasSuffix(word) || $0.id.hasPrefix(word) }
    }
}
