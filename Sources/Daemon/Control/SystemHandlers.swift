import Basics
import ControlProtocol
import Crypto
import Glibc
import Store

extension Handlers {
    func hello() -> DaemonHello {
        DaemonHello(
            version: Kibod.version, protocol: 1, api: Int64(ControlProtocol.version),
            capabilities: ["direct", "files", "events"],
            account: context.account?.id.description)
    }

    func status() async throws -> DaemonStatus {
        let (queued, transfers) = try await context.store.read {
            (try $0.outboxCount(), try $0.unfinishedTransfers().count)
        }
        return DaemonStatus(
            uptime: (context.clocks.now - context.startedAt).milliseconds,
            listen: context.network?.listenAddresses.map(\.description) ?? [],
            interfaces: context.network?.interfaceNames ?? [],
            peers: Int64(context.network?.directory.shown.count ?? 0),
            sessions: Int64(context.network?.sessionCount ?? 0), queued: queued, transfers: Int64(transfers),
            locked: false, data: context.directory.path, databaseBytes: context.store.databaseBytes)
    }

    /// The reply leaves first: the daemon stops at a later turn.
    func shutdown() -> JSONValue {
        context.stopSoon()
        return [:]
    }

    // MARK: Account

    func createAccount(_ parameters: Parameters) async throws -> Account {
        guard context.account == nil, !context.isCreatingAccount else {
            throw ControlError(.alreadyExists, "this daemon has an account already", hint: "kibo status shows it.")
        }
        if parameters.has("passphrase") || parameters.bool("remember") {
            throw ControlError(
                .unsupported, "this version can't lock an account with a passphrase yet",
                hint: "Leave the passphrase out; the keys are protected by file permissions.", field: "passphrase")
        }
        context.isCreatingAccount = true
        defer { context.isCreatingAccount = false }
        let name = parameters.string("displayName")
        let now = context.clocks.wallTime
        let account = try LocalAccount.create(deviceName: Self.deviceName(), at: now)
        let directory = context.directory.path
        // The keys first: a crash in between leaves keys that no row speaks of, and nobody was told of them.
        try await context.files.run { try KeyFile.save(account, in: directory) }
        let row = AccountRow(
            account: account.id, device: account.device, deviceName: account.certificate.name, displayName: name,
            createdAt: now)
        try await context.store.write { try $0.saveOwnAccount(row) }
        context.account = account
        do {
            try context.openNetwork(profile: row)
        } catch {
            throw ControlError(
                .internal, "the account is made, but the network can't be used: \(error.message)",
                hint: "Start kibod again with other --listen or --interface options.")
        }
        return composer.account(row)
    }

    func account() async throws -> Account {
        _ = try requireAccount()
        guard let row = try await context.store.read({ try $0.ownAccount() }) else {
            throw ControlError(.noAccount, "there is no account yet", hint: "Make one with: kibo setup")
        }
        return composer.account(row)
    }

    /// The host's name, as far as it is fit to be shown.
    private static func deviceName() -> String {
        var buffer = [CChar](repeating: 0, count: 256)
        guard gethostname(&buffer, buffer.count - 1) == 0 else { return "host" }
        let bytes = buffer.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }
        let name = String(String(decoding: bytes, as: UTF8.self).prefix(CryptoLimits.deviceNameCharacters))
        return ForeignText.isLabel(name, maximumCharacters: CryptoLimits.deviceNameCharacters) ? name : "host"
    }
}
