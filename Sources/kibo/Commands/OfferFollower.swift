import Basics
import ControlProtocol
import Vocabulary

/// Shows how the files of a LocalSend offer come in, or go out, until it is over: a bar on a terminal once they take over a
/// second, and a line for the end.
///
/// The subscription to `guest.changed` and `guest.progress` must be there before the offer is taken, or made.
final class OfferFollower {
    /// Before this nothing is drawn: an offer that is here at once needs no bar.
    private static let patience = Duration.seconds(1)
    /// How often the daemon is asked if it tells nothing by itself.
    private static let refresh = Duration.milliseconds(500)

    private let context: Context
    private let direction: TransferDirection
    private let region: LiveRegion
    /// How many files there were at first: the device may take some of them.
    private let offered: Int64
    /// Since when files move; nil while an answer is waited for.
    private var start: Instant?
    private var offer: GuestOffer
    private var rate: Int64 = 0

    init(_ context: Context, _ offer: GuestOffer, _ direction: TransferDirection) {
        self.context = context
        self.offer = offer
        self.direction = direction
        offered = offer.files
        region = LiveRegion(context.console)
    }

    /// Subscribes to what ``follow()`` needs.
    static func subscribe(_ client: ControlClient) throws(ClientError) {
        let types = [EventType.guestChanged, .guestProgress].map(\.rawValue)
        try client.call("events.subscribe", ["types": .strings(types)])
    }

    /// Waits until the offer is over, and says how it ended.
    ///
    /// - Returns: done if what the user wanted is here, or with the device.
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
        var next = SystemClocks().now
        while true {
            let now = SystemClocks().now
            if now >= next {
                try update(client)
                next = now + Self.refresh
            }
            if offer.state.isOver { return }
            if region.isLive, !context.json { draw(now) }
            guard let event = try client.nextEvent(timeout: next - SystemClocks().now) else { continue }
            if event.isOf(.guestProgress) {
                take(event.data)
            } else {
                next = now
            }
        }
    }

    private func update(_ client: ControlClient) throws {
        guard let current = try Guests(client).offers(direction).first(where: { $0.id == offer.id }) else {
            throw Failure(.notFound, "the offer is gone", hint: "See: kibo localsend")
        }
        offer = current
        if start == nil, offer.state != .waiting { start = SystemClocks().now }
    }

    /// Takes in how far the offer has come, if it is this one.
    private func take(_ progress: JSONValue) {
        guard progress["offer"]?.string == offer.id else { return }
        offer.filesDone = progress["filesDone"]?.integer ?? offer.filesDone
        offer.bytesDone = progress["bytesDone"]?.integer ?? offer.bytesDone
        rate = progress["rate"]?.integer ?? rate
    }

    /// The bar is that of any other transfer. Before it, a line says whose answer is waited for.
    private func draw(_ now: Instant) {
        guard let start else {
            if direction == .outgoing {
                region.draw("Waiting for \(Words.name(offer.device.name)) to take \(GuestWords.content(offer))")
            }
            return
        }
        guard now - start >= Self.patience else { return region.clear() }
        let left = rate > 0 ? max(0, offer.size - offer.bytesDone) / rate : nil
        let transfer = Transfer(
            id: offer.id, direction: direction, peer: "", name: offer.device.name, size: offer.size,
            bytesDone: offer.bytesDone, files: Int64(offer.items.count), filesDone: offer.filesDone, rate: rate,
            secondsLeft: left, state: .active, createdAt: offer.cameAt)
        region.draw(ProgressLine.text(transfer, on: context.console))
    }

    private func conclude() {
        let console = context.console
        let what = GuestWords.summary(offer, direction)
        let isIncoming = direction == .incoming
        switch offer.state {
        case .taken:
            console.line(console.styled("Done:", .green) + " \(what)" + speed())
            if !offer.items.isEmpty { console.line(GuestWords.names(offer.items)) }
            if !isIncoming, offer.files < offered {
                console.line("Not taken by the device: \(Humane.count(offered - offer.files, "file"))")
            }
            console.line("In your notes: kibo read \(NameSign.notes)")
            return
        case .failed:
            let problem = GuestWords.because(offer, direction)
            console.errorLine(console.styledError("Failed:", .red) + " \(what)\(problem)")
        case .declined: console.errorLine("Declined: \(what)")
        case .withdrawn: console.errorLine("Taken back\(isIncoming ? " by the device" : ""): \(what)")
        case .expired: console.errorLine("Not answered in time: \(what)")
        case .waiting, .receiving, .sending: console.errorLine("Not done yet: \(what)")
        }
        if !isIncoming, let advice = GuestWords.advice(offer) { console.errorLine(advice) }
        if offer.filesDone > 0 {
            let count = Humane.count(offer.filesDone, "file") + (isIncoming ? " came" : " arrived there")
            console.errorLine("Of these, \(count), and can be found in your notes: kibo read \(NameSign.notes)")
        }
    }

    /// How long it took, if that was long enough to be worth a word.
    private func speed() -> String {
        guard let start else { return "" }
        let elapsed = (SystemClocks().now - start).milliseconds
        guard elapsed >= 1000, !offer.items.isEmpty else { return "" }
        let rate = Humane.size(Int64(Double(offer.size) / Double(elapsed) * 1000))
        return " in \(Humane.clock(seconds: elapsed / 1000)), \(rate)/s"
    }
}
