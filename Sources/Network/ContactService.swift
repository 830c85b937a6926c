import Basics
import Messaging
import Reactor
import Store

/// Applies what was committed of contacts: to the index, then to the services that follow it.
@ReactorActor package final class ContactService {
    package let index: ContactIndex
    private let store: Store
    /// Called for each contact whose row has changed, with what the index had before.
    package var onChange: [@ReactorActor (ContactRow, ContactIndex.Entry?) -> Void] = []
    /// Called for each transfer that changed with a contact.
    package var onTransfer: @ReactorActor (TransferRow) -> Void = { _ in }

    package init(store: Store, index: ContactIndex) {
        self.store = store
        self.index = index
    }

    /// Commits a change of a contact and applies it.
    package func commit(_ body: @escaping @Sendable (WriteTransaction) throws -> ContactRow) async throws -> ContactRow
    {
        try await store.commit(body) { row in
            self.changed(row)
            return row
        }
    }

    /// Does the same for a change that may touch more than one row, and end transfers.
    package func commit(
        _ body: @escaping @Sendable (WriteTransaction) throws -> ContactOutcome
    ) async throws -> ContactOutcome {
        try await store.commit(body) { outcome in
            self.apply([outcome.row] + outcome.others, outcome.transfers, outcome.forgotten)
            return outcome
        }
    }

    /// A contact's row has changed with the last commit.
    package func changed(_ row: ContactRow) {
        let before = index.entry(row.account)
        index.update(row)
        for follow in onChange { follow(row, before) }
    }

    /// - Parameters:
    ///   - rows: the contacts that changed.
    ///   - transfers: the transfers that changed with them.
    ///   - forgotten: the accounts that are no contacts any more.
    package func apply(_ rows: [ContactRow], _ transfers: [TransferRow], _ forgotten: [AccountID]) {
        for row in rows { changed(row) }
        for row in transfers { onTransfer(row) }
        for account in forgotten { index.forget(account) }
    }
}
