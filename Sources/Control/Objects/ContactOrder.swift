import Basics
import Messaging
import Store
import Threads
import Vocabulary

/// All contacts in the order of their names, kept between the pages of one list: sorting thousands of names takes a
/// while, and the next page is asked for at once.
///
/// *Invariant.* What is kept is the order at its version, which is the number of the newest event: a name that changes, and a
/// contact that comes or goes, is an event of the same commit.
final class ContactOrder: Sendable {
    private struct Kept {
        let version: Int64
        let relation: Relation?
        let accounts: [AccountID]
    }

    private let kept = Lock<Kept?>(nil)

    /// One page of the contacts.
    /// - Parameters:
    ///   - relation: nil for all but declined and removed ones.
    ///   - after: the place at which the page before ended; nil for the first page.
    func page(
        of relation: Relation?, after: NamePlace?, limit: Int, in transaction: ReadTransaction
    ) throws -> NamePage<ContactRow> {
        let order = NameOrder()
        let accounts = try accounts(relation, order, in: transaction)
        func place(_ index: Int) throws -> NamePlace? {
            try transaction.contact(accounts[index]).map {
                NamePlace($0.shownName, rest: $0.account.description, order: order)
            }
        }
        var (first, end) = (0, accounts.count)
        while let after, first < end {
            let middle = first + (end - first) / 2
            if let place = try place(middle), place <= after { first = middle + 1 } else { end = middle }
        }
        let page = accounts[first...].prefix(limit)
        return NamePage(
            values: try page.compactMap { try transaction.contact($0) },
            next: page.endIndex < accounts.count && !page.isEmpty ? try place(page.endIndex - 1) : nil)
    }

    private func accounts(
        _ relation: Relation?, _ order: NameOrder, in transaction: ReadTransaction
    ) throws -> [AccountID] {
        let version = try transaction.latestEvent()
        if let kept = kept.withLock({ $0 }), kept.version == version, kept.relation == relation {
            return kept.accounts
        }
        // Of all contacts, read only the names.
        let names = try transaction.contactNames().filter { name in
            relation.map { $0 == name.relation } ?? (name.relation != .none)
        }
        let accounts = names.map { name in
            let shown = name.alias.isEmpty ? name.displayName : name.alias
            return (place: NamePlace(shown, rest: name.account.description, order: order), account: name.account)
        }.sorted { $0.place < $1.place }.map(\.account)
        kept.withLock { $0 = Kept(version: version, relation: relation, accounts: accounts) }
        return accounts
    }
}
