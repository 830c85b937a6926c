import Basics
import Control
import ControlProtocol
import Messaging
import Store
import Vocabulary

/// Looks up new messages, and whether the messages that the user was told of are still news. It runs on a thread of the
/// store.
struct NotificationQuery: Sendable {
    let composer: ObjectComposer
    /// The messages that were stored.
    let messages: [UUIDv7]
    /// The places that have a notification, each with its newest message.
    let told: [(place: NotificationPlace, message: UUIDv7)]
    let words: NotificationWords
    /// Whether there is a hook command.
    let hasHook: Bool

    /// The result: what to do.
    struct Found: Sendable {
        var notifications: [Notification] = []
        /// The lines that the hook command reads, one for each notification.
        var inputs: [[UInt8]] = []
        /// The places in which nothing is news any more.
        var seen: [NotificationPlace] = []
    }

    func look(in transaction: ReadTransaction) throws -> Found {
        var found = Found()
        var conversations: [UUIDv7: ConversationRecord] = [:]
        var names: [AccountID: String] = [:]
        for id in messages {
            guard let record = try transaction.messageRecord(id), Self.isNews(record.row) else { continue }
            let row = record.row
            if conversations[row.conversation] == nil {
                conversations[row.conversation] = try transaction.conversationRecord(row.conversation)
            }
            guard let conversation = conversations[row.conversation],
                !conversation.row.muted || (record.isMention && !conversation.row.mentionsMuted)
            else { continue }
            let sender = try transaction.contact(row.sender)
            guard sender?.relation != .blocked else { continue }
            let name = try names[row.sender] ?? Names.shown(row.sender, in: row.conversation, transaction)
            names[row.sender] = name
            found.notifications.append(notification(record, conversation, name))
            if hasHook {
                found.inputs.append(try input(record, conversation, name, in: transaction))
            }
        }
        for (place, message) in told {
            let row = try transaction.messageRecord(message)?.row
            if row.map(Self.isNews) != true { found.seen.append(place) }
        }
        return found
    }

    private static func isNews(_ row: MessageRow) -> Bool {
        row.state == .received && row.unread && !row.deleted
    }

    private func notification(
        _ record: MessageRecord, _ conversation: ConversationRecord, _ sender: String
    ) -> Notification {
        let title =
            conversation.row.group == nil
            ? NotificationText.title(sender) : NotificationText.title(sender, in: conversation.title)
        return Notification(
            place: .conversation(record.row.conversation),
            title: words == .none ? NotificationText.hiddenTitle : title,
            body: words == .all ? NotificationText.body(of: record) : NotificationText.hidden,
            messages: .init(
                newest: record.row.id, last: conversation.row.lastMessage ?? record.row.id,
                arrival: record.row.arrival))
    }

    // MARK: The hook command

    private func input(
        _ record: MessageRecord, _ conversation: ConversationRecord, _ sender: String, in transaction: ReadTransaction
    ) throws -> [UInt8] {
        var object: JSONObject = ["event": "message", "at": .integer(record.row.receivedAt.milliseconds)]
        if words != .none {
            object["conversation"] = [
                "id": .string(conversation.row.id.description),
                "kind": .string(conversation.row.group == nil ? "direct" : "group"),
                "title": .string(conversation.title),
            ]
            object["sender"] = ["id": .string(record.row.sender.description), "name": .string(sender)]
        }
        if words == .all {
            object["message"] =
                try composer.message(record, order: transaction.messageOrder(), in: transaction).json
        }
        return HookInput.bytes(object)
    }
}

/// Makes what the hook command reads: one object on one line.
enum HookInput {
    /// Makes the input for a request to be a friend.
    static func request(
        _ row: ContactRow, _ composer: ObjectComposer, _ words: NotificationWords, at: WallTime
    ) -> [UInt8] {
        var object: JSONObject = ["event": "request", "at": .integer(at.milliseconds)]
        switch words {
        case .all: object["contact"] = composer.contact(row).json
        case .name:
            object["contact"] = ["id": .string(row.account.description), "displayName": .string(row.displayName)]
        case .none: break
        }
        return bytes(object)
    }

    /// The input for several requests that are summed up.
    static func requests(_ count: Int, at: WallTime) -> [UInt8] {
        bytes(["event": "requests", "at": .integer(at.milliseconds), "count": .integer(Int64(count))])
    }

    static func bytes(_ object: JSONObject) -> [UInt8] {
        var bytes: [UInt8] = []
        JSONValue.object(object).append(to: &bytes)
        bytes.append(UInt8(ascii: "\n"))
        return bytes
    }
}
