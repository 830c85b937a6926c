import ControlProtocol
import Messaging
import Reactor
import Store
import Vocabulary

/// Prepares and commits messages with files: `message.send` uses it, and so do the methods that offer files.
@ReactorActor package struct DraftSender {
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
        let (files, asked, ofGuest) = (files, policy, draft.guest != nil)
        draft.sources = try await base.environment.workers.files.run {
            try files.scan(paths, policy: asked, forGroup: forGroup, ofGuest: ofGuest)
        }
    }

    package init(base: MethodBase, files: any FileInspector, choices: TransactionSettings) {
        self.base = base
        self.files = files
        self.choices = choices
    }

    /// Looks at files that are to be given to a device that is no peer, by the rules for friends.
    /// - Parameter anyType: whether the user has said that files of any type go.
    package func sources(_ paths: [NamedPath], anyType: Bool) async throws -> [PreparedSource] {
        let choices = choices
        var policy = try await base.environment.store.read { try choices.files($0) }
        policy.sendsAnyType = anyType
        let (files, asked) = (files, policy)
        return try await base.environment.workers.files.run {
            try files.scan(paths, policy: asked, forGroup: false, ofGuest: false)
        }
    }

    /// Writes a note to oneself of what a device gave that is no peer, or got.
    /// - Parameters:
    ///   - paths: files of this disk, which are looked at; none with `sources`.
    ///   - sources: files that were looked at.
    ///   - guest: what the device calls itself that gave it.
    ///   - givenTo: what the device calls itself that got it.
    ///   - key: under which it is written once.
    package func note(
        text: String, paths: [String], sources: [PreparedSource], guest: String?, givenTo: String?, key: String
    ) async throws {
        guard let profile = base.profile else { throw ControlError.noAccount }
        var draft = Draft(
            own: profile.account, device: profile.device, text: text, replyTo: nil, key: key,
            now: base.environment.clocks.wallTime)
        draft.target = .contact(profile.account)
        (draft.guest, draft.givenTo) = (guest, givenTo)
        draft.sources = sources
        if !paths.isEmpty { try await prepare(&draft, paths: paths.map { NamedPath($0) }) }
        _ = try await send(draft)
    }

    /// Commits a draft; the commit itself wakes the session that carries it.
    func send(_ draft: Draft) async throws -> Message {
        let composer = base.composer
        // A message without files changes nothing but the database.
        let sent = try await base.environment.store.commit(mayRunTwice: draft.sources.isEmpty) { transaction -> Sent in
            let (record, isKnown) = try draft.commitShown(in: transaction)
            let order = try transaction.messageOrder()
            guard isKnown else { return .new(record, order) }
            var message = try composer.message(record, order: order, in: transaction)
            message.duplicate = true
            return .known(message)
        }
        switch sent {
        case .known(let message): return message
        // It is composed after the commit, so that the commits behind it don't wait for that.
        case .new(let record, let order):
            return composer.newMessage(record, order: order, senderName: base.profile?.displayName ?? "")
        }
    }

    /// What a commit has brought about.
    private enum Sent: Sendable {
        case new(MessageRecord, MessageOrder)
        /// It was sent before, and much may have happened to it since.
        case known(Message)
    }
}
