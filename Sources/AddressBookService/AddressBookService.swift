import Basics
import Control
import ControlProtocol
import Reactor
import Store

/// Matches the address book with profiles, when one of them changes and when peers come and go, and tells clients what changed.
///
/// This module (`AddressBookService`) imports files, matches entries with profiles and sends invitations. Only the wiring knows it.
@ReactorActor package final class AddressBookService {
    /// Events of one change of the matches: a client that gets so many lists the address book again.
    private nonisolated static let events = 200

    let matches: AddressBookMatches
    private let store: Store
    private unowned let events: EventHub
    private let log: Logger
    private var watch = ProfileWatch()
    /// An empty address book matches nothing, so nothing is computed.
    private var isEmpty: Bool
    private var isLooking = false
    private var mustLookAgain = false

    /// - Parameter matches: the matches that the composer reads.
    package init(
        matches: AddressBookMatches, store: Store, events: EventHub, entries: Int64, contacts: [ContactRow], log: Logger
    ) {
        self.matches = matches
        self.store = store
        self.events = events
        self.log = log.labelled("address book")
        isEmpty = entries == 0
        for row in contacts { _ = watch.know(row) }
    }

    /// The first look, when clients can get events.
    package func start() { look() }

    // MARK: Changes

    /// A contact's row has changed.
    package func contactChanged(_ row: ContactRow) { if watch.know(row) { look() } }

    /// A peer showed a card.
    package func met(_ account: AccountID, displayName: String, email: String?, phone: String?) {
        let profile = ProfileWatch.Profile(displayName: displayName, email: email, phone: phone)
        if watch.met(account, profile) { look() }
    }

    /// An account came to the network, or left it.
    package func setHere(_ account: AccountID, _ isHere: Bool) { if watch.set(account, isHere: isHere) { look() } }

    /// Entries were added, changed or removed, and it is committed.
    func changed(added: Int64, updated: Int64, removed: Int64) {
        isEmpty = false
        events.ephemeral(
            .addressBookChanged, .update,
            ["added": .integer(added), "updated": .integer(updated), "removed": .integer(removed)])
        look()
    }

    // MARK: Looking

    /// One look at a time; changes meanwhile lead to the next.
    private func look() {
        guard !isEmpty else { return }
        guard !isLooking else {
            mustLookAgain = true
            return
        }
        isLooking = true
        let profiles = watch.profiles
        store.read { transaction in
            try profiles.map { account, profile in
                let keys = profile.keys
                return (account: account, entries: try transaction.addressOwners(phone: keys.phone, email: keys.email))
            }
        } then: { [weak self] in
            self?.looked($0)
        }
    }

    private func looked(
        _ result: Result<[(account: AddressBookMatches.Account, entries: [AddressEntryName])], any Error>
    ) {
        isLooking = false
        switch result {
        case .success(let accounts): tell(matches.replace(accounts))
        case .failure(let error): log.error("profiles can't be matched", [("error", "\(error)")])
        }
        guard mustLookAgain else { return }
        mustLookAgain = false
        look()
    }

    private func tell(_ changed: (entries: Set<Int64>, accounts: Set<AccountID>)) {
        guard !changed.entries.isEmpty else { return }
        store.read { [matches] transaction in
            try changed.entries.sorted().prefix(Self.events).compactMap { number in
                try transaction.addressEntry(number: number).map {
                    AddressBookEntry($0, accounts: matches.accounts(of: number))
                }
            }
        } then: { [weak self] result in
            guard case .success(let entries) = result else { return }
            for entry in entries { self?.events.ephemeral(.addressBookMatched, .update, entry.json) }
        }
    }
}

extension AddressBookEntry {
    /// An entry as clients see it.
    init(_ row: AddressEntryRow, accounts: [AddressBookMatches.Account]) {
        self.init(
            id: row.id.description, name: row.name, phones: row.phones.map(AddressBookEntry.Phone.init),
            emails: row.emails.compactMap { EmailAddress.checked($0.address) },
            matches: accounts.map {
                Match(account: $0.id.description, displayName: $0.displayName, relation: $0.relation, here: $0.isHere)
            }, invitedAt: row.invitedAt?.milliseconds)
    }
}

extension AddressBookEntry.Phone {
    fileprivate init(_ row: AddressEntryRow.Phone) {
        let prefix = row.e164.map { _ in "+\(row.callingCode)" }
        self.init(
            number: row.given, e164: row.e164, prefix: prefix,
            national: row.e164.map { String($0.dropFirst(prefix?.count ?? 0)) }, region: row.region,
            extension: row.extension, label: row.label)
    }
}
