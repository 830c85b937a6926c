import Arguments
import ControlProtocol
import Vocabulary

/// Gives files or a text to a device with LocalSend: `kibo send --to-device DEVICE FILE…|TEXT`.
struct Giving {
    /// The option that names the device.
    static let option = "--to-device"

    /// Options of `kibo send` that mean nothing to a device.
    private static let others = ["--reply", "--wait", "--timeout", Context.groupOption.name]

    private let context: Context
    /// What names the device.
    private let word: String

    /// - Parameter word: the name or the id of a device, or the beginning of one.
    init(_ context: Context, to word: String) {
        self.context = context
        self.word = word
    }

    /// Finds the device, offers it what is meant, and waits until its user has it or doesn't want it.
    ///
    /// - Returns: done if it was taken, or if nobody waits for that.
    func run() throws -> ExitCode {
        var params = try content()
        let client = try context.client()
        let device = try find(client)
        try check(device)
        params["device"] = .string(device.id)
        let isAwaited = !context.arguments.has("--no-wait")
        // The subscription comes first, so that nothing can happen unseen between offering and waiting.
        if isAwaited { try OfferFollower.subscribe(client) }
        let offer = try client.call("guest.give", params, as: GuestOffer.init(json:))
        if isAwaited { return try OfferFollower(context, offer, .outgoing).follow() }
        if !context.printJSON(offer.json) {
            context.console.line("Offered: \(GuestWords.summary(offer, .outgoing)). See: kibo localsend")
        }
        return .done
    }

    // MARK: Content

    /// What is to be given, as `guest.give` takes it.
    private func content() throws -> JSONObject {
        let arguments = context.arguments
        for option in Self.others where arguments.has(option) {
            throw Failure.usage("\(option) doesn't go with \(Self.option)", command: context.command)
        }
        if word.isEmpty { throw Failure.usage("\(Self.option) needs a name or an id", command: context.command) }
        let named = try arguments.values("--file").map(LocalPath.sent)
        if (arguments.positionals + arguments.values("--text")).allSatisfy(\.isEmpty), named.isEmpty {
            throw SendCommand.nothing(to: [Self.option, word])
        }
        let meant = try SendQuestions(context, toDevice: word).words(hasFiles: !named.isEmpty)
        // With a text, all other words must be files.
        if let missing = meant.receivers.dropFirst().first { throw Failure(.usage, "there is no file \(missing)") }
        let files = named + (try meant.files.map(LocalPath.sent))
        guard files.isEmpty || meant.text == nil && !meant.readsInput else {
            throw Failure(
                .usage, "a device can be given files or a text, not both", hint: "Send one after the other.")
        }
        guard files.count <= SharedLimits.attachments else {
            throw Failure(
                .usage, "a device can be offered \(SharedLimits.attachments) files and folders at once",
                hint: "Put the files into a folder and give that, or give fewer.")
        }
        var params = JSONObject()
        if let text = try SendCommand.text(meant) { params["text"] = .string(text) }
        FilePortions.add(files, to: &params)
        if arguments.has("--any-type") { params["anyType"] = true }
        if let pin = arguments.value("--pin") {
            guard (1...ProtocolLimits.pinCharacters).contains(pin.count) else {
                throw Failure.usage(
                    "--pin must have 1 to \(ProtocolLimits.pinCharacters) characters", command: context.command)
            }
            params["pin"] = .string(pin)
        }
        return params
    }

    // MARK: The device

    /// Devices are asked who they are, and have some seconds to answer.
    private func find(_ client: ControlClient) throws -> GuestDevice {
        let guests = try Guests(client, looks: true) { !$0.isOn || $0.problem != nil || $0.hasDevice(word) }
        guard guests.isOn else {
            throw Failure(
                .failed, "LocalSend is off, and nothing was sent",
                hint: "To switch it on: kibo localsend on. Devices on this network then see you.")
        }
        if guests.devices.isEmpty {
            if let problem = guests.problem {
                throw Failure(
                    .failed, "LocalSend doesn't work, and nothing was sent: \(problem)", hint: "What to do: kibo doctor"
                )
            }
            throw Failure(
                .notFound, "no device with LocalSend is seen on this network",
                hint: "Open LocalSend there, and send it again. If it stays unseen: kibo localsend scan")
        }
        return try guests.device(word)
    }

    /// Makes sure that the user knows which device it is, and tells them who can read along.
    private func check(_ device: GuestDevice) throws(Failure) {
        let name = Words.name(device.name)
        if device.namesake {
            let doubt =
                "you gave something to another device named \(name) before, and this one may only pretend to be it"
            let label = GuestWords.label(device)
            if context.console.canAsk, !context.json {
                context.console.line("\(Sentence.of(doubt))\n  \(label)")
                guard context.confirms("Give it to this one?") else { throw Failure(.failed, "nothing was sent") }
            } else if word.lowercased() != device.id {
                throw Failure(.failed, doubt, hint: "If you mean this one, give its id:\n  \(label)")
            }
        }
        if !device.encrypted, !context.json {
            context.console.errorLine(
                "The connection to \(name) is not encrypted: everybody on this network can read along.")
        }
    }
}
