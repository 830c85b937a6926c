import Basics
import ControlProtocol
import Messaging
import PeerProtocol
import Reactor
import Store
import Vocabulary

/// Changes contacts. Each change is one transaction with the frames that tell the other side.
@ReactorActor struct ContactHandlers: MethodArea {
    let base: MethodBase
    let network: any NetworkAccess

    var methods: [String: Method] {
        [
            "contact.request": { parameters, _ in try await request(parameters).json },
            "contact.accept": { parameters, _ in try await accept(parameters).json },
            "contact.decline": { parameters, _ in try await decline(parameters).json },
            "contact.declineAll": { parameters, _ in try await declineAll(parameters) },
            "contact.remove": { parameters, _ in try await remove(parameters).json },
            "contact.block": { parameters, _ in try await block(parameters).json },
            "contact.unblock": { parameters, _ in try await unblock(parameters).json },
            "contact.trustNewKey": { parameters, _ in try await trustNewKey(parameters).json },
            "contact.update": { parameters, _ in try await update(parameters).json },
        ]
    }

    private func request(_ parameters: Parameters) async throws -> Contact {
        let own = try requireAccount()
        let id: AccountID
        var name: String?
        var address: SocketAddress?
        if let given = parameters.account("id") {
            id = given
        } else if let text = parameters.optionalString("uri") {
            let link = try Self.link(text)
            (id, name) = (link.account, link.name)
            // The addresses in a link may be out of date; what counts is the account in it.
            address = link.addresses.first
            if id != own.id {
                for candidate in link.addresses.prefix(ControlLimits.linkAddresses) {
                    guard (try? await network.meet(candidate, expecting: id)) != nil else { continue }
                    address = candidate
                    break
                }
            }
        } else {
            guard let met = try await network.meet(parameters.address("address")).account else {
                throw ControlError(.offline, "no account could be identified there", hint: .checkAddress)
            }
            id = met
        }
        guard id != own.id else {
            throw ControlError(.invalid, "that is this account itself", hint: .addAnother)
        }
        let nearby = network.open?.nearby(id).first
        let person = FoundPerson(
            id: id, name: nearby?.displayName ?? name, device: nearby?.device, address: nearby?.address ?? address)
        let note = parameters.optionalString("note") ?? ""
        return try await change { transaction in
            try ContactChanges(transaction: transaction).act(.ask(note: note), on: try person.row(in: transaction))
        }
    }

    private static func link(_ text: String) throws -> ContactLink {
        do { return try ContactLink(text) } catch {
            throw ControlError(.invalid, "this is not a Kibo link: \(error.message)", hint: .giveLink, field: "uri")
        }
    }

    /// Commits a change and answers with the contact that it was about.
    private func change(
        _ body: @escaping @Sendable (WriteTransaction) throws -> ContactRow
    ) async throws -> Contact {
        composer.contact(try await store.commit(body))
    }

    private func act(_ action: ContactAction, _ parameters: Parameters) async throws -> Contact {
        let id = try account("id", parameters)
        return try await change { transaction in
            guard let row = try transaction.contact(id) else { throw MessagingError.notAmongContacts(id) }
            return try ContactChanges(transaction: transaction).act(action, on: row)
        }
    }

    private func accept(_ parameters: Parameters) async throws -> Contact { try await act(.accept, parameters) }

    /// Declines a request; the other side is not told.
    private func decline(_ parameters: Parameters) async throws -> Contact {
        try await sendAway(.decline, parameters)
    }

    /// Declines several requests; the other sides are not told.
    private func declineAll(_ parameters: Parameters) async throws -> JSONValue {
        let like = parameters.account("like")
        let declined = try await store.commit { transaction in
            let changes = ContactChanges(transaction: transaction)
            guard let like else { return try changes.declineAll() }
            guard let row = try transaction.contact(like) else { throw MessagingError.notAmongContacts(like) }
            guard row.relation == .incoming else { throw MessagingError.noRequest(name: row.shownName) }
            guard let source = row.requestSource else {
                _ = try changes.act(.decline, on: row)
                return 1
            }
            return try changes.declineAll(from: source)
        }
        return ["declined": .integer(Int64(declined))]
    }

    private func remove(_ parameters: Parameters) async throws -> Contact { try await sendAway(.remove, parameters) }

    /// Blocks any account, known or not.
    private func block(_ parameters: Parameters) async throws -> Contact {
        let own = try requireAccount()
        guard try account("id", parameters) != own.id else {
            throw ControlError(.invalid, "that is this account itself", hint: .addAnother, field: "id")
        }
        return try await sendAway(.block, parameters)
    }

    private func unblock(_ parameters: Parameters) async throws -> Contact { try await act(.unblock, parameters) }

    /// Declines, removes or blocks an account, and also forgets that the account may be a friend with a new key: the
    /// user has sent it away.
    private func sendAway(_ action: ContactAction, _ parameters: Parameters) async throws -> Contact {
        let id = try account("id", parameters)
        let nearby = network.open?.nearby(id).first
        let person = FoundPerson(id: id, name: nearby?.displayName, device: nearby?.device, address: nil)
        return try await change { transaction in
            let contact = try transaction.contact(id)
            guard contact != nil || action == .block else { throw MessagingError.notAmongContacts(id) }
            let row = try ContactChanges(transaction: transaction).act(
                action, on: contact ?? person.row(in: transaction))
            try ContactTrust.dismissed(id, in: transaction)
            return row
        }
    }

    private func update(_ parameters: Parameters) async throws -> Contact {
        let id = try account("id", parameters)
        let autoDownload = parameters.choice("autoDownload", as: AutoDownload.self)
        let alias = parameters.optionalString("alias")
        if let alias, !alias.isEmpty, !ForeignText.isLabel(alias, maximumCharacters: SharedLimits.foreignNameCharacters)
        {
            throw ControlError(.invalid, "this alias has nothing to be seen", hint: .giveVisibleAlias, field: "alias")
        }
        return try await change { transaction in
            // The library that folds it may have to be loaded.
            if let alias, !alias.isEmpty, !NameWord(alias).canBeAlias {
                throw ControlError(
                    .invalid, "an alias can't begin with a colon or look like an id", hint: .giveOtherAlias,
                    field: "alias")
            }
            guard let contact = try transaction.contact(id) else { throw MessagingError.notAmongContacts(id) }
            var row = contact
            row.autoDownload = autoDownload ?? row.autoDownload
            row.alias = alias ?? row.alias
            if row != contact { try transaction.save(row) }
            return row
        }
    }

    private func trustNewKey(_ parameters: Parameters) async throws -> Contact {
        let id = try account("id", parameters)
        return try await change { transaction in
            guard let row = try transaction.contact(id) else { throw MessagingError.notAmongContacts(id) }
            return try ContactTrust.trustNewKey(
                of: id, name: row.shownName, in: ContactChanges(transaction: transaction))
        }
    }
}

/// A person as found on the network or in a link.
private struct FoundPerson: Sendable {
    let id: AccountID
    let name: String?
    let device: DeviceID?
    let address: SocketAddress?

    /// As a contact, with what is known of them and what was found.
    func row(in transaction: WriteTransaction) throws -> ContactRow {
        var row =
            try transaction.contact(id)
            ?? ContactRow(
                account: id, displayName: name ?? Names.placeholder(for: id), createdAt: transaction.wallTime)
        row.device = row.device ?? device
        row.lastAddress = address?.description ?? row.lastAddress
        return row
    }
}
