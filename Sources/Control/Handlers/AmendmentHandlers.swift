import Basics
import ControlProtocol
import Messaging
import Reactor
import Store

/// Changes messages, and explains their state.
@ReactorActor struct AmendmentHandlers: MethodArea {
    let base: MethodBase
    let network: any NetworkAccess

    var methods: [String: Method] {
        [
            "message.edit": { parameters, _ in try await edit(parameters).json },
            "message.delete": { parameters, _ in try await delete(parameters).json },
            "message.react": { parameters, _ in try await react(parameters).json },
            "message.retry": { parameters, _ in try await retry(parameters).json },
            "message.why": { parameters, _ in try await why(parameters) },
        ]
    }

    private func edit(_ parameters: Parameters) async throws -> Message {
        let id = try uuid("id", parameters)
        let text = parameters.string("text")
        return try await amend { try $0.edit(id, text: text) }
    }

    private func delete(_ parameters: Parameters) async throws -> Message {
        let account = try requireAccount()
        let id = try uuid("id", parameters)
        let isForAll = parameters.optionalString("for") == "all"
        let composer = composer
        let voice = voice
        return try await store.commit { transaction in
            let amendments = Amendments(own: account.id, transaction: transaction, voice: voice)
            let row = isForAll ? try amendments.deleteForAll(id) : try amendments.deleteForMe(id)
            return try composer.message(row, in: transaction)
        }
    }

    private func react(_ parameters: Parameters) async throws -> Message {
        let id = try uuid("id", parameters)
        let emoji = parameters.string("emoji")
        let removed = parameters.bool("remove")
        return try await amend { try $0.react(id, emoji: emoji, removed: removed) }
    }

    private func retry(_ parameters: Parameters) async throws -> Message {
        let id = try uuid("id", parameters)
        let message = try await amend { try $0.retry(id) }
        for recipient in message.recipients {
            if let account = AccountID(recipient.id) { network.open?.retry(account) }
        }
        return message
    }

    private func amend(_ body: @escaping @Sendable (Amendments) throws -> MessageRow) async throws -> Message {
        let account = try requireAccount()
        let (composer, voice) = (composer, voice)
        return try await store.commit { transaction in
            try composer.message(
                try body(Amendments(own: account.id, transaction: transaction, voice: voice)), in: transaction)
        }
    }

    private func why(_ parameters: Parameters) async throws -> JSONValue {
        let id = try uuid("id", parameters)
        let story = try await store.read { try MessageStory.load(id, in: $0) }
        return story.json(prospects: prospects(for: story))
    }

    /// The prospects of the recipients that don't have the message yet, and of their couriers.
    private func prospects(for story: MessageStory) -> [AccountID: DeliveryOutlook] {
        var outlooks: [AccountID: DeliveryOutlook] = [:]
        for account in story.concerned { outlooks[account] = network.open?.prospect(of: account) }
        return outlooks
    }
}

/// Finding a message by the beginning of its id.
enum MessagePrefix {
    /// - Throws: `not_found`, or `invalid` with the candidates if there are several.
    static func resolve(_ prefix: String, in transaction: ReadTransaction) throws -> UUIDv7 {
        let digits = prefix.lowercased().filter { $0 != "-" }
        guard (8...32).contains(digits.utf8.count), digits.allSatisfy(\.isHexDigit),
            let first = UUIDv7(Self.filled(digits, with: "0")), let last = UUIDv7(Self.filled(digits, with: "f"))
        else {
            throw ControlError(.invalid, "this is not the beginning of an id", hint: .giveLongerID, field: "prefix")
        }
        let ids = try transaction.messageIDs(from: first, through: last, limit: 5)
        guard let id = ids.first else {
            throw ControlError(.notFound, "no message has an id that begins with \(prefix)")
        }
        guard ids.count == 1 else {
            throw ControlError(
                .invalid, "several messages have ids that begin with \(prefix)",
                hint: .chooseMessage,
                parameters: ["ids": .string(ids.map(\.description).joined(separator: "\n"))], field: "prefix")
        }
        return id
    }

    /// As a UUID in 8-4-4-4-12.
    private static func filled(_ digits: String, with character: Character) -> String {
        let all = Array(digits + String(repeating: character, count: 32 - digits.count))
        return [all[0..<8], all[8..<12], all[12..<16], all[16..<20], all[20..<32]].map { String($0) }
            .joined(separator: "-")
    }
}
