import Basics
import Crypto
import Messaging
import PeerProtocol
import Reactor
import Store
import Vocabulary

/// Applies committed changes of contacts: to the index, then to the services that follow it.
@ReactorActor package final class ContactService {
    package let index: ContactIndex
    /// How many more requests each source may make. It outlives a network, so that locking gives nobody a new share.
    private var meter: RequestMeter
    private let store: Store
    /// Called for each contact whose row has changed, with what the index had before.
    package var onChange: [@ReactorActor (ContactRow, ContactIndex.Entry?) -> Void] = []
    /// Called for each account that is no contact any more.
    package var onForget: @ReactorActor (AccountID) -> Void = { _ in }
    /// Called for each transfer that changed with a contact.
    package var onTransfer: @ReactorActor (TransferRow) -> Void = { _ in }

    package init(store: Store, index: ContactIndex) {
        self.store = store
        self.index = index
        var random = SodiumGenerator()
        meter = RequestMeter(salt: random.next())
    }

    /// Where a request comes from, and whether another one of its source may be taken now. Counts the request if it
    /// needs a person's answer.
    /// - Parameters:
    ///   - address: that of the session.
    ///   - link: the interface on whose network it lies.
    ///   - isMate: whether the account shares a group with us.
    func origin(
        of account: AccountID, at address: IPAddress?, link: UInt32?, isMate: Bool, now: Instant
    ) -> RequestOrigin {
        guard let address else { return RequestOrigin() }
        let source = address.source(link: link, joinsNeighbours: true)
        let asker: Asker = isMate ? .mate : link != nil || address.isLoopback ? .nearby : .faraway
        let relation = index.relation(account)
        let counts = relation == .none || relation == .incoming
        return RequestOrigin(
            source: source.description, asker: asker, mayAsk: !counts || meter.take(source, asker, now: now))
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

    /// Does the same for a change of any number of contacts.
    package func commitAll(
        _ body: @escaping @Sendable (WriteTransaction) throws -> [ContactOutcome]
    ) async throws -> [ContactOutcome] {
        try await store.commit(body) { outcomes in
            for outcome in outcomes { self.apply([outcome.row] + outcome.others, outcome.transfers, outcome.forgotten) }
            return outcomes
        }
    }

    /// Call when a contact's row has changed with the last commit.
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
        for account in forgotten {
            index.forget(account)
            onForget(account)
        }
    }
}
