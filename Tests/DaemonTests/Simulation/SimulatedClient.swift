import Basics
import ControlProtocol
import Messaging
import Store
import Vocabulary

@testable import Control
@testable import Daemon

/// What a program shows. It is read once and then kept up to date with events alone, as CONTROL-API.md tells programs
/// to do.
struct ClientPicture: Equatable {
    var contacts: [String: JSONValue] = [:]
    var conversations: [String: JSONValue] = [:]
    var messages: [String: JSONValue] = [:]
    var transfers: [String: JSONValue] = [:]

    /// Applies one event.
    mutating func apply(_ event: ComposedEvent) throws {
        let data = try JSONParser.parse(event.data.full)
        guard let object = data.object, let id = object["id"]?.string else { return }
        let value = event.change == .delete ? JSONValue?.none : .some(data)
        switch event.type {
        case .contactChanged: contacts[id] = value
        case .conversationChanged:
            conversations[id] = value
            // A removed conversation takes its messages along.
            if value == nil { messages = messages.filter { $0.value.object?["conversation"]?.string != id } }
        case .messageAdded, .messageChanged, .messageRemoved: messages[id] = value
        case .transferChanged: transfers[id] = value
        default: break
        }
    }

    /// What events tell of a message. A new name of its sender is told by the contact's event.
    private static func told(_ message: JSONValue) -> JSONValue {
        guard let object = message.object else { return message }
        return .object(JSONObject(object.fields.filter { $0.name != "senderName" }.map { ($0.name, $0.value) }))
    }

    /// Returns where two pictures differ, in words.
    func differences(from other: ClientPicture) -> [String] {
        func compare(_ name: String, _ mine: [String: JSONValue], _ theirs: [String: JSONValue]) -> [String] {
            Set(mine.keys).union(theirs.keys).sorted().filter { mine[$0] != theirs[$0] }.map {
                "\(name) \($0)\n  kept: \(mine[$0].map { "\($0)" } ?? "none")\n  fresh: \(theirs[$0].map { "\($0)" } ?? "none")"
            }
        }
        return compare("contact", contacts, other.contacts)
            + compare("conversation", conversations, other.conversations)
            + compare("message", messages.mapValues(Self.told), other.messages.mapValues(Self.told))
            + compare("transfer", transfers, other.transfers)
    }
}

/// A program with a picture and a cursor in the event log.
struct SimulatedClient {
    private let composer = ObjectComposer(contacts: ContactIndex())
    private(set) var picture = ClientPicture()
    private var position: Int64 = 0
    private var order: MessageOrder = .sent

    /// Returns everything that the lists show at one moment, with the number of the last event before it.
    func snapshot(_ transaction: ReadTransaction) throws -> ClientPicture {
        var picture = ClientPicture()
        for row in try transaction.contacts() { picture.contacts["\(row.account)"] = composer.contact(row).json }
        for isArchived in [false, true] {
            for row in try transaction.conversations(limit: 1000, archived: isArchived) {
                picture.conversations["\(row.id)"] = try composer.conversation(row, in: transaction).json
                for message in try transaction.messages(in: row.id, limit: 1000).messages {
                    picture.messages["\(message.id)"] = try composer.message(message, in: transaction).json
                }
            }
        }
        for row in try transaction.transfers(limit: 1000) {
            picture.transfers["\(row.id)"] = composer.transfer(row).json
        }
        return picture
    }

    mutating func reload(_ transaction: ReadTransaction) throws {
        picture = try snapshot(transaction)
        position = try transaction.latestEvent()
        order = try transaction.messageOrder()
    }

    /// Reads some of the log from the client's position, and applies some of it. The rest is read again later, as it is
    /// then.
    mutating func follow(_ transaction: ReadTransaction, reading limit: Int, applying count: Int) throws {
        // Another order means other positions, so they are read again.
        if try transaction.messageOrder() != order { return try reload(transaction) }
        let records = Array(try transaction.events(since: position, limit: limit).prefix(count))
        let composed = try composer.compose(records, in: transaction) { _ in true }
        for event in composed.events { try picture.apply(event) }
        position = composed.last ?? position
    }

    /// Goes back as after a crash before the acknowledgement: some events come twice.
    mutating func goBack(_ count: Int) { position = max(0, position - Int64(count)) }

    /// - Returns: what is wrong with the picture after all events.
    mutating func differences(_ transaction: ReadTransaction) throws -> [String] {
        try follow(transaction, reading: .max, applying: .max)
        return picture.differences(from: try snapshot(transaction))
    }
}
