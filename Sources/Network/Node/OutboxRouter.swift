import Basics
import Crypto
import Messaging
import PeerProtocol
import Reactor
import Runtime
import Store

/// Sends what is in the outbox as a ``DeliveryMachine`` wants it: over the session with the account, or through the
/// dialler, so that there will be a session. It also stores the results.
@ReactorActor package final class OutboxRouter {
    private let sessions: Sessions
    private let presence: PresencePublisher
    private let dialler: Dialler
    private let environment: Environment
    private let contacts: ContactIndex
    private let groups: GroupIndex
    private let log: Logger
    private var machine = DeliveryMachine(random: SodiumGenerator())
    private var timer: TimerToken?
    private var startAgain: TimerToken?
    /// Called with the accounts for which a parcel of ours is lost.
    package var onLostParcel: @ReactorActor ([AccountID]) -> Void = { _ in }

    package init(
        environment: Environment, sessions: Sessions, presence: PresencePublisher, dialler: Dialler,
        contacts: ContactIndex, groups: GroupIndex
    ) {
        self.sessions = sessions
        self.presence = presence
        self.dialler = dialler
        self.environment = environment
        self.contacts = contacts
        self.groups = groups
        log = environment.log.labelled("delivery")
    }

    /// Takes up what was in the outbox before the restart, which is a reason to dial.
    package func start() {
        environment.store.read {
            try $0.pendingAccounts()
        } then: { [weak self] in
            self?.found($0)
        }
    }

    private func found(_ accounts: Result<[AccountID], any Error>) {
        switch accounts {
        case .success(let accounts): perform(machine.pending(accounts))
        case .failure(let error):
            log.error("what waits can't be read", [("error", "\(error)")])
            let moment = environment.clocks.now + NetworkLimits.outboxRetry
            startAgain = Reactor.shared.schedule(at: moment) { [weak self] in self?.start() }
        }
    }

    package func stop() {
        timer?.cancel()
        startAgain?.cancel()
    }

    /// Tells the machine what one commit put into the outbox, in its order.
    func grew(_ rows: [OutboxRow]) {
        var rest = rows[...]
        while let account = rest.first?.account {
            let items = rest.prefix { $0.account == account }
            rest = rest.dropFirst(items.count)
            perform(machine.appended(items.map(OutboxItem.init), for: account))
        }
    }

    package func connected(_ account: AccountID) {
        machine.connected(account)
        arm()
    }

    package func disconnected(_ account: AccountID) {
        machine.disconnected(account)
        arm()
    }

    /// Takes the account's answer about items that it was sent.
    package func settled(_ ids: [UUIDv7], by account: AccountID, _ status: ReceiptBody.Status) {
        perform(machine.settled(ids, by: account, status, now: environment.clocks.now))
    }

    /// Tries at once, because the user doesn't want to wait.
    package func retry(_ account: AccountID) {
        perform(machine.retry(account))
        guard sessions.with(account) == nil else { return }
        for device in devices(of: account) { dialler.request(device) }
    }

    /// How far delivery to an account is, and what comes next.
    /// - Parameter isWithoutCouriers: whether couriers are given nothing for it.
    package func prospect(of account: AccountID, isWithoutCouriers: Bool) -> DeliveryOutlook {
        let outlook = devices(of: account).compactMap(dialler.outlook).min { $0.order < $1.order }
        return DeliveryOutlook(
            isConnected: sessions.with(account) != nil, dial: outlook, isWithoutCouriers: isWithoutCouriers)
    }

    private func perform(_ effects: [DeliveryEffect]) {
        for effect in effects {
            switch effect {
            case .hand(let account, let items): sessions.with(account)?.outboxAppended(items)
            case .again(let account, let ids): sendAgain(ids, to: account)
            case .restart(let account): sessions.with(account)?.outboxRestart()
            case .seek(let account): for device in devices(of: account) { dialler.pend(device) }
            case .delivered(let account, let ids):
                store(.answered(account, ids)) { transaction in
                    let left = try transaction.acknowledge(ids, by: account)
                    try ParcelRecords(transaction: transaction).stored(left, by: account)
                }
            case .seen(let account, let ids):
                store(.read(account, ids)) { try $0.advance(ids, at: account, to: .read) }
            case .postpone(let account, let ids, let refusal):
                store(.answered(account, ids)) {
                    try $0.postpone(ids, by: account, reason: refusal.reason, detail: refusal.detail)
                }
            case .fail(let account, let ids, let refusal):
                store(.answered(account, ids)) { transaction in
                    let left = try transaction.refuse(ids, by: account, reason: refusal.reason, detail: refusal.detail)
                    try Self.requestRefused(left, by: account, refusal, in: transaction)
                    return try ParcelRecords(transaction: transaction).refused(left, by: account)
                } then: { [weak self] lost in
                    if !lost.isEmpty { self?.onLostParcel(lost) }
                }
            }
        }
        arm()
    }

    /// Stores what the account has answered. The latest of several answers about the same items counts; whether items
    /// were seen is stored separately.
    private func store<Value: Sendable>(
        _ key: RetriedCommits.Key, _ body: @escaping @Sendable (WriteTransaction) throws -> Value,
        then: @escaping @ReactorActor (Value) -> Void = { _ in }
    ) {
        environment.commits.commit(key, body, then: then)
    }

    /// Handles a refusal of our request to be friends: then there is no request any more.
    private nonisolated static func requestRefused(
        _ left: [OutboxReceipt], by account: AccountID, _ refusal: Refusal, in transaction: WriteTransaction
    ) throws {
        guard var row = try transaction.contact(account) else { return }
        var machine = row.machine
        for item in left where item.kind == FrameKind.contactRequest.rawValue {
            guard machine.refused(item.id, refusal) else { continue }
            row.machine = machine
            return try transaction.save(row)
        }
    }

    private func sendAgain(_ ids: [UUIDv7], to account: AccountID) {
        environment.store.read { transaction in
            try ids.compactMap { try transaction.outboxItem($0, for: account) }
        } then: { [weak self] in
            self?.read(ids, for: account, $0)
        }
    }

    private func read(_ ids: [UUIDv7], for account: AccountID, _ result: Result<[OutboxRow], any Error>) {
        switch result {
        case .success(let rows):
            let present = Set(rows.map(\.id))
            machine.gone(ids.filter { !present.contains($0) }, for: account)
            let items = rows.map(OutboxItem.init).sorted { $0.sequence < $1.sequence }
            sessions.with(account)?.outboxAgain(items)
        case .failure:
            // The items are sent again after the next wait.
            let refusal = Refusal(.internal, detail: "it could not be read here")
            settled(ids, by: account, .refused(refusal))
        }
    }

    /// The devices at which an account is known to be.
    private func devices(of account: AccountID) -> Set<DeviceID> {
        var devices = Set(presence.directory.devices(of: account).map(\.device))
        if let device = contacts.entry(account)?.device { devices.insert(device) }
        return devices.union(groups.devices(of: account))
    }

    private func arm() {
        timer?.cancel()
        timer = machine.nextDeadline.map { deadline in
            Reactor.shared.schedule(at: deadline) { [weak self] in
                guard let self else { return }
                perform(machine.tick(now: environment.clocks.now))
            }
        }
    }
}

extension OutboxItem {
    package init(_ row: OutboxRow) {
        self.init(sequence: row.seq, id: row.id, kind: FrameKind(rawValue: row.kind), body: row.body)
    }
}
