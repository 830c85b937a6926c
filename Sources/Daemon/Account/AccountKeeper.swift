import Basics
import Control
import ControlProtocol
import Crypto
import Messaging
import Network
import Reactor
import Runtime
import Store
import Threads

/// Makes, locks, unlocks and re-seals the account. One of these at a time: what takes 256 MiB must not run twice at once, and
/// a lock that is asked for during an unlock comes after it.
@ReactorActor final class AccountKeeper {
    private let environment: Environment
    private let current: CurrentAccount
    private let online: OnlineServices
    private let housekeeper: Housekeeper
    private let log: Logger
    private let state: AccountState
    private let remembered: RememberedPassphrase
    private let cost: PassphraseCost
    private let lane = OrderedLane()
    private var delay = PassphraseDelay()
    /// Nil without a passphrase.
    private var sealed: SealedKeys?

    init(
        environment: Environment, current: CurrentAccount, state: AccountState, sealed: SealedKeys?,
        online: OnlineServices, housekeeper: Housekeeper, cost: PassphraseCost = .standard
    ) {
        self.environment = environment
        self.current = current
        self.state = state
        self.sealed = sealed
        self.online = online
        self.housekeeper = housekeeper
        self.cost = cost
        log = environment.log.labelled("account")
        remembered = RememberedPassphrase(directory: environment.directory)
    }

    // MARK: Making

    func create(
        displayName: String, deviceName: String, passphrase: Passphrase?, remember: Bool
    ) async throws -> AccountRow {
        await lane.enter()
        defer { lane.leave() }
        guard current.profile == nil else {
            throw ControlError(.alreadyExists, "this daemon has an account already", hint: .seeStatus)
        }
        let now = environment.clocks.wallTime
        let account = try LocalAccount.create(deviceName: deviceName, at: now)
        let keys = try await seal(account, with: passphrase)
        let (directory, remembered) = (environment.directory, remembered)
        // The keys first: a crash in between leaves keys that no row speaks of. So may a lost database: they are kept.
        let aside = try await onFiles {
            let aside = try KeyFile.setAside(in: directory, at: now)
            remembered.forget()
            try KeyFile.save(keys, in: directory)
            if remember, let passphrase { try remembered.write(passphrase) }
            return aside
        }
        if let aside { log.warning("the keys of another account that were here are now in \(aside)") }
        let row = AccountRow(
            account: account.id, device: account.device, deviceName: account.certificate.name,
            displayName: displayName, createdAt: now)
        let incarnation = try await environment.store.write { transaction in
            try transaction.saveOwnAccount(row)
            return try transaction.nextIncarnation(atLeast: Incarnation.least(at: transaction.wallTime))
        }
        keep(keys)
        current.opened(account, profile: row)
        do {
            try online.open(incarnation: incarnation)
        } catch {
            throw ControlError(
                .internal, "the account is made, but the network can't be used: \(error.message)",
                hint: .listenElsewhere)
        }
        return row
    }

    // MARK: Unlocking

    /// - Parameter remember: whether the next start finds the passphrase by itself; nil leaves that as it is.
    func unlock(_ passphrase: Passphrase, remember: Bool?) async throws {
        await lane.enter()
        defer { lane.leave() }
        try requireAccount()
        guard let sealed else {
            throw ControlError(
                .invalid, "this account has no passphrase: there is nothing to unlock",
                hint: .setPassphrase, field: "passphrase")
        }
        // Also where it is unlocked already: whoever asks is to know whether this is the passphrase.
        let account = try await open(sealed, with: passphrase)
        if let remember {
            let remembered = remembered
            try await onFiles { if remember { try remembered.write(passphrase) } else { remembered.forget() } }
        }
        let wasLocked = current.isLocked
        if wasLocked { current.opened(account) }
        noteState()
        if wasLocked || remember != nil { announce() }
        guard !online.isOpen else { return }
        // Peers tell by it that this is not the daemon they knew.
        let incarnation = try await environment.store.write {
            try $0.nextIncarnation(atLeast: Incarnation.least(at: $0.wallTime))
        }
        do {
            try online.open(incarnation: incarnation)
        } catch {
            throw ControlError(
                .internal, "the account is unlocked, but the network can't be used: \(error.message)",
                hint: .listenElsewhereAndUnlock)
        }
        log.notice("unlocked")
    }

    /// Tries a passphrase, unless it is too soon for that.
    private func open(_ sealed: SealedKeys, with passphrase: Passphrase) async throws -> LocalAccount {
        if let wait = delay.wait(now: environment.clocks.now) {
            let seconds = max(1, (wait.milliseconds + 999) / 1000)
            throw ControlError(
                .busy, "a wrong passphrase was given a moment ago",
                hint: .waitBeforeTrying,
                parameters: ["seconds": .integer(Int64(clamping: seconds))])
        }
        do {
            let account = try await PlatformThread.run(name: "passphrase") { try sealed.open(with: passphrase) }
            delay.succeeded()
            return account
        } catch Keystore.Failure.wrongPassphrase {
            delay.failed(now: environment.clocks.now)
            log.warning("a wrong passphrase was given")
            throw ControlError(
                .wrongPassphrase, "that is not the passphrase of this account",
                hint: .rememberPassphrase)
        } catch Keystore.Failure.outOfMemory {
            throw Self.outOfMemory(sealed.keystore.cost)
        }
    }

    // MARK: Locking

    /// Says goodbye to everybody, ends transfers, and drops the keys. Returns when they are gone.
    func lock() async throws {
        await lane.enter()
        defer { lane.leave() }
        try requireAccount()
        guard sealed != nil else {
            throw ControlError(
                .notAllowed, "this account has no passphrase: anybody could unlock it",
                hint: .setPassphrase)
        }
        guard !current.isLocked else { return }
        current.dropKeys()
        noteState()
        await online.close()
        announce()
        log.notice("locked")
    }

    // MARK: Another passphrase

    /// - Parameters:
    ///   - old: the one that counts now; nil if there is none.
    ///   - new: nil for none.
    func change(from old: Passphrase?, to new: Passphrase?) async throws {
        await lane.enter()
        defer { lane.leave() }
        try requireAccount()
        // What is without a passphrase can't be locked, so that this must come first.
        guard let account = current.keys else { throw MessagingError.locked }
        switch (sealed, old) {
        case (let sealed?, let old?): _ = try await open(sealed, with: old)
        case (_?, nil):
            throw ControlError(
                .wrongPassphrase, "this account has a passphrase, which is needed to change it", field: "old")
        case (nil, _?):
            throw ControlError(
                .invalid, "this account has no passphrase yet", hint: .leaveOldOut, field: "old")
        case (nil, nil):
            if new == nil { return }
        }
        let keys = try await seal(account, with: new)
        let change = PassphraseChange(to: keys, new, in: environment.directory, remembered: remembered)
        let leftover = try await onFiles { try change.run() }
        if let leftover { log.warning("the next start finishes the change of the passphrase: \(leftover)") }
        keep(keys)
        announce()
        log.notice(new == nil ? "the passphrase was removed" : "the passphrase was changed")
    }

    private func seal(_ account: LocalAccount, with passphrase: Passphrase?) async throws -> StoredKeys {
        guard let passphrase else { return .plain(account) }
        let cost = cost
        do {
            return .sealed(
                try await PlatformThread.run(name: "passphrase") {
                    try SealedKeys.seal(account, with: passphrase, cost: cost)
                })
        } catch Keystore.Failure.outOfMemory {
            throw Self.outOfMemory(cost)
        }
    }

    // MARK: Small things

    private func keep(_ keys: StoredKeys) {
        if case .sealed(let keys) = keys { sealed = keys } else { sealed = nil }
        noteState()
    }

    /// Lets those know who make objects of the account.
    func noteState() {
        let value = AccountState.Value(
            isLocked: current.isLocked, hasPassphrase: sealed != nil, isRemembered: sealed != nil && remembered.isThere)
        state.change { $0 = value }
        housekeeper.lookAtClock()
    }

    private func announce() {
        // Clients are to see it, whoever has changed it.
        environment.commits.commit(.account) {
            if try $0.ownAccount() != nil { $0.changed(.account, .update) }
        }
    }

    private func requireAccount() throws {
        guard current.profile == nil else { return }
        throw ControlError.noAccount
    }

    private static func outOfMemory(_ cost: PassphraseCost) -> ControlError {
        ControlError(
            .busy, "there is not enough free memory: a passphrase takes \(cost.kibibytes >> 10) MiB for a moment",
            hint: .freeMemory)
    }

    /// What a disk says no to is for the person to know.
    private func onFiles<Value: Sendable>(_ body: @escaping @Sendable () throws -> Value) async throws -> Value {
        do {
            return try await environment.workers.files.run(body)
        } catch let error as StartError {
            throw ControlError(.noSpace, error.message, hint: .freeSpace)
        }
    }
}
