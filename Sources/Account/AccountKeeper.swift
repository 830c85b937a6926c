import Basics
import ControlProtocol
import Crypto
import Messaging
import Reactor
import Runtime
import Store
import Threads

/// What may run only while the account's keys are in memory: the network and everything built on it.
@ReactorActor package protocol OnlineControl: AnyObject {
    var isOpen: Bool { get }
    /// Opens the network.
    /// - Parameter incarnation: the number of this start or unlock; nil for that of the start.
    func open(incarnation: UInt32?) throws(StartError)
    /// Gives what was just written to couriers, while there still are keys. Takes two seconds at most.
    func flush() async
    /// Says goodbye to all peers, and returns when no part of the network has keys any more.
    func close() async
    /// The account was made, locked or unlocked.
    func accountChanged()
}

/// Makes, locks, unlocks and re-seals the account, one request after the other: sealing takes 256 MiB, and a lock that is asked
/// for during an unlock comes after it.
@ReactorActor package final class AccountKeeper {
    private let environment: Environment
    private let current: CurrentAccount
    private let online: any OnlineControl
    private let log: Logger
    private let state: AccountState
    private let remembered: RememberedPassphrase
    private let cost = PassphraseCost.standard
    private let lane = AsyncMutex()
    private var delay = PassphraseDelay()
    /// Nil without a passphrase.
    private var sealed: SealedKeys?
    /// Takes over the account whose row is being stored.
    private var beingMade: (() -> Void)?

    package init(
        environment: Environment, current: CurrentAccount, state: AccountState, atStart: AccountAtStart,
        online: any OnlineControl
    ) {
        self.environment = environment
        self.current = current
        self.state = state
        sealed = atStart.sealed
        self.online = online
        log = environment.log.labelled("account")
        remembered = RememberedPassphrase(directory: environment.directory)
    }

    /// The device's certificate, which names the account; nil while there is no account.
    package var certificate: DeviceCertificate? { current.keys?.certificate ?? sealed?.certificate }

    // MARK: Making

    package func create(
        displayName: String, deviceName: String, passphrase: Passphrase?, remember: Bool
    ) async throws -> AccountRow {
        try await make(
            nil, displayName: displayName, deviceName: deviceName, passphrase: passphrase, remember: remember)
    }

    /// Makes an account again whose disk is lost, as a new device.
    package func recover(_ accountKey: SigningKey, displayName: String, deviceName: String) async throws -> AccountRow {
        try await make(accountKey, displayName: displayName, deviceName: deviceName, passphrase: nil, remember: false)
    }

    /// - Parameter known: the key of an account that comes back; nil for a new account.
    private func make(
        _ known: SigningKey?, displayName: String, deviceName: String, passphrase: Passphrase?, remember: Bool
    ) async throws -> AccountRow {
        await lane.enter()
        defer { lane.leave() }
        guard current.profile == nil else {
            throw ControlError(.alreadyExists, "this daemon has an account already", hint: .seeStatus)
        }
        let now = environment.clocks.wallTime
        let account = try LocalAccount.newDevice(of: known ?? SigningKey(), deviceName: deviceName, at: now)
        let keys = try await seal(account, with: passphrase)
        let (directory, remembered) = (environment.directory, remembered)
        // The keys come first: a crash in between leaves keys without a row. A lost database does the same, so they are kept.
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
        let recoveryKey = account.accountKey.recoveryKey.publicKey
        let isKnown = known != nil
        beingMade = { [self] in
            keep(keys)
            current.isRecovering = isKnown
            current.opened(account, profile: row)
        }
        defer { beingMade = nil }
        let incarnation = try await environment.store.commit { transaction in
            try transaction.saveOwnAccount(row)
            try RecoveryRows.save(recoveryKey, in: transaction)
            if isKnown {
                try RecoveryRows.noteRecovered(in: transaction)
                try RecoveryRows.noteCodeShown(in: transaction)
            }
            return try transaction.nextIncarnation()
        }
        do {
            try online.open(incarnation: incarnation)
        } catch {
            throw ControlError(
                .internal, "the account is made, but the network can't be used yet: \(error.message)",
                hint: .listenElsewhere)
        }
        return row
    }

    /// Takes over an account that is being made, now that its row is stored. Clients hear of it afterwards: whoever does, and
    /// asks for it, finds it.
    package func committed() {
        beingMade?()
        beingMade = nil
    }

    /// What a new device on this host is called: the host's name, if it can be shown.
    nonisolated package static func deviceName() -> String {
        let name = String((Paths.hostName ?? "").prefix(CryptoLimits.deviceNameCharacters))
        return ForeignText.isLabel(name, maximumCharacters: CryptoLimits.deviceNameCharacters) ? name : "host"
    }

    // MARK: Restoring

    /// Carries out a restore, during which nobody can make an account. If it succeeds, no account can be made any more until
    /// the daemon has started again.
    package func restore<Value: Sendable>(_ body: () async throws -> Value) async throws -> Value {
        await lane.enter()
        do {
            guard current.profile == nil else {
                throw ControlError(
                    .alreadyExists,
                    "this daemon has an account already: a backup is restored where there is none yet, into an empty data "
                        + "directory", hint: .seeStatus)
            }
            return try await body()
        } catch {
            lane.leave()
            throw error
        }
    }

    // MARK: Unlocking

    /// - Parameter remember: whether the next start finds the passphrase by itself; nil leaves that as it is.
    package func unlock(_ passphrase: Passphrase, remember: Bool?) async throws {
        await lane.enter()
        defer { lane.leave() }
        try requireAccount()
        guard let sealed else {
            throw ControlError(
                .invalid, "this account has no passphrase: there is nothing to unlock",
                hint: .setPassphrase, field: "passphrase")
        }
        // An unlocked account is tried, too: the client learns whether this is the passphrase.
        let account = try await open(sealed, with: passphrase)
        if let remember {
            let remembered = remembered
            try await onFiles { if remember { try remembered.write(passphrase) } else { remembered.forget() } }
        }
        let wasLocked = current.isLocked
        if wasLocked { current.opened(account) }
        noteState()
        keepRecoveryKey()
        if wasLocked || remember != nil { announce() }
        guard !online.isOpen else { return }
        // Peers tell a new daemon from the one they knew by this number.
        let incarnation = try await environment.store.commit { try $0.nextIncarnation() }
        do {
            try online.open(incarnation: incarnation)
        } catch {
            throw ControlError(
                .internal, "the account is unlocked, but the network can't be used yet: \(error.message)",
                hint: .listenElsewhere)
        }
        log.notice("unlocked")
    }

    /// Tries a passphrase, unless the last wrong one was given a moment ago.
    private func open(_ sealed: SealedKeys, with passphrase: Passphrase) async throws -> LocalAccount {
        try delay.check(now: environment.clocks.now)
        do {
            let account = try await PlatformThread.run(name: "passphrase") { try sealed.open(with: passphrase) }
            delay.succeeded()
            return account
        } catch Keystore.Failure.wrongPassphrase {
            delay.failed(now: environment.clocks.now)
            log.warning("a wrong passphrase was given")
            throw ControlError(
                .wrongPassphrase, "that is not the passphrase of this account", hint: .rememberPassphrase)
        } catch Keystore.Failure.outOfMemory {
            throw ControlError.outOfMemory(sealed.keystore.cost)
        }
    }

    // MARK: Locking

    /// Says goodbye to all peers, ends transfers, drops the keys, and returns when they are gone.
    package func lock() async throws {
        await lane.enter()
        defer { lane.leave() }
        try requireAccount()
        guard sealed != nil else {
            throw ControlError(
                .notAllowed, "this account has no passphrase: any program here could unlock it", hint: .setPassphrase)
        }
        guard !current.isLocked else { return }
        await online.flush()
        current.dropKeys()
        noteState()
        await online.close()
        announce()
        log.notice("locked")
    }

    // MARK: The recovery code

    /// The account's key as text.
    /// - Parameter passphrase: the one that is valid now; nil if there is none.
    package func recoveryCode(_ passphrase: Passphrase?) async throws -> String {
        await lane.enter()
        defer { lane.leave() }
        try requireAccount()
        guard let account = current.keys else { throw MessagingError.locked }
        try await confirm(
            passphrase, field: "passphrase", "this account has a passphrase, which is needed to show the code")
        // If it can't be noted, it isn't shown: the reminders would go on for a code that somebody has.
        try await environment.store.commit { try RecoveryRows.noteCodeShown(in: $0) }
        log.notice("the recovery code was shown")
        return RecoveryCode.text(of: account.accountKey)
    }

    /// Stores the public half of the recovery key, if the keys are in memory: databases of older versions don't have it.
    package func keepRecoveryKey() {
        guard let key = current.keys?.accountKey.recoveryKey.publicKey else { return }
        environment.commits.commit(.recoveryKey) {
            if try RecoveryRows.key(in: $0) != key { try RecoveryRows.save(key, in: $0) }
        }
    }

    /// Checks the passphrase of an account that has one.
    /// - Parameter missing: why it is needed, if it wasn't given.
    private func confirm(_ passphrase: Passphrase?, field: String, _ missing: String) async throws {
        switch (sealed, passphrase) {
        case (let sealed?, let passphrase?): _ = try await open(sealed, with: passphrase)
        case (_?, nil): throw ControlError(.wrongPassphrase, missing, field: field)
        case (nil, _?):
            throw ControlError(.invalid, "this account has no passphrase yet", hint: .leaveOldOut, field: field)
        case (nil, nil): break
        }
    }

    // MARK: Another passphrase

    /// - Parameters:
    ///   - old: the passphrase that is valid now; nil if there is none.
    ///   - new: nil for none.
    package func change(from old: Passphrase?, to new: Passphrase?) async throws {
        await lane.enter()
        defer { lane.leave() }
        try requireAccount()
        // An account without a passphrase can't be locked, so a lock is the first thing to check.
        guard let account = current.keys else { throw MessagingError.locked }
        try await confirm(old, field: "old", "this account has a passphrase, which is needed to change it")
        if sealed == nil, new == nil { return }
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
            throw ControlError.outOfMemory(cost)
        }
    }

    // MARK: Small things

    private func keep(_ keys: StoredKeys) {
        if case .sealed(let keys) = keys { sealed = keys } else { sealed = nil }
        noteState()
    }

    /// Passes on how the keys are kept now.
    package func noteState() {
        let value = AccountState.Value(
            isLocked: current.isLocked, hasPassphrase: sealed != nil, isRemembered: sealed != nil && remembered.isThere)
        state.change { $0 = value }
        online.accountChanged()
    }

    private func announce() {
        // All clients see the change, whichever of them made it.
        environment.commits.commit(.account) {
            if try $0.ownAccount() != nil { $0.changed(.account, .update) }
        }
    }

    private func requireAccount() throws {
        guard current.profile == nil else { return }
        throw ControlError.noAccount
    }

    /// Turns what the disk refuses into an error for the client.
    private func onFiles<Value: Sendable>(_ body: @escaping @Sendable () throws -> Value) async throws -> Value {
        do {
            return try await environment.workers.files.run(body)
        } catch let error as StartError {
            throw ControlError(.noSpace, error.message, hint: .freeSpace)
        }
    }
}
