import Basics
import ControlProtocol

/// What the daemon knows of LocalSend: how this host takes part, the devices nearby, and what they offer.
struct Guests {
    let isOn: Bool
    /// What this host is called in the lists of the devices.
    let name: String
    /// Where it listens; nil while it doesn't.
    let port: Int64?
    /// Why it doesn't work; nil if it does.
    let problem: String?
    let devices: [GuestDevice]
    /// The oldest first, also those that are over.
    let offers: [GuestOffer]

    /// Reads the answer of `guest.list`.
    init(json: JSONValue) throws {
        isOn = json["on"]?.bool ?? false
        name = json["name"]?.string ?? ""
        port = json["port"]?.integer
        problem = json["problem"]?.string
        devices = try (json["devices"]?.array ?? []).map { try GuestDevice(json: $0) }
        offers = try (json["offers"]?.array ?? []).map { try GuestOffer(json: $0) }
    }

    /// Asks the daemon.
    init(_ client: ControlClient) throws { try self.init(json: client.call("guest.list")) }

    /// The offers that wait for an answer.
    var waiting: [GuestOffer] { offers.filter { $0.state == .waiting } }

    /// The offers that wait or come in.
    var current: [GuestOffer] { offers.filter { !$0.state.isOver } }

    /// How this host takes part, for a sentence: `on as "Anna", port 53317`. What is wrong stands at the end.
    func state(on console: Console) -> String {
        guard isOn else { return "off" }
        if let problem {
            return console.styled("on, but doesn't work", .yellow) + ": \(ForeignText.escaped(problem))"
        }
        let state = "on as \"\(Words.name(name))\""
        return port.map { "\(state), port \($0)" } ?? "\(state), but not ready yet"
    }

    /// The beginnings of the offers' ids by which each can be named.
    var shortIDs: [String: String] { ShortID.table(offers.map(\.id), atLeast: ShortID.time) }

    /// The devices that a word fits; all of them without one.
    func devicesNamed(_ word: String?) -> [GuestDevice] {
        guard let lower = word?.lowercased() else { return devices }
        return devices.filter { device in
            [device.name, device.model ?? "", device.address].contains { $0.lowercased().contains(lower) }
        }
    }

    /// The offer that a person means by the beginning of its id, or by the name of its device.
    ///
    /// - Parameters:
    ///   - word: nil for the only one that waits.
    ///   - action: what is to be done with it, for hints: `take` or `decline`.
    func offer(_ word: String?, to action: String) throws(Failure) -> GuestOffer {
        guard let word else { return try onlyOne(to: action) }
        // A name means first of all an offer that something can still be done about.
        let likely = candidates(self.current)
        let isCurrent = !Resolver.matches(word, among: likely).isEmpty
        let found = try Resolver.resolve(
            word, among: isCurrent ? likely : candidates(offers), kind: "offers", hint: "See: kibo localsend")
        guard let offer = offers.first(where: { $0.id == found.id }) else {
            throw Failure(.notFound, "No offers match \"\(word)\".")
        }
        return offer
    }

    private func candidates(_ offers: [GuestOffer]) -> [Candidate] {
        let short = shortIDs
        return offers.map { offer in
            Candidate(
                id: offer.id, names: [offer.device.name], label: label(offer, short), isLikely: offer.state == .waiting)
        }
    }

    private func label(_ offer: GuestOffer, _ short: [String: String]) -> String {
        "\(short[offer.id] ?? offer.id)  \(Words.name(offer.device.name)), \(GuestWords.content(offer))"
    }

    private func onlyOne(to action: String) throws(Failure) -> GuestOffer {
        let waiting = self.waiting
        if let offer = waiting.first, waiting.count == 1 { return offer }
        let short = shortIDs
        guard waiting.isEmpty else {
            let lines = waiting.map { "  " + label($0, short) }
            throw Failure(
                .failed, "several offers wait",
                hint: (["Say which one: kibo localsend \(action) OFFER"] + lines).joined(separator: "\n"))
        }
        if action == "decline", let coming = self.current.first {
            throw Failure(
                .notFound, "no offer waits",
                hint: "To end one that comes in: kibo localsend decline \(short[coming.id] ?? coming.id)")
        }
        throw Failure(
            .notFound, "no offer waits",
            hint: isOn ? "See: kibo localsend" : "LocalSend is off. To switch it on: kibo localsend on")
    }
}
