import Basics
import ControlProtocol

/// Devices with LocalSend and what they offer, in the words of the command line.
enum GuestWords {
    /// The most files that are named in a sentence.
    private static let named = 10

    /// Where a note has come from: `from Nice Orange (LocalSend)`.
    static func origin(_ device: String) -> String { "from \(Words.name(device)) (LocalSend)" }

    /// The devices nearby.
    static func table(_ devices: [GuestDevice]) -> Table {
        var table = Table([
            .init(title: "NAME", shrinks: true), .init(title: "DEVICE", shrinks: true, isOptional: true),
            .init(title: "ADDRESS", shrinks: true, goesLast: true), .init(title: "CONNECTION"),
        ])
        for device in devices {
            let kind = kind(device.kind)
            table.rows.append([
                .init(Words.name(device.name)),
                .init(device.model.map { "\(Words.name($0)) (\(kind))" } ?? kind),
                .init(Words.excerpt(device.address)),
                device.encrypted ? .init("encrypted", .green) : .init("not encrypted", .yellow),
            ])
        }
        return table
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

    /// How far an offer has come.
    static func state(_ offer: GuestOffer, now: WallTime) -> String {
        switch offer.state {
        case .waiting:
            "waits for your answer" + (offer.until.map { " until \(Humane.moment($0, now: now))" } ?? "")
        case .receiving:
            "comes in: \(offer.filesDone) of \(Humane.count(offer.files, "file")), "
                + "\(Humane.size(offer.bytesDone)) of \(Humane.size(offer.size))"
        case .taken: "taken"
        case .declined: "declined"
        case .withdrawn: "taken back by the device"
        case .expired: "not answered in time"
        case .failed: "failed" + Words.because(offer.problem, offer.detail)
        }
    }

    /// The names of the files: the first of them, and how many more there are.
    static func names(_ items: [GuestOffer.Item]) -> String {
        let names = items.map { Words.name($0.name) }
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
            return "\(padding)\(number)  \(Words.name(item.name)), \(Humane.size(item.size))\(refusal ?? "")"
        }
        if items.count > most { lines.append("… and \(items.count - most) more; all: kibo localsend --json") }
        return lines
    }

    /// The number of a file for people, who count from one.
    static func number(of item: GuestOffer.Item) -> Int64 { item.number + 1 }
}
