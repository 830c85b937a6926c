import Basics
import ControlProtocol
import Crypto
import Glibc
import Store

/// The account: making, locking and unlocking it, and showing it to others.
extension Handlers {
    nonisolated static let accountMethods: [String: Method] = [
        "account.create": { handlers, parameters, _ in try await handlers.createAccount(parameters).json },
        "account.get": { handlers, _, _ in try await handlers.account().json },
        "account.unlock": { handlers, parameters, _ in try await handlers.unlockAccount(parameters).json },
        "account.lock": { handlers, _, _ in try await handlers.lockAccount().json },
        "account.changePassphrase": { handlers, parameters, _ in try await handlers.changePassphrase(parameters).json },
        "account.link": { handlers, _, _ in try handlers.accountLink() },
    ]

    func createAccount(_ parameters: Parameters) async throws -> Account {
        let passphrase = try Self.passphrase("passphrase", parameters)
        let remember = parameters.bool("remember")
        guard !remember || passphrase != nil else {
            throw ControlError(
                .invalid, "there is no passphrase to remember", hint: .givePassphraseToRemember,
                field: "remember")
        }
        let row = try await context.keeper.create(
            displayName: parameters.string("displayName"), deviceName: Self.deviceName(), passphrase: passphrase,
            remember: remember)
        return composer.account(row)
    }

    func account() async throws -> Account {
        _ = try requireAccount()
        guard let row = try await context.store.read({ try $0.ownAccount() }) else {
            throw ControlError.noAccount
        }
        return composer.account(row)
    }

    func unlockAccount(_ parameters: Parameters) async throws -> Account {
        // An empty one is wrong, and not worth a second of work.
        guard let passphrase = try Self.passphrase("passphrase", parameters) else {
            throw Self.emptyPassphrase("passphrase")
        }
        try await context.keeper.unlock(passphrase, remember: parameters.optionalBool("remember"))
        return try await account()
    }

    func lockAccount() async throws -> Account {
        try await context.keeper.lock()
        return try await account()
    }

    func changePassphrase(_ parameters: Parameters) async throws -> Account {
        try await context.keeper.change(
            from: try Self.passphrase("old", parameters), to: try Self.passphrase("new", parameters))
        return try await account()
    }

    /// Nil if none is given. The request's own copy of the text is Swift's and stays where it has been (decision 0018).
    private static func passphrase(_ name: String, _ parameters: Parameters) throws -> Passphrase? {
        guard let text = parameters.optionalString(name) else { return nil }
        guard !text.isEmpty else { throw emptyPassphrase(name) }
        return Passphrase(text)
    }

    private static func emptyPassphrase(_ name: String) -> ControlError {
        ControlError(
            .invalid, "the passphrase is empty", hint: .givePassphrase,
            field: name)
    }

    /// The host's name, as far as it is fit to be shown.
    private static func deviceName() -> String {
        var buffer = [CChar](repeating: 0, count: 256)
        guard gethostname(&buffer, buffer.count - 1) == 0 else { return "host" }
        let bytes = buffer.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }
        let name = String(String(decoding: bytes, as: UTF8.self).prefix(CryptoLimits.deviceNameCharacters))
        return ForeignText.isLabel(name, maximumCharacters: CryptoLimits.deviceNameCharacters) ? name : "host"
    }

    // MARK: The own link

    /// Nothing in it is secret, and it needs no keys: it is there also while locked, then without addresses.
    func accountLink() throws -> JSONValue {
        let own = try requireAccount()
        let link = ContactLink(
            account: own.id, name: context.profile?.displayName,
            addresses: context.network?.reachableAddresses ?? [])
        return ["uri": .string(link.text), "qr": .string(try QRDrawing.text(of: link))]
    }
}
