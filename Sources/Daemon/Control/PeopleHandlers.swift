import Basics
import ControlProtocol
import PeerProtocol
import Store

extension Handlers {
    // MARK: Peers

    func peers(_ parameters: Parameters) throws -> JSONValue {
        _ = try requireAccount()
        let query = parameters.optionalString("query").map { $0.lowercased() } ?? ""
        let peers = (context.network?.directory.shown ?? []).map(context.peer).filter {
            query.isEmpty || $0.displayName.lowercased().contains(query) || $0.account.contains(query)
        }
        return ["peers": .array(peers.sorted(by: Self.precedes).map(\.json))]
    }

    private static func precedes(_ left: Peer, _ right: Peer) -> Bool {
        let names = (left.displayName.lowercased(), right.displayName.lowercased())
        return names.0 == names.1 ? left.account < right.account : names.0 < names.1
    }

    func connect(_ parameters: Parameters) async throws -> Peer {
        _ = try requireAccount()
        let entry = try await meet(parameters.address("address"))
        return context.peer(entry)
    }

    /// Opens a session with whoever is at an address.
    private func meet(
        _ address: SocketAddress?, expecting account: AccountID? = nil
    ) async throws -> PeerDirectory.Entry {
        guard let network = context.network, let address else {
            throw ControlError(.offline, "the network is not open", hint: "kibo status shows why.")
        }
        switch await network.meet(address) {
        case .success(let entry):
            if let account, entry.account != account {
                throw ControlError(
                    .notFound, "somebody else than \(account) answers at \(address)",
                    hint: "Ask for a new link, or add by the address alone if that is whom you mean.")
            }
            return entry
        case .failure(let failure):
            throw ControlError(
                .offline, "\(address) can't be reached: \(failure.text)",
                hint: "Check the address, that kibod runs there and that its port is open.")
        }
    }

    // MARK: Contacts

    func contacts(_ parameters: Parameters) async throws -> JSONValue {
        _ = try requireAccount()
        let relation = parameters.choice("relation", as: Relation.self)
        let query = parameters.optionalString("query").map { $0.lowercased() } ?? ""
        let composer = composer
        let contacts = try await context.store.read { try $0.contacts().map(composer.contact) }
        // Without a relation asked for, those who are nothing to us (declined, removed) stay out.
        let chosen = contacts.filter { contact in
            (relation.map { contact.relation == $0 } ?? (contact.relation != .none))
                && (query.isEmpty
                    || [contact.displayName, contact.alias, contact.email ?? "", contact.phone ?? "", contact.id]
                        .contains { $0.lowercased().contains(query) })
        }
        let sorted = chosen.sorted {
            let names = ($0.shownName.lowercased(), $1.shownName.lowercased())
            return names.0 == names.1 ? $0.id < $1.id : names.0 < names.1
        }
        return ["contacts": .array(sorted.map(\.json))]
    }

    func contact(_ parameters: Parameters) async throws -> Contact {
        _ = try requireAccount()
        let id = try account(parameters)
        guard let row = try await context.store.read({ try $0.contact(id) }) else { throw Self.noContact(id) }
        return composer.contact(row)
    }

    private func account(_ parameters: Parameters) throws -> AccountID {
        guard let id = parameters.account("id") else {
            throw ControlError(.invalid, "id is not an account id", field: "id")
        }
        return id
    }

    nonisolated private static func noContact(_ id: AccountID) -> ControlError {
        ControlError(
            .notFound, "\(id) is not among the contacts", hint: "kibo contacts lists them; kibo add asks somebody.")
    }

    func requestContact(_ parameters: Parameters) async throws -> Contact {
        let own = try requireAccount()
        let id: AccountID
        var name: String?
        var address: SocketAddress?
        if let given = parameters.account("id") {
            id = given
        } else if let text = parameters.optionalString("uri") {
            let link: ContactLink
            do { link = try ContactLink(text) } catch {
                throw ControlError(
                    .invalid, "this is not a Kibo link: \(error.message)",
                    hint: "It looks like kibo:kibo1…?name=…&addr=…",
                    field: "uri")
            }
            id = link.account
            name = link.name
            if let first = link.addresses.first {
                // A link may be older than the address in it; the account in it is what counts.
                address = first
                if id != own.id { _ = try? await meet(first, expecting: id) }
            }
        } else {
            guard let met = try await meet(parameters.address("address")).account else {
                throw ControlError(.offline, "nobody could be identified there")
            }
            id = met
        }
        guard id != own.id else {
            throw ControlError(.invalid, "that is this account itself", hint: "Add somebody else.")
        }
        let directory = context.network?.directory.devices(of: id).first
        return try await ask(
            id, name: directory?.displayName ?? name, device: directory?.device, address: directory?.address ?? address,
            note: parameters.optionalString("note") ?? "")
    }

    private func ask(
        _ id: AccountID, name: String?, device: DeviceID?, address: SocketAddress?, note: String
    ) async throws -> Contact {
        let now = context.clocks.wallTime
        let row = try await context.commitContact { transaction in
            var row =
                try transaction.contact(id)
                ?? ContactRow(account: id, displayName: name ?? Names.placeholder(for: id), createdAt: now)
            row.device = row.device ?? device
            row.lastAddress = address?.description ?? row.lastAddress
            switch row.relation {
            case .friend: return row
            case .blocked:
                throw ControlError(
                    .blocked, "you have blocked this contact", hint: "kibo unblock lifts that.")
            case .incoming:
                // The other one has asked already: asking back is saying yes.
                row.relation = .friend
                try ContactFrames.answer(accepted: true, to: id, in: transaction)
            case .requested, .none:
                row.relation = .requested
                row.note = note
                try ContactFrames.request(note: note, to: id, in: transaction)
            }
            try transaction.save(row)
            return row
        }
        return composer.contact(row)
    }

    func acceptContact(_ parameters: Parameters) async throws -> Contact {
        _ = try requireAccount()
        let id = try account(parameters)
        let row = try await context.commitContact { transaction in
            guard var row = try transaction.contact(id) else { throw Self.noContact(id) }
            switch row.relation {
            case .friend: return row
            case .incoming: break
            default:
                throw ControlError(
                    .invalid, "\(ForeignText.escaped(row.displayName)) has not asked to be friends",
                    hint: "kibo requests lists who has; kibo add asks somebody.", field: "id")
            }
            row.relation = .friend
            try transaction.save(row)
            try ContactFrames.answer(accepted: true, to: id, in: transaction)
            return row
        }
        return composer.contact(row)
    }

    func updateContact(_ parameters: Parameters) async throws -> Contact {
        _ = try requireAccount()
        let id = try account(parameters)
        let autoDownload = parameters.choice("autoDownload", as: AutoDownload.self).map(ContactRow.AutoDownload.init)
        let row = try await context.commitContact { transaction in
            guard var row = try transaction.contact(id) else { throw Self.noContact(id) }
            guard let autoDownload, autoDownload != row.autoDownload else { return row }
            row.autoDownload = autoDownload
            try transaction.save(row)
            return row
        }
        return composer.contact(row)
    }

    /// The other side is told nothing.
    func declineContact(_ parameters: Parameters) async throws -> Contact {
        _ = try requireAccount()
        let id = try account(parameters)
        let row = try await context.commitContact { transaction in
            guard var row = try transaction.contact(id) else { throw Self.noContact(id) }
            guard row.relation == .incoming || row.relation == .requested else {
                throw ControlError(
                    .invalid, "there is no request of \(ForeignText.escaped(row.displayName)) to decline",
                    hint: "kibo requests lists what is open.", field: "id")
            }
            row.relation = .none
            row.note = ""
            try transaction.save(row)
            // A request that has not left yet is taken back.
            try transaction.emptyOutbox(for: id, reason: ErrorKind.cancelled.rawValue)
            return row
        }
        return composer.contact(row)
    }
}
