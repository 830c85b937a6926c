import Basics
import PeerProtocol
import Store
import Vocabulary

/// What peers say about being friends.
extension IncomingCommitter {
    /// The peer takes us for a friend, although nothing is known of it here.
    package func friendship(in transaction: WriteTransaction) throws {
        _ = try contact(
            .friendship, id: ContactChanges(transaction: transaction, random: random).freshID(), in: transaction)
    }

    package func contact(
        _ frame: ContactFrame, id: UUIDv7, in transaction: WriteTransaction
    ) throws -> CommitOutcome {
        // A copy of our own keys is not another person: as a contact it would write into our notes.
        guard try transaction.ownAccount()?.account != peer.account else {
            return refused(.notAllowed, "that is this account itself")
        }
        let contact = try transaction.contact(peer.account)
        // Only an account that asks becomes a contact.
        guard contact != nil || frame.isRequest else {
            // An account that hasn't asked is not kept, but is told so, so that it doesn't believe that it has a friend
            // here.
            return frame.isYes ? refused(.notFriends, "nobody here has asked") : .stored
        }
        var row =
            contact
            ?? ContactRow(
                account: peer.account, displayName: name ?? Names.placeholder(for: peer.account),
                createdAt: transaction.wallTime)
        let before = row.machine
        guard before.isNews(frame, id: id) else { return .stored }
        let changes = ContactChanges(transaction: transaction, random: random)
        let (fresh, now) = (changes.freshID(), transaction.wallTime)
        var rules = try frame.isRequest ? rules(in: transaction) : ContactRules()
        var machine = before
        var (outcome, effects) = machine.hear(frame, id: id, rules: rules, now: now, fresh: fresh)
        guard case .stored = outcome, machine != before else { return outcome }
        // Finding namesakes means reading all friends, so do it only for a request that was not refused.
        let namesakes = try frame.isRequest ? namesakes(of: row, in: transaction) : []
        if machine.relation == .friend, !namesakes.isEmpty {
            // The policy takes everyone, except an account with a friend's name.
            rules.needsPerson = true
            machine = before
            (outcome, effects) = machine.hear(frame, id: id, rules: rules, now: now, fresh: fresh)
            guard case .stored = outcome, machine != before else { return outcome }
        }
        row.machine = machine
        if frame.isRequest, before.relation == .none {
            row.requestSource = origin.source
            row.asker = origin.asker
        }
        if frame.isRequest || row.relation == .friend { row.device = peer.device }
        try changes.store(row, effects)
        if row.relation == .incoming {
            try ContactTrust.met(
                peer.account, name: row.displayName, device: peer.device,
                // A friend who is online proves at this moment that the known key is in use.
                among: namesakes.filter { !isHere($0.account) }, in: transaction)
        }
        if before.relation == .none, row.relation == .incoming {
            try transaction.forgetRequests(
                of: origin.asker, beyond: MessagingLimits.requestRoom(of: origin.asker), but: peer.account)
            try transaction.forgetStrangers(beyond: MessagingLimits.rememberedStrangers)
        }
        return outcome
    }

    /// The rules that are cheap to find out: whether a friend has the same name is not among them.
    private func rules(in transaction: WriteTransaction) throws -> ContactRules {
        let policy = try choices.contacts(transaction)
        let day = transaction.wallTime + (.zero - MessagingLimits.requestDay)
        let isFull =
            try !origin.mayAsk
            || origin.source.map {
                try transaction.askerCount(of: $0, since: day) >= MessagingLimits.requestsOfSource
            } ?? false
        let isCrowded =
            try policy == .everyone && transaction.contactCount(.friend) >= MessagingLimits.friendsUnasked
        return ContactRules(policy: policy, isFull: isFull, needsPerson: isCrowded)
    }

    /// The friends with that name: one of them may have a new key, or the peer wants us to think so.
    private func namesakes(of row: ContactRow, in transaction: ReadTransaction) throws -> [ContactRow] {
        guard row.relation == .none || row.relation == .incoming, let name else { return [] }
        return ContactTrust.namesakes(of: name, among: try transaction.contacts(.friend))
    }
}

extension ContactFrame {
    fileprivate var isRequest: Bool {
        switch self {
        case .request, .friendship: true
        case .answer, .removal: false
        }
    }

    fileprivate var isYes: Bool {
        if case .answer(let body) = self { body.accepted } else { false }
    }
}
