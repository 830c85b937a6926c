import AddressBook
import Basics
import ControlProtocol
import Reactor
import Runtime
import Store

/// Is told what changes in the address book.
@ReactorActor package protocol AddressBookObserver: AnyObject {
    func entriesChanged(added: Int64, updated: Int64, removed: Int64)
    /// Another account fits the entry now, or one less.
    func matched(_ entry: AddressBookEntry)
}

/// Matches the address book with profiles, as both change and peers come and go, and tells clients what that changed.
@ReactorActor package final class AddressBookService {
    let matches: AddressBookMatches
    private let store: Store
    private unowned let observer: any AddressBookObserver
    private let log: Logger
    private var watch = ProfileWatch()
    /// Nothing is looked for in an empty book.
    private var isEmpty: Bool
    private var isLooking = false
    private var mustLookAgain = false

    /// - Parameter matches: the same that the composer reads.
    package init(
        matches: AddressBookMatches, store: Store, observer: any AddressBookObserver, entries: Int64,
        contacts: [ContactRow], log: Logger
    ) {
        self.matches = matches
        self.store = store
        self.observer = observer
        self.log = log.labelled("address book")
        isEmpty = entries == 0
        for row in contacts { _ = watch.know(row) }
    }

    /// The first look, once events can be told.
    package func start() { look() }

    // MARK: What others tell

    /// A contact's row is another one.
    package func contactChanged(_ row: ContactRow) { if watch.know(row) { look() } }

    /// Somebody showed a card.
    package func met(_ account: AccountID, displayName: String, email: String?, phone: String?) {
        let profile = ProfileWatch.Profile(displayName: displayName, email: email, phone: phone)
        if watch.met(account, profile) { look() }
    }

    /// Somebody is on the network, or not any more.
    package func setHere(_ account: AccountID, _ isHere: Bool) { if watch.set(account, isHere: isHere) { look() } }

    /// Entries were added, changed or removed, and it is committed.
    func changed(added: Int64, updated: Int64, removed: Int64) {
        isEmpty = false
        observer.entriesChanged(added: added, updated: updated, removed: removed)
        look()
    }

    // MARK: Looking

    /// One look at a time; what changes meanwhile is for the next.
    private func look() {
        guard !isEmpty else { return }
        guard !isLooking else {
            mustLookAgain = true
            return
        }
        isLooking = true
        let profiles = watch.profiles
        store.look { transaction in
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
        case .success(let found): tell(matches.replace(found))
        case .failure(let error): log.error("profiles can't be matched", [("error", "\(error)")])
        }
        guard mustLookAgain else { return }
        mustLookAgain = false
        look()
    }

    private func tell(_ changed: (entries: Set<Int64>, accounts: Set<AccountID>)) {
        guard !changed.entries.isEmpty else { return }
        store.look { [matches] transaction in
            try changed.entries.sorted().prefix(ControlLimits.matchEvents).compactMap { number in
                try transaction.addressEntry(number: number).map {
                    AddressBookEntry($0, accounts: matches.accounts(of: number))
                }
            }
        } then: { [weak self] result in
            guard case .success(let entries) = result else { return }
            for entry in entries { self?.observer.matched(entry) }
        }
    }
}

extension AddressBookEntry {
    /// An entry as clients see it.
    init(_ row: AddressEntryRow, accounts: [AddressBookMatches.Account]) {
        self.init(
            id: row.id.description, name: row.name, phones: row.phones.map(AddressBookEntry.Phone.init),
            emails: row.emails.map(\.address),
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
