import Basics
import ControlProtocol

/// Shows how the files of a LocalSend offer come in until it is over: a bar on a terminal once it takes over a second,
/// and a line for the end.
///
/// The subscription to `guest.changed` and `guest.progress` must be there before the offer is taken.
final class OfferFollower {
    /// Before this nothing is drawn: an offer that is here at once needs no bar.
    private static let patience = Duration.seconds(1)
    /// How often the daemon is asked if it tells nothing by itself.
    private static let refresh = Duration.milliseconds(500)

    private let context: Context
    private let region: LiveRegion
    private let start = SystemClocks().now
    private var offer: GuestOffer
    private var rate: Int64 = 0

    init(_ context: Context, _ offer: GuestOffer) {
        self.context = context
        self.offer = offer
        region = LiveRegion(context.console)
    }

    /// Subscribes to what ``follow()`` needs.
    static func subscribe(_ client: ControlClient) throws(ClientError) {
        let types = [EventType.guestChanged, .guestProgress].map(\.rawValue)
        try client.call("events.subscribe", ["types": .strings(types)])
    }

    /// Waits until the offer is over, and says how it ended.
    ///
    /// - Returns: done if what the user wanted is here.
    func follow() throws -> ExitCode {
        let client = try context.client()
        do {
            try context.interruptibly { try wait(client) }
        } catch ClientError.interrupted {
            region.end()
            if !context.json {
                // The terminal has written ^C where the cursor was.
                if region.isLive { context.console.errorLine("") }
                context.console.errorLine(
                    "It goes on in the background: kibo localsend. To end it: kibo localsend decline \(offer.id)")
            }
            throw ClientError.interrupted
        }
        region.clear()
        region.end()
        if !context.printJSON(offer.json) { conclude() }
        return offer.state == .taken ? .done : .failed
    }

    private func wait(_ client: ControlClient) throws {
        var next = start
        while true {
            let now = SystemClocks().now
            if now >= next {
                try update(client)
                next = now + Self.refresh
            }
            if offer.state.isOver { return }
            if region.isLive, !context.json, now - start >= Self.patience { draw() }
            guard let event = try client.nextEvent(timeout: next - SystemClocks().now) else { continue }
            if event.isOf(.guestProgress) {
                take(event.data)
            } else {
                next = now
            }
        }
    }

    private func update(_ client: ControlClient) throws {
        guard let current = try Guests(client).offers.first(where: { $0.id == offer.id }) else {
            throw Failure(.notFound, "the offer is gone", hint: "See: kibo localsend")
        }
        offer = current
    }

    /// Takes in how far the offer has come, if it is this one.
    private func take(_ progress: JSONValue) {
        guard progress["offer"]?.string == offer.id else { return }
        offer.filesDone = progress["filesDone"]?.integer ?? offer.filesDone
        offer.bytesDone = progress["bytesDone"]?.integer ?? offer.bytesDone
        rate = progress["rate"]?.integer ?? rate
    }

    /// The bar is that of any other transfer.
    private func draw() {
        let left = rate > 0 ? max(0, offer.size - offer.bytesDone) / rate : nil
        let transfer = Transfer(
            id: offer.id, direction: .incoming, peer: "", name: offer.device.name, size: offer.size,
            bytesDone: offer.bytesDone, files: Int64(offer.items.count), filesDone: offer.filesDone, rate: rate,
            secondsLeft: left, state: .active, createdAt: offer.cameAt)
        region.draw(ProgressLine.text(transfer, on: context.console))
    }

    private func conclude() {
        let console = context.console
        let what = "\(GuestWords.content(offer)) from \(Words.name(offer.device.name))"
        switch offer.state {
        case .taken:
            console.line(console.styled("Done:", .green) + " \(what)" + speed())
            if !offer.items.isEmpty { console.line(GuestWords.names(offer.items)) }
            console.line("In your notes: kibo read \(NameSign.notes)")
            return
        case .failed:
            let problem = Words.because(offer.problem, offer.detail)
            console.errorLine(console.styledError("Failed:", .red) + " \(what)\(problem)")
        case .declined: console.errorLine("Declined: \(what)")
        case .withdrawn: console.errorLine("Taken back by the device: \(what)")
        case .expired: console.errorLine("Not answered in time: \(what)")
        case .waiting, .receiving: console.errorLine("Not done yet: \(what)")
        }
        if offer.filesDone > 0 {
            let count = Humane.count(offer.filesDone, "file")
            console.errorLine("Of these, \(count) came, and can be found in your notes: kibo read \(NameSign.notes)")
        }
    }

    /// How long it took, if that was long enough to be worth a word.
    private func speed() -> String {
        let elapsed = (SystemClocks().now - start).milliseconds
        guard elapsed >= 1000, !offer.items.isEmpty else { return "" }
        let rate = Humane.size(Int64(Double(offer.size) / Double(elapsed) * 1000))
        return " in \(Humane.clock(seconds: elapsed / 1000)), \(rate)/s"
    }
}
