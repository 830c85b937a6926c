import Basics
import ControlProtocol
import Vocabulary

/// What the daemon knows of LocalSend: how this host takes part, the devices nearby, what they offer, and what they are
/// offered.
struct Guests {
    /// How long devices have to answer, and a service that was just switched on to listen.
    private static let patience = Duration.seconds(3)
    /// How often the daemon is asked meanwhile.
    private static let interval = Duration.milliseconds(100)

    /// The daemon's answer as it came.
    let json: JSONValue
    let isOn: Bool
    /// What this host is called in the lists of the devices.
    let name: String
    /// Where it listens; nil while it doesn't.
    let port: Int64?
    /// Why it doesn't work; nil if it does.
    let problem: String?
    let devices: [GuestDevice]
    /// What devices offer: the oldest first, also those that are over.
    let offers: [GuestOffer]
    /// What this user offers to devices, in the same way.
    let given: [GuestOffer]

    /// Reads the answer of `guest.list`.
    init(json: JSONValue) throws {
        self.json = json
        isOn = json["on"]?.bool ?? false
        name = json["name"]?.string ?? ""
        port = json["port"]?.integer
        problem = json["problem"]?.string
        devices = try (json["devices"]?.array ?? []).map { try GuestDevice(json: $0) }
        offers = try (json["offers"]?.array ?? []).map { try GuestOffer(json: $0) }
        given = try (json["given"]?.array ?? []).map { try GuestOffer(json: $0) }
    }

    /// Asks the daemon.
    init(_ client: ControlClient) throws { try self.init(json: client.call("guest.list")) }

    /// Asks the daemon again and again, for some seconds at most, until its answer is enough. Nothing may be subscribed to.
    ///
    /// - Parameter looks: whether all devices are asked who they are, too.
    init(_ client: ControlClient, looks: Bool = false, until isEnough: (Guests) -> Bool) throws {
        let deadline = SystemClocks().now + Self.patience
        var guests = try Guests(json: client.call("guest.list", looks ? ["look": true] : [:]))
        while !isEnough(guests), SystemClocks().now < deadline {
            // No event comes: this waits.
            _ = try client.nextEvent(timeout: Self.interval)
            guests = try Guests(client)
        }
        self = guests
    }

    /// The offers of devices that wait for an answer.
    var waiting: [GuestOffer] { offers.filter { $0.state == .waiting } }

    /// The offers of devices that wait or come in.
    var current: [GuestOffer] { offers.filter { !$0.state.isOver } }

    /// What is offered to devices, and waits or goes out.
    var currentGiven: [GuestOffer] { given.filter { !$0.state.isOver } }

    /// The offers of a direction.
    func offers(_ direction: TransferDirection) -> [GuestOffer] { direction == .incoming ? offers : given }

    /// Whether a device has made an offer, or this user.
    func direction(of offer: GuestOffer) -> TransferDirection {
        given.contains { $0.id == offer.id } ? .outgoing : .incoming
    }

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
    var shortIDs: [String: String] { ShortID.table((offers + given).map(\.id), atLeast: ShortID.time) }

    /// The devices that a word fits; all of them without one.
    func devicesNamed(_ word: String?) -> [GuestDevice] {
        guard let lower = word?.lowercased() else { return devices }
        return devices.filter { device in
            [device.name, device.model ?? "", device.address].contains { $0.lowercased().contains(lower) }
        }
    }

    /// Whether a word is the name or the id of a device, or the beginning of one.
    func hasDevice(_ word: String) -> Bool { !Resolver.matches(word, among: deviceCandidates).isEmpty }

    /// The device that a person means by a name, an id, or the beginning of one.
    func device(_ word: String) throws(Failure) -> GuestDevice {
        let found = try Resolver.resolve(
            word, among: deviceCandidates, kind: "devices",
            hint:
                "Open LocalSend there, on this network, and send it again. To see who is here: kibo localsend. If it stays unseen: "
                + "kibo localsend scan")
        guard let device = devices.first(where: { $0.id == found.id }) else {
            throw Failure(.notFound, "No devices match \"\(word)\".")
        }
        return device
    }

    private var deviceCandidates: [Candidate] {
        devices.map { Candidate(id: $0.id, names: [$0.name], label: GuestWords.label($0)) }
    }

    /// The offer that a person means by the beginning of its id, or by the name of its device.
    ///
    /// - Parameters:
    ///   - word: nil for the only one of a device that waits.
    ///   - action: what is to be done with it, for hints: `take` or `decline`. Only for `decline` it may be this user's.
    func offer(_ word: String?, to action: String) throws(Failure) -> GuestOffer {
        guard let word else { return try onlyOne(to: action) }
        let all = action == "decline" ? offers + given : offers
        // A name means first of all an offer that something can still be done about.
        let likely = candidates(all.filter { !$0.state.isOver })
        let isCurrent = !Resolver.matches(word, among: likely).isEmpty
        let found = try Resolver.resolve(
            word, among: isCurrent ? likely : candidates(all), kind: "offers", hint: "See: kibo localsend")
        guard let offer = all.first(where: { $0.id == found.id }) else {
            throw Failure(.notFound, "No offers match \"\(word)\".")
        }
        return offer
    }

    private func candidates(_ offers: [GuestOffer]) -> [Candidate] {
        let short = shortIDs
        // What comes from a device and what goes to it are equally likely to be meant by its name.
        let isOneWay = !offers.contains { direction(of: $0) == .outgoing }
        return offers.map { offer in
            Candidate(
                id: offer.id, names: [offer.device.name], label: label(offer, short),
                isLikely: isOneWay && offer.state == .waiting)
        }
    }

    private func label(_ offer: GuestOffer, _ short: [String: String]) -> String {
        let way = direction(of: offer) == .outgoing ? "to " : ""
        return "\(short[offer.id] ?? offer.id)  \(way)\(Words.name(offer.device.name)), \(GuestWords.content(offer))"
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
                hint: "To stop one that is coming in: kibo localsend decline \(short[coming.id] ?? coming.id)")
        }
        if action == "decline", let going = currentGiven.first {
            throw Failure(
                .notFound, "no offer waits for you",
                hint: "To stop what is going out: kibo localsend decline \(short[going.id] ?? going.id)")
        }
        throw Failure(
            .notFound, "no offer waits",
            hint: isOn ? "See: kibo localsend" : "LocalSend is off. To switch it on: kibo localsend on")
    }
}
