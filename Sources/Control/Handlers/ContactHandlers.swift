import Basics
import ControlProtocol
import Crypto
import Messaging
import PeerProtocol
import Store
import Vocabulary

/// What the person here wants of others: each in one transaction with the frames that tell them.
extension Handlers {
    nonisolated static let contactMethods: [String: Method] = [
        "contact.request": { handlers, parameters, _ in try await handlers.requestContact(parameters).json },
        "contact.accept": { handlers, parameters, _ in try await handlers.acceptContact(parameters).json },
        "contact.decline": { handlers, parameters, _ in try await handlers.declineContact(parameters).json },
        "contact.remove": { handlers, parameters, _ in try await handlers.removeContact(parameters).json },
        "contact.block": { handlers, parameters, _ in try await handlers.blockContact(parameters).json },
        "contact.unblock": { handlers, parameters, _ in try await handlers.unblockContact(parameters).json },
        "contact.trustNewKey": { handlers, parameters, _ in try await handlers.trustNewKey(parameters).json },
        "contact.update": { handlers, parameters, _ in try await handlers.updateContact(parameters).json },
    ]

    func requestContact(_ parameters: Parameters) async throws -> Contact {
        let own = try requireAccount()
        let id: AccountID
        var name: String?
        var address: SocketAddress?
        if let given = parameters.account("id") {
            id = given
        } else if let text = parameters.optionalString("uri") {
            let link = try Self.link(text)
            (id, name) = (link.account, link.name)
            // A link may be older than the addresses in it; the account in it is what counts.
            address = link.addresses.first
            if id != own.id {
                for candidate in link.addresses.prefix(ControlLimits.linkAddresses) {
                    guard (try? await meet(candidate, expecting: id)) != nil else { continue }
                    address = candidate
                    break
                }
            }
        } else {
            guard let met = try await meet(parameters.address("address")).account else {
                throw ControlError(.offline, "nobody could be identified there")
            }
            id = met
        }
        guard id != own.id else {
            throw ControlError(.invalid, "that is this account itself", hint: .addAnother)
        }
        let nearby = context.network?.nearby(id).first
        let found = FoundPerson(
            id: id, name: nearby?.displayName ?? name, device: nearby?.device, address: nearby?.address ?? address)
        let note = parameters.optionalString("note") ?? ""
        return try await change { transaction in
            try ContactChanges(transaction: transaction).act(.ask(note: note), on: try found.row(in: transaction))
        }
    }

    private static func link(_ text: String) throws -> ContactLink {
        do { return try ContactLink(text) } catch {
            throw ControlError(
                .invalid, "this is not a Kibo link: \(error.message)", hint: .giveLink,
                field: "uri")
        }
    }

    /// Commits a change and answers with the contact that it was about.
    private func change(
        _ body: @escaping @Sendable (WriteTransaction) throws -> ContactOutcome
    ) async throws -> Contact {
        composer.contact(try await context.contactService.commit(body).row)
    }

    private func act(_ action: ContactAction, _ parameters: Parameters) async throws -> Contact {
        _ = try requireAccount()
        let id = try accountID(parameters)
        return try await change { transaction in
            guard let row = try transaction.contact(id) else { throw MessagingError.notAmongContacts(id) }
            return try ContactChanges(transaction: transaction).act(action, on: row)
        }
    }

    func acceptContact(_ parameters: Parameters) async throws -> Contact { try await act(.accept, parameters) }

    /// The other side is told nothing.
    func declineContact(_ parameters: Parameters) async throws -> Contact {
        try await sendAway(.decline, parameters)
    }

    func removeContact(_ parameters: Parameters) async throws -> Contact { try await sendAway(.remove, parameters) }

    /// Anybody, known or not.
    func blockContact(_ parameters: Parameters) async throws -> Contact {
        let own = try requireAccount()
        guard try accountID(parameters) != own.id else {
            throw ControlError(.invalid, "that is this account itself", field: "id")
        }
        return try await sendAway(.block, parameters)
    }

    func unblockContact(_ parameters: Parameters) async throws -> Contact { try await act(.unblock, parameters) }

    /// Whoever was sent away is not the friend whose name they bear.
    private func sendAway(_ action: ContactAction, _ parameters: Parameters) async throws -> Contact {
        _ = try requireAccount()
        let id = try accountID(parameters)
        let nearby = context.network?.nearby(id).first
        let found = FoundPerson(id: id, name: nearby?.displayName, device: nearby?.device, address: nil)
        return try await change { transaction in
            let known = try transaction.contact(id)
            guard known != nil || action == .block else { throw MessagingError.notAmongContacts(id) }
            var outcome = try ContactChanges(transaction: transaction).act(
                action, on: known ?? found.row(in: transaction))
            outcome.others += try ContactTrust.dismissed(id, in: transaction)
            return outcome
        }
    }

    func updateContact(_ parameters: Parameters) async throws -> Contact {
        _ = try requireAccount()
        let id = try accountID(parameters)
        let autoDownload = parameters.choice("autoDownload", as: AutoDownload.self)
        let alias = parameters.optionalString("alias")
        if let alias, !alias.isEmpty, !ForeignText.isLabel(alias, maximumCharacters: SharedLimits.foreignNameCharacters)
        {
            throw ControlError(
                .invalid, "this alias has nothing to be seen", hint: .giveVisibleAlias,
                field: "alias")
        }
        if let alias, !alias.isEmpty, !NameWord(alias).canBeAlias {
            throw ControlError(
                .invalid, "an alias can't begin with a colon or look like an id",
                hint: .giveOtherAlias, field: "alias")
        }
        return try await change { transaction in
            guard let known = try transaction.contact(id) else { throw MessagingError.notAmongContacts(id) }
            var row = known
            row.autoDownload = autoDownload ?? row.autoDownload
            row.alias = alias ?? row.alias
            if row != known { try transaction.save(row) }
            return ContactOutcome(row: row)
        }
    }

    func trustNewKey(_ parameters: Parameters) async throws -> Contact {
        _ = try requireAccount()
        let id = try accountID(parameters)
        return try await change { transaction in
            guard let row = try transaction.contact(id) else { throw MessagingError.notAmongContacts(id) }
            return try ContactTrust.trustNewKey(
                of: id, name: row.shownName, in: ContactChanges(transaction: transaction))
        }
    }
}

/// Somebody as found on the network or in a link.
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
