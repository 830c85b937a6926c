import Basics
import ControlProtocol
import Reactor
import Store

/// Tells clients when the totals on a badge have changed.
///
/// The totals are counted after a commit that may have changed them, at most a few times a second, and only while a
/// subscriber wants them.
@ReactorActor package final class TotalsWatch {
    private let store: Store
    private let hub: EventHub
    private var told: Totals?
    private var timer: TimerToken?
    private var isCounting = false
    private var isStale = false

    package init(store: Store, hub: EventHub) {
        self.store = store
        self.hub = hub
    }

    /// Looks whether the events of a commit may have changed the totals.
    package func committed(_ events: [EventRecord]) {
        let mayHaveChanged = events.contains { record in
            switch record.object {
            case .conversation, .contact: true
            case .account, .message, .transfer, .setting, .group: false
            }
        }
        if mayHaveChanged { count() }
    }

    private func count() {
        guard hub.isWanted(.totalsChanged) else {
            // A client that subscribes later asks for the totals, and hears of the next change, whatever it is.
            told = nil
            return
        }
        isStale = true
        guard timer == nil, !isCounting else { return }
        timer = Reactor.shared.schedule(at: Reactor.shared.now + ControlLimits.totalsPause) { [weak self] in
            self?.timer = nil
            self?.read()
        }
    }

    private func read() {
        (isCounting, isStale) = (true, false)
        store.read(by: .events) { transaction in
            try Totals(in: transaction)
        } completion: { [weak self] result in
            Reactor.shared.post {
                guard let self else { return }
                self.isCounting = false
                if case .success(let totals) = result, totals != self.told {
                    self.told = totals
                    self.hub.ephemeral(.totalsChanged, .update, totals.json)
                }
                if self.isStale { self.count() }
            }
        }
    }
}

extension Totals {
    /// The totals as they are in a transaction.
    init(in transaction: ReadTransaction) throws {
        let unread = try transaction.unreadTotals()
        self.init(
            unread: unread.loud, muted: unread.muted, requests: try transaction.contactCount(.incoming),
            missedCalls: try transaction.missedCalls(), mentions: unread.mentions)
    }
}
