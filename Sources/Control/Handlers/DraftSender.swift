import ControlProtocol
import Messaging
import Reactor

/// Prepares and commits messages with files: `message.send` uses it, and so do the methods that offer files.
@ReactorActor struct DraftSender {
    let base: MethodBase
    let files: any FileInspector
    /// What the user has chosen, for transactions.
    let choices: TransactionSettings

    /// Looks at the files on a thread that may block.
    /// - Parameter anyType: whether the user has said that files of any type go.
    func prepare(_ draft: inout Draft, paths: [NamedPath], anyType: Bool = false) async throws {
        let (wanted, choices) = (draft, choices)
        // What can't be sent is refused before the disk is searched.
        let rules = try await base.environment.store.read { transaction -> (FilePolicy, forGroup: Bool)? in
            if try wanted.sent(in: transaction) != nil { return nil }
            let policy = try choices.files(transaction)
            switch try Audience.of(wanted.target, in: transaction) {
            case .friend: return (policy, false)
            case .group: return (policy, true)
            case .notes: return (policy.forNotes, false)
            }
        }
        guard let (settings, forGroup) = rules else { return }
        var policy = settings
        policy.sendsAnyType = anyType
        let (files, asked) = (files, policy)
        draft.sources = try await base.environment.workers.files.run {
            try files.scan(paths, policy: asked, forGroup: forGroup)
        }
    }

    /// Commits a draft; the commit itself wakes the session that carries it.
    func send(_ draft: Draft) async throws -> Message {
        // A message without files changes nothing but the database.
        let composer = base.composer
        return try await base.environment.store.commit(mayRunTwice: draft.sources.isEmpty) { transaction in
            let isKnown = try draft.sent(in: transaction) != nil
            var message = try composer.message(
                try draft.commitShown(in: transaction), order: try transaction.messageOrder(), in: transaction)
            if isKnown { message.duplicate = true }
            return message
        }
    }
}
