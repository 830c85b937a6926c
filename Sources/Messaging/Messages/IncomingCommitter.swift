import Basics
import Crypto
import PeerProtocol
import Store
import Transfer
import Vocabulary

/// The result of one group of received frames.
package struct IncomingResult: Sendable {
    /// For each frame, what to answer the peer.
    package var outcomes: [(outcome: CommitOutcome, ids: [UUIDv7])] = []
    /// What changed in groups.
    package var groups = GroupEffects()
    /// The accounts whose words were put off, and those whose words were taken.
    package var intake = IntakeNews()
    /// What the service of couriers has to know.
    package var couriers: [CourierNews] = []
}

/// Stores what a peer sent. It runs inside a store transaction: either everything of one call is kept, or nothing.
///
/// This folder (`Messages`) knows how a message goes from and to the database. Every frame may come twice, so each
/// change here has no further effect when it is made again.
package struct IncomingCommitter: Sendable {
    package internal(set) var peer: PeerIdentity
    /// What the peer's card said, if it has come; a contact needs a name.
    package let name: String?
    /// What the user has chosen.
    package let choices: TransactionSettings
    /// What we know about the place where files would go; it was looked at before.
    package var destination = Destination()
    /// Whether a friend has a session with us at this moment.
    package var isHere: @Sendable (AccountID) -> Bool = { _ in false }
    /// Whether there is room for what peers say.
    package var space = DataSpace()
    /// Where the peer stands, if it may ask to be a friend.
    package var origin = RequestOrigin()
    /// Calls that rang nowhere here and are more than the peer may make now: their records have to come again later.
    package var callsPutOff: Set<UUIDv7> = []
    /// What is needed to follow groups; nil if none are followed.
    package var groups: GroupScope?
    /// Membership entries that were checked before, by the frame that brings them.
    package var checked: [UUIDv7: CheckedEntries] = [:]
    /// Parcels for this account that were opened before, by their ids. One that isn't there has to come again later.
    package var opened: [UUIDv7: OpenedParcel] = [:]
    /// Parcels that are more than the peer may leave here now.
    package var parcelsPutOff: Set<UUIDv7> = []
    /// Makes the identifiers; simulations have their own.
    package var random: any RandomNumberGenerator & Sendable = SodiumGenerator()

    package init(
        peer: PeerIdentity, name: String?, choices: TransactionSettings, destination: Destination = Destination(),
        isHere: @escaping @Sendable (AccountID) -> Bool = { _ in false }, space: DataSpace = DataSpace(),
        groups: GroupScope? = nil, random: any RandomNumberGenerator & Sendable = SodiumGenerator()
    ) {
        self.peer = peer
        self.name = name
        self.choices = choices
        self.destination = destination
        self.isHere = isHere
        self.space = space
        self.groups = groups
        self.random = random
    }

    /// - Parameter meter: counts the work that frames of groups cause.
    package func commit(
        _ frames: [DurableFrame], meter: GroupMeter = GroupMeter(), in transaction: WriteTransaction
    ) throws -> IncomingResult {
        var result = IncomingResult()
        let intake =
            try frames.contains { Self.grows($0.content) } ? Intake(space, by: choices, in: transaction) : .open
        let payer = Intake.Payer(peer.account)
        // Messages often come many at once, and change neither the contact nor its conversation.
        var known = Known()
        for frame in frames {
            if case .message = frame.content {} else { known = Known() }
            let outcome: CommitOutcome
            let cost = Intake.cost(of: frame.content)
            if cost != nil, let why = intake.obstacle(to: payer, in: transaction), try isNew(frame, in: transaction) {
                result.intake.putOff[peer.account] = why
                Self.add(.refused(why.refusal), of: frame.id, to: &result)
                continue
            }
            switch frame.content {
            case .message(let body): outcome = try message(body, id: frame.id, &known, in: transaction)
            case .contactRequest(let body):
                outcome = try contact(.request(body), id: frame.id, in: transaction)
            case .contactAnswer(let body):
                outcome = try contact(.answer(body), id: frame.id, in: transaction)
            case .contactRemoval(let body):
                outcome = try contact(.removal(body), id: frame.id, in: transaction)
            case .fileStatus(let body): outcome = try fileStatus(body, in: transaction)
            case .edit(let body): outcome = try edit(body, in: transaction)
            case .deletion(let body): outcome = try deletion(body, in: transaction)
            case .reaction(let body): outcome = try reaction(body, in: transaction)
            case .seen(let body): outcome = try seen(body, in: transaction)
            case .groupChange, .groupEntry, .groupSeen:
                outcome = try group(frame, meter, intake, in: transaction, &result)
            case .parcel(let body): outcome = try parcel(body, id: frame.id, in: transaction, &result)
            case .parcelNews(let body): outcome = try parcelNews(body, in: transaction, &result)
            case .had(let body): outcome = try had(body, in: transaction, &result)
            }
            if let cost, case .stored = outcome {
                Intake.count(cost, of: payer, in: transaction)
                result.intake.taken.insert(peer.account)
            }
            Self.add(outcome, of: frame.id, to: &result)
        }
        return result
    }

    private static func add(_ outcome: CommitOutcome, of id: UUIDv7, to result: inout IncomingResult) {
        if result.outcomes.last?.outcome == outcome {
            result.outcomes[result.outcomes.count - 1].ids.append(id)
        } else {
            result.outcomes.append((outcome, [id]))
        }
    }

    /// Whether a frame of this sort makes the database longer for good. Others change what is there, or are few.
    private static func grows(_ content: DurableFrame.Content) -> Bool {
        switch content {
        case .groupChange, .groupEntry: true
        default: Intake.cost(of: content) != nil
        }
    }

    /// Whether a frame brings something new. A message that is here already gets its receipt, and a deletion makes
    /// room.
    private func isNew(_ frame: DurableFrame, in transaction: WriteTransaction) throws -> Bool {
        switch frame.content {
        case .message: try !transaction.isKnown(frame.id, by: peer.account)
        case .deletion(let body): try transaction.message(body.message, by: peer.account) == nil
        default: true
        }
    }

    private func group(
        _ frame: DurableFrame, _ meter: GroupMeter, _ intake: Intake, in transaction: WriteTransaction,
        _ result: inout IncomingResult
    ) throws -> CommitOutcome {
        guard let groups else { return refused(.unsupported, "groups") }
        var receiver = GroupReceiver(
            scope: groups, peer: peer.account, transaction: transaction, choices: choices, destination: destination,
            random: random, meter: meter, intake: intake)
        let outcome: CommitOutcome
        switch frame.content {
        case .groupChange(let body):
            outcome = try receiver.membership(body.root, body.entries, checked: checked[frame.id])
        case .groupEntry(let body): outcome = try receiver.entry(body, id: frame.id)
        case .groupSeen(let body): outcome = try receiver.seen(body)
        default: outcome = refused(.unsupported)
        }
        result.groups.add(receiver.effects)
        result.intake.add(receiver.news)
        return outcome
    }

    package func refused(_ reason: Reason, _ detail: String? = nil) -> CommitOutcome {
        .refused(Refusal(reason, detail: detail))
    }

    // MARK: Messages

    /// What this job has already read for an earlier message, so that it need not read it again.
    private struct Known {
        /// The peer's contact, if it is a friend.
        var friend: ContactRow?
        var conversation: UUIDv7?
    }

    private func message(
        _ body: MessageBody, id: UUIDv7, _ known: inout Known, in transaction: WriteTransaction
    ) throws -> CommitOutcome {
        guard let contact = try known.friend ?? transaction.contact(peer.account), contact.relation == .friend else {
            return refused(.notFriends)
        }
        known.friend = contact
        for attachment in body.attachments {
            // The sender chooses a transfer's id, but it must not name another transfer of this sender that is here already.
            guard let taken = try transaction.transfer(attachment.transfer, from: peer.account) else { continue }
            // A message that was deleted since has let go of its transfer. A repeat is known already.
            guard
                try taken.message.flatMap({ try transaction.message($0) })?.wireID == id
                    || transaction.isKnown(id, by: peer.account)
            else {
                return refused(.invalid, "this transfer id is taken")
            }
        }
        if body.call != nil, callsPutOff.contains(id), try !transaction.isKnown(id, by: peer.account) {
            return refused(.busy, "too many calls")
        }
        guard let conversation = try known.conversation ?? conversation(for: id, in: transaction)?.id else {
            return .stored
        }
        known.conversation = conversation
        var row = MessageRow(
            body, id: id, in: conversation, by: peer.account, device: peer.device, at: transaction.wallTime)
        try row.findAnswered(body, in: .between(peer.account), transaction)
        guard case .inserted = try transaction.receive(&row) else {
            if let call = body.call { try transaction.correctCall(id, of: peer.account, call) }
            return .stored
        }
        if !body.attachments.isEmpty {
            let receiver = OfferReceiver(
                author: contact.account, contact: contact, conversation: conversation, message: row.id,
                policy: try choices.files(transaction), destination: destination)
            try receiver.receive(body.attachments, in: transaction)
        }
        return .stored
    }

    /// The conversation with the peer, made if there is none. Nil if there is none and the message is an old one that
    /// went with a conversation deleted here.
    package func conversation(for message: UUIDv7, in transaction: WriteTransaction) throws -> ConversationRow? {
        if let open = try transaction.conversation(with: peer.account) { return open }
        // A message that is here was said in a group; storing it will show that.
        guard
            try !transaction.isKnown(message, by: peer.account) || transaction.message(message, by: peer.account) != nil
        else { return nil }
        var random = random
        return try transaction.openConversation(
            with: peer.account, newID: UUIDv7(at: transaction.wallTime, using: &random))
    }

    // MARK: Files

    /// The transfer that a status is about: one that we have offered to the peer, else one that the peer has offered to
    /// us. The peer can't speak about another account's transfers.
    private func transfer(_ wireID: UUIDv7, in transaction: ReadTransaction) throws -> TransferRow? {
        if let own = try transaction.transfer(wireID), own.direction == .outgoing, own.peer == peer.account {
            return own
        }
        return try transaction.transfer(wireID, from: peer.account)
    }

    func fileStatus(_ body: FileStatusBody, in transaction: WriteTransaction) throws -> CommitOutcome {
        guard var row = try transfer(body.transfer, in: transaction) else {
            return refused(.notFound, "no such transfer")
        }
        // A transfer that has ended stays as it ended, but a failed one may be tried again if it was taken.
        let mayBegin = row.state == .failed && body.status == .accepted && !row.isUntaken
        guard !row.state.isOver || mayBegin else {
            if [.accepted, .paused, .resumed].contains(body.status) {
                try FileFrames.ending(of: row, in: transaction)
            }
            return .stored
        }
        switch (body.status, row.direction) {
        case (.held, .outgoing):
            guard row.state == .offered, row.life.heldBack == nil, !row.unlisted.isEmpty else { return .stored }
            row.life.heldBack = .type
            try transaction.update(row)
            return .stored
        case (.accepted, .outgoing):
            if row.state != .active { row.queue() }
        case (.accepted, .incoming):
            // The sender tries a transfer again that failed or is out of space. An offer is still ours to accept.
            if row.state == .failed || row.state == .paused { row.queue() }
        case (.declined, .outgoing): row.state = .declined
        case (.done, .outgoing):
            row.state = .done
            try TransferRecords.complete(&row, in: transaction)
        case (.paused, _):
            guard row.pause(by: .peer) else { return .stored }
        case (.resumed, _):
            guard row.resume(by: .peer) else { return .stored }
        case (.cancelled, _): row.state = .cancelled
        case (.failed, _): row.state = .failed
        case (.declined, .incoming), (.done, .incoming), (.held, .incoming):
            return refused(.invalid, "that is not for this side to say")
        }
        row.reason = body.refusal?.reason
        if row.state == .failed { row.life.failure = row.reason }
        row.detail = body.refusal?.detail ?? (row.state == .cancelled ? TransferSide.cancelledByPeer : nil)
        row.finishedAt = row.state.isOver ? transaction.wallTime : nil
        try transaction.update(row)
        return .stored
    }
}
