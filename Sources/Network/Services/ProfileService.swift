import Account
import Basics
import ControlProtocol
import Messaging
import PeerProtocol
import Reactor
import Runtime
import Store
import Vocabulary

/// What this account shows of itself: changes of the profile, which become new cards, and whether the user is here.
@ReactorActor package final class ProfileService {
    private let environment: Environment
    private let account: CurrentAccount
    private let contacts: ContactIndex
    private unowned let publisher: any ProfilePublisher
    private var presence: OwnPresence

    package init(
        environment: Environment, account: CurrentAccount, contacts: ContactIndex, publisher: any ProfilePublisher
    ) {
        self.environment = environment
        self.account = account
        self.contacts = contacts
        self.publisher = publisher
        presence = OwnPresence(said: account.profile?.isAway == true ? .away : .online)
        environment.settings.onChange(SettingsCatalogue.showEmail) { [weak self] _ in self?.visibilityChanged() }
        environment.settings.onChange(SettingsCatalogue.showPhone) { [weak self] _ in self?.visibilityChanged() }
    }

    // MARK: The profile

    /// Commits a change of the account's row. Then tells the peers that get to know of it, before anything that is
    /// committed later. A change of the card gives the card a new version.
    package func update(_ change: @escaping @Sendable (inout AccountRow) -> Void) async throws -> AccountRow {
        try await environment.store.commit { transaction in
            guard var row = try transaction.ownAccount() else { throw ControlError.noAccount }
            let before = row
            change(&row)
            guard row != before else { return row }
            if row.shown != before.shown { row.renewCard(at: transaction.wallTime) }
            try transaction.saveOwnAccount(row)
            return row
        } apply: { row in
            self.committed(row)
            return row
        }
    }

    private func committed(_ row: AccountRow) {
        let before = account.profile
        account.changed(row)
        if row.cardVersion != before?.cardVersion { publisher.cardChanged() }
        let said: Presence = row.isAway ? .away : .online
        if said != presence.said { change { $0.say(said) } }
    }

    /// Gives the cards a new version, because they have other fields from now on.
    private func visibilityChanged() {
        publisher.cardChanged()
        environment.commits.commit(.visibility) { transaction -> AccountRow? in
            guard var row = try transaction.ownAccount(), row.email != nil || row.phone != nil else { return nil }
            row.renewCard(at: transaction.wallTime)
            try transaction.saveOwnAccount(row)
            return row
        } then: { [weak self] row in
            if let row { self?.committed(row) }
        }
    }

    // MARK: Presence

    /// What friends see.
    package var state: Presence { presence.state }

    /// Stores that the user says they are here, or away. That lasts until they say otherwise, even after a
    /// restart.
    package func say(_ state: Presence, statusText: String?) async throws {
        _ = try await update { row in
            row.isAway = state == .away
            if let statusText { row.statusText = statusText }
        }
        // A user who says it again is here again, whatever clients have noticed since.
        change { $0.say(state) }
    }

    /// Notes that a client's user is idle, or active again. That counts while the client is connected.
    package func noticed(idle isIdle: Bool, by client: ObjectIdentifier) {
        change { $0.noticed(idle: isIdle, by: Int(bitPattern: client)) }
    }

    package func left(_ client: ObjectIdentifier) { change { $0.left(Int(bitPattern: client)) } }

    private func change(_ body: (inout OwnPresence) -> Void) {
        let before = presence.state
        body(&presence)
        guard presence.state != before else { return }
        contacts.isIdle = presence.said == .online && presence.state == .away
        publisher.presenceChanged(presence.state)
        // All clients are to see the change, whichever of them made it.
        environment.commits.commit(.account) {
            if try $0.ownAccount() != nil { $0.changed(.account, .update) }
        }
    }
}

extension AccountRow {
    /// The fields that peers see.
    fileprivate var shown: [[UInt8]?] {
        [
            Array(displayName.utf8), Array(statusText.utf8), email.map { Array($0.utf8) }, phone.map { Array($0.utf8) },
            avatar,
        ]
    }
}

extension AccountRow {
    /// Gives the card a version above all versions that it had, including those that an older copy of the data doesn't
    /// know of.
    fileprivate mutating func renewCard(at time: WallTime) {
        cardVersion = max(cardVersion == .max ? cardVersion : cardVersion + 1, time.milliseconds)
    }
}
