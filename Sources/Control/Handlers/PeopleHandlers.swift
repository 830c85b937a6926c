import Basics
import ControlProtocol
import Messaging
import PeerProtocol
import Store
import Vocabulary

extension Handlers {
    nonisolated static let peopleMethods: [String: Method] = [
        "peer.list": { handlers, parameters, _ in try await handlers.peers(parameters) },
        "peer.connect": { handlers, parameters, _ in try await handlers.connect(parameters).json },
        "contact.list": { handlers, parameters, _ in try await handlers.contacts(parameters) },
        "contact.get": { handlers, parameters, _ in try await handlers.contact(parameters).json },
    ]

    // MARK: Peers

    func peers(_ parameters: Parameters) async throws -> JSONValue {
        _ = try requireAccount()
        let text = parameters.optionalString("query")
        let shown = (context.network?.shown ?? []).map(composer.peer)
        // Thousands may be here, and comparing names as people do takes its time: on the reading thread.
        let found = try await context.store.read { _ in
            let query = PersonQuery(text)
            let peers = shown.filter { query.fits(names: [$0.displayName], id: $0.account) }
            return NameOrder().sorted(peers, by: \.displayName, then: { $0.account + $0.device })
        }
        // Somebody asks for these by name: what they show now is to be seen the next time at the latest.
        if text?.isEmpty == false, found.count <= ControlLimits.looksOfQuestion {
            for device in found.compactMap({ DeviceID($0.device) }) {
                context.network?.look(at: device)
            }
        }
        return ["peers": .array(found.map(\.json))]
    }

    func connect(_ parameters: Parameters) async throws -> Peer {
        _ = try requireAccount()
        let entry = try await meet(parameters.address("address"))
        return composer.peer(entry)
    }

    /// Opens a session with whoever is at an address.
    func meet(
        _ address: SocketAddress?, expecting account: AccountID? = nil
    ) async throws -> NearbyDevice {
        guard let network = context.network, let address else {
            throw ControlError(.offline, "the network is not open", hint: .seeStatus)
        }
        switch await network.reach(address) {
        case .success(let entry):
            if let account, entry.account != account {
                throw ControlError(
                    .notFound, "somebody else than \(account) answers at \(address)",
                    hint: .askForLink)
            }
            return entry
        case .failure(let failure):
            throw ControlError(
                .offline, "\(address) can't be reached: \(failure.text)",
                hint: .checkAddress)
        }
    }

    // MARK: Contacts

    func contacts(_ parameters: Parameters) async throws -> JSONValue {
        _ = try requireAccount()
        let relation = parameters.choice("relation", as: Relation.self)
        let text = parameters.optionalString("query")
        let composer = composer
        // Sorted there too, on the reading thread: thousands of names take a while.
        let sorted = try await context.store.read { transaction in
            let query = PersonQuery(text)
            let chosen = try transaction.contacts().map(composer.contact).filter { contact in
                // Without a relation asked for, those who are nothing to us (declined, removed) stay out.
                (relation.map { contact.relation == $0 } ?? (contact.relation != .none))
                    && query.fits(
                        names: [contact.displayName, contact.alias, contact.email ?? ""], phone: contact.phone,
                        id: contact.id)
            }
            return NameOrder().sorted(chosen, by: \.shownName, then: \.id)
        }
        return ["contacts": .array(sorted.map(\.json))]
    }

    func contact(_ parameters: Parameters) async throws -> Contact {
        _ = try requireAccount()
        let id = try accountID(parameters)
        guard let row = try await context.store.read({ try $0.contact(id) }) else {
            throw MessagingError.notAmongContacts(id)
        }
        return composer.contact(row)
    }

    func accountID(_ parameters: Parameters) throws -> AccountID {
        guard let id = parameters.account("id") else {
            throw ControlError(.invalid, "id is not an account id", field: "id")
        }
        return id
    }
}
