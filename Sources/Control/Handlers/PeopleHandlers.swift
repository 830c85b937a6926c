import Basics
import ControlProtocol
import Messaging
import Reactor
import Vocabulary

/// Lists peers and contacts.
@ReactorActor struct PeopleHandlers: MethodArea {
    let base: MethodBase
    let network: any NetworkAccess
    private let order = ContactOrder()

    init(base: MethodBase, network: any NetworkAccess) {
        (self.base, self.network) = (base, network)
    }

    var methods: [String: Method] {
        [
            "peer.list": { parameters, _ in try await peers(parameters) },
            "peer.connect": { parameters, _ in try await connect(parameters).json },
            "contact.list": { parameters, _ in try await contacts(parameters) },
            "contact.get": { parameters, _ in try await contact(parameters).json },
        ]
    }

    // MARK: Peers

    private func peers(_ parameters: Parameters) async throws -> JSONValue {
        let text = parameters.optionalString("query")
        let (after, limit) = (
            try position("after", parameters, NamePlace.init), parameters.optionalInteger("limit").map { Int($0) }
        )
        let shown = (network.open?.shown ?? []).map(composer.peer)
        // There may be thousands of peers, and comparing names takes time, so the reading thread does it.
        let page = try await store.read { _ in
            let query = PersonQuery(text)
            let peers = shown.filter { query.fits(names: [$0.displayName], id: $0.account) }
            return NamePage(
                of: peers, by: \.displayName, then: { $0.account + $0.device }, after: after, limit: limit)
        }
        let peers = page.values
        // The user asks for these by name, so look at them: the next answer is then up to date.
        if text?.isEmpty == false, peers.count <= ControlLimits.looksOfQuestion {
            for device in peers.compactMap({ DeviceID($0.device) }) {
                network.open?.look(at: device)
            }
        }
        var result: JSONObject = ["peers": .array(peers.map(\.json))]
        if let next = page.next { result["next"] = .string(next.description) }
        return .object(result)
    }

    private func connect(_ parameters: Parameters) async throws -> Peer {
        let entry = try await network.meet(parameters.address("address"))
        return composer.peer(entry)
    }

    // MARK: Contacts

    private func contacts(_ parameters: Parameters) async throws -> JSONValue {
        let relation = parameters.choice("relation", as: Relation.self)
        let text = parameters.optionalString("query")
        let (after, limit) = (
            try position("after", parameters, NamePlace.init), parameters.optionalInteger("limit").map { Int($0) }
        )
        let (composer, order) = (composer, order)
        // The reading thread also sorts them: thousands of names take a while.
        let page = try await store.read { transaction in
            guard let limit, text?.isEmpty != false else {
                // Without a relation in the request, declined and removed contacts stay out.
                let isAsked = { (other: Relation) in relation.map { other == $0 } ?? (other != .none) }
                let query = PersonQuery(text)
                let chosen = try transaction.contacts().map(composer.contact).filter { contact in
                    isAsked(contact.relation)
                        && query.fits(
                            names: [contact.displayName, contact.alias, contact.email ?? ""], phone: contact.phone,
                            id: contact.id)
                }
                return NamePage(of: chosen, by: \.shownName, then: \.id, after: after, limit: limit)
            }
            return try order.page(of: relation, after: after, limit: limit, in: transaction).compactMap(
                composer.contact)
        }
        var result: JSONObject = ["contacts": .array(page.values.map(\.json))]
        if let next = page.next { result["next"] = .string(next.description) }
        return .object(result)
    }

    private func contact(_ parameters: Parameters) async throws -> Contact {
        let id = try account("id", parameters)
        guard let row = try await store.read({ try $0.contact(id) }) else {
            throw MessagingError.notAmongContacts(id)
        }
        return composer.contact(row)
    }
}

extension NetworkAccess {
    /// Opens a session with the device at an address.
    func meet(_ address: SocketAddress?, expecting account: AccountID? = nil) async throws -> NearbyDevice {
        guard let open, let address else {
            throw ControlError(.offline, "the network is not open", hint: .seeStatus)
        }
        switch await open.reach(address) {
        case .success(let entry):
            if let account, entry.account != account {
                throw ControlError(
                    .notFound, "another account than \(account) answers at \(address)", hint: .askForLink,
                    parameters: ["id": .string(account.description), "address": .string(address.description)])
            }
            return entry
        case .failure(let failure):
            var parameters = failure.parameters
            parameters["address"] = .string(address.description)
            throw ControlError(
                .offline, "\(address) can't be reached: \(failure.text)", hint: .checkAddress, parameters: parameters)
        }
    }
}
