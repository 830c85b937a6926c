import Account
import Basics
import ControlProtocol
import Crypto
import Glibc
import Reactor
import Runtime

/// Makes, locks and unlocks the account, and shows it.
@ReactorActor struct AccountHandlers: MethodArea {
    let base: MethodBase
    let needsAccount = false
    let keeper: any AccountControl
    let network: any NetworkAccess

    var methods: [String: Method] {
        [
            "account.create": { parameters, _ in try await create(parameters).json },
            "account.get": { _, _ in try await get().json },
            "account.unlock": { parameters, _ in try await unlock(parameters).json },
            "account.lock": { _, _ in try await lock().json },
            "account.changePassphrase": { parameters, _ in try await changePassphrase(parameters).json },
            "account.link": { _, _ in try link() },
        ]
    }

    private func create(_ parameters: Parameters) async throws -> Account {
        let passphrase = try Self.passphrase("passphrase", parameters)
        let remember = parameters.bool("remember")
        guard !remember || passphrase != nil else {
            throw ControlError(
                .invalid, "there is no passphrase to remember", hint: .givePassphraseToRemember, field: "remember")
        }
        let row = try await keeper.create(
            displayName: parameters.string("displayName"), deviceName: AccountKeeper.deviceName(),
            passphrase: passphrase,
            remember: remember)
        return composer.account(row)
    }

    private func get() async throws -> Account {
        _ = try requireAccount()
        guard let row = try await store.read({ try $0.ownAccount() }) else {
            throw ControlError.noAccount
        }
        return composer.account(row)
    }

    private func unlock(_ parameters: Parameters) async throws -> Account {
        // An empty passphrase is wrong without a second of computing.
        guard let passphrase = try Self.passphrase("passphrase", parameters) else {
            throw Self.emptyPassphrase("passphrase")
        }
        try await keeper.unlock(passphrase, remember: parameters.optionalBool("remember"))
        return try await get()
    }

    private func lock() async throws -> Account {
        try await keeper.lock()
        return try await get()
    }

    private func changePassphrase(_ parameters: Parameters) async throws -> Account {
        try await keeper.change(
            from: try Self.passphrase("old", parameters), to: try Self.passphrase("new", parameters))
        return try await get()
    }

    /// Nil if none is given. The request keeps its own copy of the text, which can't be erased (decision 0018).
    static func passphrase(_ name: String, _ parameters: Parameters) throws -> Passphrase? {
        guard let text = parameters.optionalString(name) else { return nil }
        guard !text.isEmpty else { throw emptyPassphrase(name) }
        return Passphrase(text)
    }

    private static func emptyPassphrase(_ name: String) -> ControlError {
        ControlError(.invalid, "the passphrase is empty", hint: .givePassphrase, field: name)
    }

    // MARK: The own link

    /// Returns the account's link. It has no secrets and needs no keys, so a locked account shows it too, but without
    /// addresses.
    private func link() throws -> JSONValue {
        let own = try requireAccount()
        let link = ContactLink(
            account: own.id, name: base.profile?.displayName,
            addresses: network.open?.reachableAddresses ?? [])
        return ["uri": .string(link.text), "qr": .string(try QRDrawing.text(of: link))]
    }
}
