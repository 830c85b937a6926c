import Basics
import ControlProtocol
import Vocabulary

/// Devices with LocalSend and what they offer, in the words of the command line.
enum GuestWords {
    /// The most files that are named in a sentence.
    private static let named = 10

    /// The device that a note has come from, or was given to: `from Nice Orange (LocalSend)`; nil for any other message.
    static func device(of message: Message) -> String? {
        if let device = message.guest { return "from \(Words.name(device)) (LocalSend)" }
        return message.givenTo.map { "to \(Words.name($0)) (LocalSend)" }
    }

    /// The devices nearby. If any of them was given something before, the table says which.
    static func table(_ devices: [GuestDevice]) -> Table {
        let hasNotes = devices.contains { $0.known || $0.namesake }
        var columns: [Table.Column] = [
            .init(title: "NAME", shrinks: true), .init(title: "DEVICE", shrinks: true, isOptional: true),
            .init(title: "ADDRESS", shrinks: true, goesLast: true), .init(title: "CONNECTION"),
        ]
        if hasNotes { columns.append(.init(title: "GIVEN TO BEFORE")) }
        var table = Table(columns)
        for device in devices {
            let kind = kind(device.kind)
            var row: [Table.Cell] = [
                .init(Words.name(device.name)),
                .init(device.model.map { "\(Words.name($0)) (\(kind))" } ?? kind),
                .init(Words.excerpt(device.address)),
                device.encrypted ? .init("encrypted", .green) : .init("not encrypted", .yellow),
            ]
            if hasNotes { row.append(givenBefore(device)) }
            table.rows.append(row)
        }
        return table
    }

    /// Whether something was given to a device before, or to another one of its name.
    private static func givenBefore(_ device: GuestDevice) -> Table.Cell {
        if device.namesake { return .init("another device of this name", .yellow) }
        return device.known ? .init("yes") : .init("–", .dim)
    }

    /// A device where several are listed, with the id to name it by.
    static func label(_ device: GuestDevice) -> String {
        let note = device.namesake ? ", not the one of this name from before" : device.known ? ", given to before" : ""
        return
            "\(device.id)  \(Words.name(device.name)), \(kind(device.kind)) at \(Words.excerpt(device.address))\(note)"
    }

    private static func kind(_ kind: GuestDevice.Kind) -> String {
        switch kind {
        case .mobile: "phone"
        case .desktop: "computer"
        case .web: "browser"
        case .headless: "program"
        case .server: "server"
        }
    }

    /// What is offered: `a text`, `3 files, 2.4 MiB`.
    static func content(_ offer: GuestOffer) -> String {
        if offer.files == 0 { return "a text" }
        return "\(Humane.count(offer.files, "file")), \(Humane.size(offer.size))"
    }

    /// What is offered, and by which device or to which: `3 files, 2.4 MiB to Nice Orange`.
    static func summary(_ offer: GuestOffer, _ direction: TransferDirection) -> String {
        "\(content(offer)) \(way(direction)) \(Words.name(offer.device.name))"
    }

    /// The word before the device's name.
    static func way(_ direction: TransferDirection) -> String { direction == .incoming ? "from" : "to" }

    /// How far an offer has come.
    static func state(_ offer: GuestOffer, _ direction: TransferDirection, now: WallTime) -> String {
        let isIncoming = direction == .incoming
        switch offer.state {
        case .waiting:
            return (isIncoming ? "waits for your answer" : "waits for an answer")
                + (offer.until.map { " until \(Humane.moment($0, now: now))" } ?? "")
        case .receiving, .sending:
            return
                "\(isIncoming ? "comes in" : "goes out"): \(offer.filesDone) of \(Humane.count(offer.files, "file")), "
                + "\(Humane.size(offer.bytesDone)) of \(Humane.size(offer.size))"
        case .taken: return "taken"
        case .declined: return "declined"
        case .withdrawn: return isIncoming ? "taken back by the device" : "taken back"
        case .expired: return "not answered in time"
        case .failed: return "failed" + because(offer, direction)
        }
    }

    /// `: it is busy with something else`, for an offer that has failed.
    static func because(_ offer: GuestOffer, _ direction: TransferDirection) -> String {
        guard direction == .outgoing, offer.detail?.isEmpty ?? true, let problem = offer.problem else {
            return Words.because(offer.problem, offer.detail)
        }
        return ": " + reason(problem)
    }

    /// Why something could not be given to a device: these reasons mean something else there than between peers.
    private static func reason(_ problem: Reason) -> String {
        switch problem {
        case .cancelled: "the device has ended it"
        case .wrongPassphrase: "the device asks for a PIN, or the PIN was wrong"
        case .keyChanged: "the device doesn't have the certificate that it announced"
        case .offline: "the device could not be reached, or nothing went on"
        case .busy: "the device is busy with something else, or was asked too often"
        case .noSpace: "the device's disk is full"
        case .invalid, .sourceChanged: "a file has changed meanwhile"
        default: Words.reason(problem)
        }
    }

    /// What to do after something could not be given to a device; nil if nothing helps that the reason doesn't say.
    static func advice(_ offer: GuestOffer) -> String? {
        let name = Words.name(offer.device.name)
        switch (offer.state, offer.problem) {
        case (.expired, _): return "Send it again when somebody is at the device."
        case (.failed, .wrongPassphrase): return "Ask the user of \(name) for the PIN, and send it again with --pin PIN"
        case (.failed, .keyChanged):
            return
                "WARNING: somebody on this network may be pretending to be \(name), to get what you send. Send nothing "
                + "to it before you know why: ask its user."
        case (.failed, .offline): return "Open LocalSend there, keep its screen on, and send it again."
        case (.failed, .busy): return "Send it again in some minutes."
        case (.failed, .invalid), (.failed, .sourceChanged): return "Send it again when no program writes to it."
        default: return nil
        }
    }

    /// The names of the files: the first of them, and how many more there are. A folder counts as one name: `Holiday/`.
    static func names(_ items: [GuestOffer.Item]) -> String {
        var roots: Set<String> = []
        let names = items.compactMap { item -> String? in
            guard let root = item.folder?.utf8.split(separator: UInt8(ascii: "/")).first else {
                return Words.name(item.name)
            }
            let name = String(decoding: root, as: UTF8.self)
            return roots.insert(name).inserted ? Words.name(name) + "/" : nil
        }
        guard names.count > named else { return Humane.list(names) }
        return Humane.list(Array(names.prefix(named - 1)) + ["\(names.count - named + 1) more"])
    }

    /// The files of an offer, a line each, with the numbers by which they are taken.
    static func lines(_ items: [GuestOffer.Item], most: Int, _ console: Console) -> [String] {
        let shown = items.prefix(most)
        let numbers = shown.map { "\(number(of: $0))" }
        let width = numbers.map(\.count).max() ?? 0
        var lines = zip(shown, numbers).map { item, number in
            let padding = String(repeating: " ", count: width - number.count)
            let refusal = item.refusal.map { "  " + console.styled("not taken: \(Words.reason($0))", .yellow) }
            return "\(padding)\(number)  \(path(item)), \(Humane.size(item.size))\(refusal ?? "")"
        }
        if items.count > most { lines.append("… and \(items.count - most) more; all: kibo localsend --json") }
        return lines
    }

    /// The name of a file, after those of its folders: `Holiday/Day 1/1.jpg`.
    private static func path(_ item: GuestOffer.Item) -> String {
        (item.folder.map { Words.name($0) + "/" } ?? "") + Words.name(item.name)
    }

    /// The number of a file for people, who count from one.
    static func number(of item: GuestOffer.Item) -> Int64 { item.number + 1 }
}
