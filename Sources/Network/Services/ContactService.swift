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
    /// Called for each contact whose row has changed, with what the index had before.
    package var onChange: [@ReactorActor (ContactRow, ContactIndex.Entry?) -> Void] = []
    /// Called for each account that is no contact any more.
    package var onForget: @ReactorActor (AccountID) -> Void = { _ in }

    package init(index: ContactIndex) {
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
            source: source.description, asker: asker, mayAsk: !counts || meter.acquire(source, asker, now: now))
    }

    /// Call with the contacts that a commit has changed, and those that are none any more.
    package func committed(_ rows: [ContactRow], forgotten: [AccountID]) {
        for row in rows {
            let before = index.entry(row.account)
            index.update(row)
            for follow in onChange { follow(row, before) }
        }
        for account in forgotten {
            index.forget(account)
            onForget(account)
        }
    }
}
