import Basics
import Crypto
import PeerProtocol
import Store
import Vocabulary

/// Carries out in the database what a ``ContactMachine`` decides: the row, the frames, and what ends with a friendship.
package struct ContactChanges {
    package let transaction: WriteTransaction
    /// Makes the identifiers; simulations have their own.
    package var random: any RandomNumberGenerator & Sendable = SodiumGenerator()

    package init(transaction: WriteTransaction, random: any RandomNumberGenerator & Sendable = SodiumGenerator()) {
        self.transaction = transaction
        self.random = random
    }

    package static let frameKinds: [FrameKind] = [.contactRequest, .contactAnswer, .contactRemoval]

    package func freshID() -> UUIDv7 {
        var random = random
        return UUIDv7(at: transaction.wallTime, using: &random)
    }

    /// Does what the user wants, and stores the row.
    /// - Returns: the row as it is then.
    /// - Throws: the refusal that says why the action makes no sense.
    package func act(_ action: ContactAction, on row: ContactRow) throws -> ContactRow {
        var (row, machine) = (row, row.machine)
        let effects: [ContactEffect]
        do {
            effects = try machine.act(action, now: transaction.wallTime, id: freshID())
        } catch {
            throw Self.refusal(error, row)
        }
        guard try machine != row.machine || transaction.contact(row.account) == nil else {
            return row
        }
        row.machine = machine
        return try store(row, effects)
    }

    /// Declines all requests that wait for an answer; the other sides are told nothing.
    /// - Parameter source: the source whose requests are declined; nil for all.
    /// - Returns: how many there were.
    package func declineAll(from source: String? = nil) throws -> Int {
        var count = 0
        for row in try transaction.contacts(.incoming) where source == nil || row.requestSource == source {
            _ = try act(.decline, on: row)
            try ContactTrust.dismissed(row.account, in: transaction)
            count += 1
        }
        if count > 0 { try transaction.forgetStrangers(beyond: MessagingLimits.rememberedStrangers) }
        return count
    }

    /// Stores a row that the machine has changed, with what follows from it.
    /// - Returns: the row as it is then, with the id of its conversation.
    @discardableResult
    package func store(_ row: ContactRow, _ effects: [ContactEffect]) throws -> ContactRow {
        var row = row
        // No other account can have come under the name of an account that is no friend.
        if row.relation != .friend, row.trust == .changed { ContactTrust.settle(&row, as: row.trustBefore) }
        try transaction.save(row)
        for effect in effects {
            switch effect {
            case .end:
                let reason: Reason = row.relation == .blocked ? .blocked : .notFriends
                // A blocked account gets nothing more from us. With an account that is merely no longer a friend,
                // groups go on.
                try transaction.emptyOutbox(
                    for: row.account, keepingGroups: row.relation != .blocked, reason: reason)
                try endTransfers(with: row.account, reason)
                try MailNotes.forget(row.account, in: transaction)
            case .send(let kind, let id, let body):
                try transaction.dropOutbox(for: row.account, kinds: Self.frameKinds.map(\.rawValue))
                try transaction.appendOutbox(for: row.account, id: id, kind: kind.rawValue, body: body)
            }
        }
        return try transaction.contact(row.account) ?? row
    }

    private func endTransfers(with account: AccountID, _ reason: Reason) throws {
        for var row in try transaction.unfinishedTransfers() where row.peer == account {
            row.state = .cancelled
            row.reason = reason
            row.detail = nil
            row.finishedAt = transaction.wallTime
            try transaction.update(row)
        }
    }

    package static func refusal(_ problem: ContactProblem, _ row: ContactRow) -> MessagingError {
        switch problem {
        case .noRequest: .noRequest(name: row.shownName)
        case .notFriend: .notFriend(name: row.shownName)
        case .blocked: .blocked(name: row.shownName)
        case .notBlocked: .notBlocked(name: row.shownName)
        }
    }
}
