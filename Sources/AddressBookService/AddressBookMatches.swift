import Basics
import ControlProtocol
import Store
import Threads
import Vocabulary

/// Which entries of the address book fit which accounts, of the known and the nearby ones, by what their profiles show.
///
/// The reactor changes it; the store's threads read it when they make objects for clients.
package final class AddressBookMatches: Sendable {
    package init() {}

    /// An account whose profile shows an e-mail address or a number that is in the address book.
    struct Account: Hashable, Sendable {
        var id: AccountID
        var displayName: String
        var relation: Relation
        var isHere: Bool
    }

    private struct State {
        var entries: [AccountID: [AddressEntryName]] = [:]
        var accounts: [Int64: [Account]] = [:]
    }

    private let state = Lock(State())

    /// The first entry that an account's profile fits.
    package func entry(of account: AccountID) -> AddressBookEntry.Reference? {
        state.withLock { $0.entries[account]?.first }
            .map { AddressBookEntry.Reference(id: $0.id.description, name: $0.name) }
    }

    /// The accounts that fit an entry, the most likely first.
    func accounts(of entry: Int64) -> [Account] { state.withLock { $0.accounts[entry] ?? [] } }

    /// The entries that are on Kibo.
    var matched: Set<Int64> { state.withLock { Set($0.accounts.keys) } }

    /// Replaces all matches.
    /// - Returns: the entries and the accounts whose matches have changed.
    func replace(
        _ found: [(account: Account, entries: [AddressEntryName])]
    ) -> (entries: Set<Int64>, accounts: Set<AccountID>) {
        var new = State()
        for (account, entries) in found where !entries.isEmpty {
            new.entries[account.id] = entries
            for entry in entries { new.accounts[entry.number, default: []].append(account) }
        }
        for (entry, accounts) in new.accounts { new.accounts[entry] = accounts.sorted(by: Self.precedes) }
        return state.withLock { [new] state in
            defer { state = new }
            let entries = Set(state.accounts.keys).union(new.accounts.keys)
            let accounts = Set(state.entries.keys).union(new.entries.keys)
            return (
                entries.filter { state.accounts[$0] != new.accounts[$0] },
                accounts.filter { state.entries[$0]?.first != new.entries[$0]?.first }
            )
        }
    }

    /// Any profile may show any number: known accounts come before strangers.
    private static func precedes(_ left: Account, _ right: Account) -> Bool {
        let order = (rank(left.relation), rank(right.relation))
        return order.0 == order.1 ? left.id.description < right.id.description : order.0 < order.1
    }

    private static func rank(_ relation: Relation) -> Int {
        switch relation {
        case .friend: 0
        case .requested: 1
        case .incoming: 2
        case .none: 3
        case .blocked: 4
        }
    }
}
