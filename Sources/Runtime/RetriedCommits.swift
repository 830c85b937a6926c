import Basics
import Reactor
import Store

/// Commits facts that have already happened and can't be taken back, such as the end of a transfer or where a friend
/// was seen. If the disk refuses a change (because it is full, is failing, or another process holds the database), the
/// change is tried again until it is stored.
///
/// Changes that a client has asked for don't go this way: the client gets the refusal and decides. The one exception is
/// marking messages as read, because nobody needs to decide about that.
@ReactorActor package final class RetriedCommits {
    /// What a change is about. A newer change replaces an unstored one with the same key, so each change must read what
    /// it changes in its own transaction.
    package enum Key: Hashable, Sendable, CustomStringConvertible {
        /// The state or the end of a transfer's attempt.
        case transfer(UUIDv7)
        case progress(UUIDv7)
        case partRemoved(UUIDv7)
        case fileRemoved(UUIDv7)
        case given(UUIDv7, AccountID, isWhole: Bool)
        case openTransfers
        /// What the user has read of a conversation, up to a message.
        case markedRead(UUIDv7, upTo: UUIDv7)
        /// The states of sent items, from the first of them on.
        case sent(AccountID, UUIDv7)
        /// What an account has answered for these items: whether it has or refuses them.
        case answered(AccountID, [UUIDv7])
        /// Items that an account has seen.
        case read(AccountID, [UUIDv7])
        case card(AccountID)
        /// An account answered where these accounts were expected.
        case met(AccountID, [AccountID])
        case seen(AccountID, hasAddress: Bool)
        case presence(AccountID)
        case discoveryKeys(AccountID)
        case discoveryKeyNumber
        case loadedKeys
        /// The key of our mail note.
        case mailKey
        case mailNote(DeviceID)
        /// That a parcel was given to couriers.
        case parcel(UUIDv7)
        /// What became of a file that goes with a parcel, or of the transfer that it belongs to.
        case sealedFile(UUIDv7)
        /// What is over at the couriers.
        case parcels
        case account
        case recoveryKey
        case recovering
        /// Friends by the roster of the office.
        case roster
        case visibility
        case invited(UUIDv7)
        /// What stays of a call.
        case call(UUIDv7)
        /// That a call of ours has begun in a group.
        case callBegun(UUIDv7)

        /// Whether it may wait a moment to be committed together with other changes. A receipt only changes what is
        /// shown, and one comes for each message.
        var isPatient: Bool {
            switch self {
            case .answered, .read: true
            default: false
            }
        }

        /// For the log.
        package var description: String {
            switch self {
            case .transfer(let id): "how transfer \(id) stands"
            case .progress(let id): "how far transfer \(id) is"
            case .partRemoved(let id): "that the partial file of transfer \(id) is gone"
            case .fileRemoved(let id): "that the file of transfer \(id) is gone"
            case .given(let id, let account, let isWhole):
                "that \(account) has \(isWhole ? "all" : "a part") of transfer \(id) from here"
            case .markedRead(let conversation, _): "what was read of conversation \(conversation)"
            case .openTransfers: "which transfers are open"
            case .sent(let account, let id): "what \(account) has got, from item \(id) on"
            case .answered(let account, let ids): "what \(account) has answered for \(Self.items(ids.count))"
            case .read(let account, let ids): "that \(account) has seen \(Self.items(ids.count))"
            case .card(let account): "the card of \(account)"
            case .met(let account, let others):
                "that \(account) answered where \(others.map(\.description).joined(separator: ", ")) was expected"
            case .seen(let account, _): "when \(account) was seen"
            case .presence(let account): "the presence of \(account)"
            case .discoveryKeys(let account): "the discovery keys of \(account)"
            case .discoveryKeyNumber: "the number of our discovery key"
            case .loadedKeys: "which discovery keys are loaded"
            case .mailKey: "our mail key"
            case .mailNote(let device): "the mail note of \(device)"
            case .sealedFile(let id): "what became of the sealed file \(id)"
            case .parcel(let id): "that parcel \(id) was given to couriers"
            case .parcels: "which parcels are over"
            case .account: "our account"
            case .recoveryKey: "our recovery key"
            case .recovering: "that the account was recovered"
            case .roster: "the friends of the roster"
            case .visibility: "who sees this device"
            case .invited(let id): "that entry \(id) of the address book was invited"
            case .call(let id): "what stays of call \(id)"
            case .callBegun(let id): "that call \(id) has begun"
            }
        }

        private static func items(_ count: Int) -> String { count == 1 ? "one item" : "\(count) items" }
    }

    private let store: Store
    private let clocks: any Clocks
    private let log: Logger
    private var backlog = CommitBacklog<Key>(
        CommitBacklog.Limits(
            count: RuntimeLimits.retriedCommits.count, firstPause: RuntimeLimits.retriedCommits.firstPause,
            longestPause: RuntimeLimits.retriedCommits.longestPause))
    private var waiting: [Key: @ReactorActor () -> Void] = [:]
    private var timer: TimerToken?

    package init(store: Store, clocks: any Clocks, log: Logger) {
        self.store = store
        self.clocks = clocks
        self.log = log.labelled("commits")
    }

    /// Commits a change, then calls `then` with its result, before anything that is committed later is told. `then` is
    /// not called when the daemon stops first, when a newer change with the same key comes before this one is stored,
    /// or when the change is wrong in itself, which is logged.
    ///
    /// - Parameter readsOnly: whether the body only reads, on the writing thread for the sake of the order.
    package func commit<Value: Sendable>(
        _ key: Key, readsOnly: Bool = false, _ body: @escaping @Sendable (WriteTransaction) throws -> Value,
        then: @escaping @ReactorActor (Value) -> Void = { _ in }
    ) {
        guard let number = backlog.begin(key) else {
            return log.error("too much waits for the disk: a change is lost", [("change", "\(key)")])
        }
        waiting[key] = nil
        attempt(key, number, readsOnly, body, then)
    }

    /// Does the same from any thread.
    package nonisolated func commitLater<Value: Sendable>(
        _ key: Key, _ body: @escaping @Sendable (WriteTransaction) throws -> Value,
        then: @escaping @Sendable @ReactorActor (Value) -> Void = { _ in }
    ) {
        Reactor.shared.post { self.commit(key, body, then: then) }
    }

    private func attempt<Value: Sendable>(
        _ key: Key, _ number: UInt64, _ readsOnly: Bool,
        _ body: @escaping @Sendable (WriteTransaction) throws -> Value, _ then: @escaping @ReactorActor (Value) -> Void
    ) {
        store.commit(
            isPatient: key.isPatient, body,
            then: { [self] result in
                switch result {
                case .success(let value):
                    let others = backlog.stored(key, number, hasWritten: !readsOnly)
                    then(value)
                    perform(others)
                case .failure(let error) where Self.mayPass(error):
                    guard backlog.refused(key, number, now: clocks.now) else { return }
                    log.warning(
                        "a change can't be stored, and is tried again", [("change", "\(key)"), ("error", "\(error)")])
                    waiting[key] = { self.attempt(key, number, readsOnly, body, then) }
                    arm()
                case .failure(let error):
                    backlog.forget(key, number, now: clocks.now)
                    arm()
                    if case StoreError.closed = error { return }
                    log.error("a change is wrong in itself", [("change", "\(key)"), ("error", "\(error)")])
                }
            })
    }

    private func perform(_ attempts: CommitBacklog<Key>.Attempts) {
        for key in attempts { waiting.removeValue(forKey: key)?() }
        arm()
    }

    private func arm() {
        timer?.cancel()
        timer = backlog.nextDeadline.map { deadline in
            Reactor.shared.schedule(at: deadline) { [weak self] in
                guard let self else { return }
                perform(backlog.tick(now: clocks.now))
            }
        }
    }

    /// Whether the same change may be stored later.
    private nonisolated static func mayPass(_ error: any Error) -> Bool {
        guard let error = error as? StoreError else { return false }
        return switch error {
        case .full, .inputOutput, .busy, .tooLong, .noThread, .sql, .corrupt: true
        case .constraint, .missing, .closed, .cannotOpen, .foreign, .unreleased, .newer: false
        }
    }
}
