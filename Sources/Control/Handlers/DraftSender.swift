import ControlProtocol
import Messaging
import Reactor

/// Prepares and commits messages with files: `message.send` uses it, and so do the methods that offer files.
@ReactorActor struct DraftSender {
    let base: MethodBase
    let files: any FileLooks
    /// What the user has chosen, for transactions.
    let choices: Choices

    /// Looks at the files on a thread that may block.
    func prepare(_ draft: inout Draft, paths: [String]) async throws {
        let (asked, choices) = (draft, choices)
        // What can't be sent is refused before the disk is searched.
        let found = try await base.environment.store.read { transaction -> (FilePolicy, forGroup: Bool)? in
            if try asked.sent(in: transaction) != nil { return nil }
            let audience = try Audience.of(asked.target, in: transaction)
            return (try choices.files(transaction), audience.isGroup)
        }
        guard let (policy, forGroup) = found else { return }
        let files = files
        draft.sources = try await base.environment.workers.files.run {
            try files.scan(paths, policy: policy, forGroup: forGroup)
        }
    }

    /// Commits a draft; the commit itself wakes the session that carries it.
    func send(_ draft: Draft) async throws -> Message {
        let composer = base.composer
        return try await base.environment.store.write { try composer.message(try draft.commit(in: $0), in: $0) }
    }
}
