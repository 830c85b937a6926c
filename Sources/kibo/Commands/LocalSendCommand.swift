import Arguments
import Basics
import ControlProtocol
import Vocabulary

/// `kibo localsend [on|off|scan|take|decline] [ADDRESS|OFFER] [ITEM…]`
struct LocalSendCommand: Command {
    let spec = CommandSpec(
        "localsend", .files, "Receive files from phones that have LocalSend",
        arguments: [
            ArgumentSpec(
                "ACTION", .optional,
                help: "one of those below; without it, show the devices, what they offer and what you give",
                choices: ["on", "off", "scan", "take", "decline"]),
            ArgumentSpec(
                "OFFER", .optional, help: "the beginning of its id, or the device's name; scan: the address of a device"
            ),
            ArgumentSpec("ITEM", .any, help: "take: the numbers of the files that you want"),
        ],
        options: [
            OptionSpec("--all", help: "take: all files that your settings allow; the same as no ITEM"),
            OptionSpec("--no-wait", help: "take: don't wait; the files come in the background"),
        ],
        details: """
            on                    let phones and other devices on this network see you, and offer you files
            off                   stop that
            scan [ADDRESS]        ask each address around this computer who is there, or just this one
            take OFFER ITEM…      take what a device offers
            decline OFFER         decline it, end one that is coming in, or take back what you give

            LocalSend is a free app for phones and computers (localsend.org). While this is on, devices on your
            network see your name in it, and can offer you files and texts. Each offer waits until you take or
            decline it. Files go into your download directory, and can be found in your notes, as texts can.

            Devices find each other by multicast. Some networks block it; there, scan finds them.

            OFFER may be left out if just one waits. Nothing proves who a device belongs to: anybody can take any
            name. To ask devices for a PIN: kibo settings localsend.pin

            To give files or a text to a device: kibo send --to-device DEVICE
            """,
        examples: [
            "kibo localsend on", "kibo localsend take", "kibo localsend take 'Nice Orange' 1 3", "kibo localsend scan",
        ])

    /// The most files that are listed of an offer.
    private static let listed = 50
    /// The columns of a text that are shown before it is taken.
    private static let excerpt = 200

    func run(_ context: Context) throws -> ExitCode {
        let action = context.arguments.positional(0)
        let rest = Array(context.arguments.positionals.dropFirst())
        if let action, !["list", "on", "off", "scan", "take", "decline"].contains(action) {
            throw Failure.usage("kibo localsend has no action \"\(action)\"", command: spec.name)
        }
        for option in ["--all", "--no-wait"] where context.arguments.has(option) && action != "take" {
            throw Failure.usage("\(option) belongs to take", command: spec.name)
        }
        switch action {
        case "take": return try take(rest, context)
        case "decline":
            if rest.count > 1 { throw Failure.usage("decline takes one OFFER and no ITEM", command: spec.name) }
            return try decline(rest.first, context)
        case "scan":
            if rest.count > 1 { throw Failure.usage("scan takes one ADDRESS at most", command: spec.name) }
            return try scan(rest.first, context)
        default: break
        }
        if !rest.isEmpty { throw Failure.usage("this takes no OFFER", command: spec.name) }
        switch action {
        case "on", "off": return try turn(on: action == "on", context)
        default: return try list(context)
        }
    }

    // MARK: The list

    private func list(_ context: Context) throws -> ExitCode {
        // The answers to this look are in the next list.
        let result = try context.client().call("guest.list", ["look": true])
        if context.printJSON(result) { return .done }
        let guests = try Guests(json: result)
        let console = context.console
        console.line(Sentence.of("LocalSend is \(guests.state(on: console))"))
        if guests.isOn {
            if guests.problem != nil { console.line("What to do: kibo doctor") }
            if !guests.devices.isEmpty {
                console.line()
                console.write(GuestWords.table(guests.devices).render(on: console))
                console.line("To give something to one: kibo send --to-device DEVICE FILE")
            } else if guests.port != nil {
                console.line("No device with LocalSend is seen on this network. Open the app there, and look again.")
                console.line("If it stays unseen: kibo localsend scan")
            }
        } else {
            console.line("To let phones on this network offer you files: kibo localsend on")
        }
        showOffers(guests, context)
        showGiven(guests, context)
        return .done
    }

    /// What goes out, in a part of its own. What is over stays in it for some minutes, so that a user who didn't wait sees how
    /// it ended.
    private func showGiven(_ guests: Guests, _ context: Context) {
        guard !guests.given.isEmpty else { return }
        let (short, console) = (guests.shortIDs, context.console)
        console.line()
        console.line("What you give:")
        for offer in guests.given {
            console.line(head(offer, .outgoing, short, context))
            if let text = offer.text { console.line("  " + Self.shown(text)) }
            if !offer.items.isEmpty { console.line("  " + GuestWords.names(offer.items)) }
        }
        let current = guests.currentGiven
        guard let first = current.first else { return }
        if current.count > 1 {
            console.line("To take one back, or to end it: kibo localsend decline OFFER")
        } else {
            let what = first.state == .sending ? "To end it" : "To take it back"
            console.line("\(what): kibo localsend decline \(short[first.id] ?? first.id)")
        }
    }

    /// `019ac0de-7777  3 files, 7.0 KiB from Nice Orange, waits for your answer`
    private func head(
        _ offer: GuestOffer, _ direction: TransferDirection, _ short: [String: String], _ context: Context
    ) -> String {
        let console = context.console
        let name = console.styled(Words.name(offer.device.name), .bold)
        let id = console.styled(short[offer.id] ?? offer.id, .dim)
        let state = GuestWords.state(offer, direction, now: context.now)
        return "\(id)  \(GuestWords.content(offer)) \(GuestWords.way(direction)) \(name), \(state)"
    }

    private static func shown(_ text: String) -> String { DisplayWidth.truncate(Words.line(text), to: excerpt) }

    private func showOffers(_ guests: Guests, _ context: Context) {
        let (current, short, console) = (guests.current, guests.shortIDs, context.console)
        for offer in current {
            console.line()
            console.line(head(offer, .incoming, short, context))
            if let text = offer.text { console.line("  " + Self.shown(text)) }
            for line in GuestWords.lines(offer.items, most: Self.listed, console) { console.line("  " + line) }
        }
        guard !current.isEmpty else { return }
        let waiting = guests.waiting
        console.line()
        if waiting.count == 1 {
            let some = waiting[0].items.count > 1 ? " Only some of it: kibo localsend take ITEM…" : ""
            console.line("To take it: kibo localsend take.\(some) To decline it: kibo localsend decline")
        } else if !waiting.isEmpty {
            console.line("To take one: kibo localsend take OFFER [ITEM…]. To decline one: kibo localsend decline OFFER")
        }
        if let coming = current.first(where: { $0.state == .receiving }) {
            console.line("To stop what is coming in: kibo localsend decline \(short[coming.id] ?? coming.id)")
        }
    }

    // MARK: On and off

    private func turn(on isOn: Bool, _ context: Context) throws -> ExitCode {
        let client = try context.client()
        let key = SettingsCatalogue.localSendEnabled.spec.key
        try client.call("settings.set", ["key": .string(key), "value": .bool(isOn)])
        let guests = try Guests(client) { !isOn || $0.port != nil || $0.problem != nil }
        let code: ExitCode = isOn && guests.problem != nil ? .failed : .done
        if context.printJSON(guests.json) { return code }
        let console = context.console
        guard isOn else {
            console.line("LocalSend is off: devices on this network don't see you, and can offer you nothing.")
            return code
        }
        console.line(Sentence.of("LocalSend is \(guests.state(on: console))"))
        if guests.problem != nil {
            console.line("What to do: kibo doctor")
        } else {
            console.line(
                "Everybody on this network can see that name, and offer you files and texts; nothing comes in until "
                    + "you take it: kibo localsend")
        }
        return code
    }

    // MARK: Scan

    private func scan(_ address: String?, _ context: Context) throws -> ExitCode {
        let (client, console) = (try context.client(), context.console)
        if address == nil, !context.json {
            console.errorLine("Asking each address around this computer. This can take a minute.")
        }
        let result = try client.call("guest.scan", address.map { ["address": .string($0)] } ?? [:])
        let (asked, found) = (result["asked"]?.integer ?? 0, result["found"]?.integer ?? 0)
        let guests = try Guests(client)
        if context.json {
            var all = result.object ?? [:]
            all["devices"] = guests.json["devices"] ?? .array([])
            _ = context.printJSON(.object(all))
            return address != nil && found == 0 ? .notFound : .done
        }
        if let address, found == 0 {
            throw Failure(
                .notFound, "no device with LocalSend answers at \(ForeignText.escaped(address))",
                hint: "Open the app there. It has to use port 53317, and encryption.")
        }
        console.line(
            found == 0
                ? "None of \(Humane.count(asked, "address", "addresses")) has a device with LocalSend. Open the app there, and scan again."
                : "\(Humane.count(found, "device")) found.")
        if !guests.devices.isEmpty {
            console.line()
            console.write(GuestWords.table(guests.devices).render(on: console))
        }
        return .done
    }

    // MARK: Offers

    /// Whether a word is the number of a file. The ids of offers begin with a zero.
    private static func isNumber(_ word: String) -> Bool {
        word.allSatisfy { $0.isASCII && $0.isNumber } && !(word.hasPrefix("0") && word.count > 3)
    }

    /// The numbers of files that are named, each once.
    private func numbers(_ words: [String]) throws(Failure) -> [Int64] {
        let range = 1...Int64(ProtocolLimits.guestItems)
        var numbers: [Int64] = []
        for word in words {
            guard Self.isNumber(word), let number = Int64(word), range.contains(number) else {
                throw .usage(
                    "ITEM must be the number of a file, not \"\(word)\"; a name with blanks needs quotation marks",
                    command: spec.name)
            }
            if !numbers.contains(number) { numbers.append(number) }
        }
        return numbers
    }

    private func take(_ words: [String], _ context: Context) throws -> ExitCode {
        let word = words.first.flatMap { Self.isNumber($0) ? nil : $0 }
        let numbers = try numbers(Array(words.dropFirst(word == nil ? 0 : 1)))
        if !numbers.isEmpty, context.arguments.has("--all") {
            throw Failure.usage("give ITEM or --all, not both", command: spec.name)
        }
        let client = try context.client()
        let offer = try Guests(client).offer(word, to: "take")
        try check(offer, .incoming, context)
        try check(numbers, of: offer)
        try OfferFollower.subscribe(client)
        // Of one that comes in already, the user only wants to see how it goes on.
        if offer.state == .waiting {
            var params: JSONObject = ["offer": .string(offer.id)]
            if !numbers.isEmpty { params["items"] = .array(numbers.map { .integer($0 - 1) }) }
            try client.call("guest.take", params)
        } else if !numbers.isEmpty {
            throw Failure(.failed, "the offer is already coming in, so its files can't be chosen any more")
        }
        guard context.arguments.has("--no-wait"), offer.text == nil else {
            return try OfferFollower(context, offer, .incoming).follow()
        }
        if context.json {
            let current = try Guests(client).offers.first { $0.id == offer.id } ?? offer
            _ = context.printJSON(current.json)
        } else {
            context.console.line("What \(Words.name(offer.device.name)) offers is on its way. See: kibo localsend")
        }
        return .done
    }

    /// Makes sure that something can still be done about an offer.
    private func check(
        _ offer: GuestOffer, _ direction: TransferDirection, _ context: Context
    ) throws(Failure) {
        guard offer.state.isOver else { return }
        let name = Words.name(offer.device.name)
        throw Failure(
            .failed,
            "the offer \(direction == .incoming ? "of" : "to") \(name) is over: "
                + GuestWords.state(offer, direction, now: context.now),
            hint: "See: kibo localsend")
    }

    /// Makes sure that an offer has these files.
    private func check(_ numbers: [Int64], of offer: GuestOffer) throws(Failure) {
        guard !numbers.isEmpty else { return }
        if offer.text != nil {
            throw Failure(.failed, "the offer is a text, and has no files", hint: "To take it, leave out ITEM.")
        }
        let known = offer.items.map { GuestWords.number(of: $0) }
        guard let missing = numbers.first(where: { !known.contains($0) }) else { return }
        throw Failure(.notFound, "the offer has no file \(missing)", hint: "For the numbers: kibo localsend")
    }

    private func decline(_ word: String?, _ context: Context) throws -> ExitCode {
        let client = try context.client()
        let guests = try Guests(client)
        let offer = try guests.offer(word, to: "decline")
        let direction = guests.direction(of: offer)
        try check(offer, direction, context)
        let result = try client.call("guest.decline", ["offer": .string(offer.id)])
        if context.printJSON(result) { return .done }
        let what = GuestWords.summary(offer, direction)
        switch offer.state {
        case .receiving: context.console.line("Ended: \(what). Files that are here already stay.")
        case .sending: context.console.line("Ended: \(what). The device keeps the files that it has already.")
        default: context.console.line("\(direction == .incoming ? "Declined" : "Taken back"): \(what).")
        }
        return .done
    }
}
