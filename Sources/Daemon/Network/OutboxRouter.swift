import Basics
import PeerProtocol
import Reactor
import Store

/// Brings what is in the outbox on its way: to the session with the account, or to the dialler, so that there will be one.
@ReactorActor final class OutboxRouter {
    private unowned let network: PeerNetwork
    private let dialler: Dialler
    private let context: Context

    init(network: PeerNetwork, dialler: Dialler, context: Context) {
        self.network = network
        self.dialler = dialler
        self.context = context
    }

    /// What was in the outbox before the restart is a reason to dial.
    func start() {
        context.store.submitRead {
            try $0.pendingAccounts()
        } completion: { [weak self] result in
            guard case .success(let accounts) = result else { return }
            Reactor.shared.post { for account in accounts { self?.pend(account) } }
        }
    }

    /// What one commit put into the outbox, in its order.
    func grew(_ rows: [OutboxRow]) {
        var rest = rows[...]
        while let account = rest.first?.account {
            let items = rest.prefix { $0.account == account }
            rest = rest.dropFirst(items.count)
            if let session = network.session(with: account) {
                session.outboxAppended(
                    items.map {
                        OutboxItem(sequence: $0.seq, id: $0.id, kind: FrameKind(rawValue: $0.kind), body: $0.body)
                    })
            } else {
                pend(account)
            }
        }
    }

    /// Something waits for an account without a session: wherever it is known to be, it is dialled.
    private func pend(_ account: AccountID) {
        var devices = Set(network.directory.devices(of: account).map(\.device))
        if let device = context.contacts.entry(account)?.device { devices.insert(device) }
        for device in devices { dialler.pend(device) }
    }
}
