import Basics
import ControlProtocol
import Vocabulary

/// Shows how transfers go on until each has come to its end: bars on a terminal once it takes over a second, and a line
/// for each end.
///
/// The subscription to `transfer.changed` and `transfer.progress` must be there before the transfers begin to move.
final class TransferFollower {
    /// Before this nothing is drawn: a transfer that is over at once needs no bar.
    private static let patience = Duration.seconds(1)
    /// How often the bars are drawn again if nothing comes.
    private static let refresh = Duration.milliseconds(500)

    /// The most files that are named of those that were left out.
    private static let listedProblems = 20

    private let context: Context
    private var people: People
    private let region: LiveRegion
    private let start = SystemClocks().now
    private var transfers: [String: Transfer] = [:]
    private var bytesAtStart: [String: Int64] = [:]

    init(_ context: Context, _ people: People) {
        self.context = context
        self.people = people
        region = LiveRegion(context.console)
    }

    /// Subscribes to what ``follow(_:timeout:printsJSON:)`` needs.
    static func subscribe(_ client: ControlClient) throws(ClientError) {
        let types = [EventType.transferChanged, .transferProgress, .presenceChanged].map(\.rawValue)
        try client.call("events.subscribe", ["types": .strings(types)])
    }

    /// Waits for the ends of all of them.
    ///
    /// - Parameters:
    ///   - timeout: how long at most; nil for ever.
    ///   - printsJSON: whether to print the transfers for a program, if that is wanted at all.
    /// - Returns: done if all are done; failed if one is not, or the time is over.
    func follow(_ ids: [String], timeout: Duration? = nil, printsJSON: Bool) throws -> ExitCode {
        let client = try context.client()
        for id in ids { try refresh(id, client) }
        for (id, transfer) in transfers { bytesAtStart[id] = transfer.bytesDone }
        let isInTime: Bool
        do {
            isInTime = try context.interruptibly { try wait(client, deadline: timeout.map { start + $0 }) }
        } catch ClientError.interrupted {
            region.end()
            if !context.json {
                // The terminal has written ^C where the cursor was.
                if region.isLive { context.console.errorLine("") }
                let going = transfers.values.filter { !$0.state.isOver }.map(\.id).sorted()
                let (it, end) = going.count > 1 ? ("They go", "one") : ("It goes", "it")
                context.console.errorLine(
                    "\(it) on in the background: kibo transfers --watch. To cancel \(end): kibo cancel "
                        + (going.count == 1 ? going[0] : "TRANSFER"))
            }
            throw ClientError.interrupted
        }
        region.clear()
        region.end()
        let ordered = ids.compactMap { transfers[$0] }
        if printsJSON, context.json {
            printJSON(ordered)
        } else {
            for transfer in ordered {
                conclude(transfer)
                if transfer.skipped > 0, !context.json { try listLeftOut(transfer, client) }
            }
        }
        return isInTime && ordered.allSatisfy { $0.state == .done } ? .done : .failed
    }

    /// The contact whose presence an event tells; nil for other events.
    static func contact(_ event: Event) -> Contact? {
        event.isOf(.presenceChanged) ? try? Contact(json: event.data) : nil
    }

    /// The transfers that begin to move within a moment: those that the other side takes without asking.
    static func moving(_ ids: [String], _ client: ControlClient, within limit: Duration) throws -> [String] {
        var states: [String: TransferState] = [:]
        for id in ids {
            states[id] = try client.call("transfer.get", ["id": .string(id)], as: Transfer.init(json:)).state
        }
        let deadline = SystemClocks().now + limit
        while states.values.contains(.offered), SystemClocks().now < deadline {
            guard let event = try client.nextEvent(timeout: deadline - SystemClocks().now) else { break }
            guard event.isOf(.transferChanged), let id = event.data["id"]?.string, states[id] != nil else { continue }
            states[id] = try Transfer(json: event.data).state
        }
        return ids.filter { states[$0] == .queued || states[$0] == .active }
    }

    private func printJSON(_ ordered: [Transfer]) {
        let isOne = ordered.count == 1
        _ = context.printJSON(isOne ? ordered[0].json : ["transfers": .array(ordered.map(\.json))])
    }

    private func refresh(_ id: String, _ client: ControlClient) throws {
        let transfer = try client.call("transfer.get", ["id": .string(id)], as: Transfer.init(json:))
        transfers[id] = transfer
        try people.learn([transfer], client)
    }

    /// False if the time is over.
    private func wait(_ client: ControlClient, deadline: Instant?) throws -> Bool {
        while transfers.values.contains(where: { !$0.state.isOver }) {
            let now = SystemClocks().now
            if let deadline, now >= deadline { return false }
            if region.isLive, !context.json, now - start >= Self.patience { draw() }
            let left = deadline.map { min($0 - now, Self.refresh) } ?? Self.refresh
            guard let event = try client.nextEvent(timeout: left) else { continue }
            if let contact = Self.contact(event) { people.update(contact) }
            if event.isOf(.gap) {
                for id in transfers.keys { try refresh(id, client) }
            } else if event.isOf(.transferChanged) || event.isOf(.transferProgress),
                let id = event.data["id"]?.string, transfers[id] != nil
            {
                transfers[id] = try Transfer(json: event.data)
            }
        }
        return true
    }

    /// Lists the files that were left out, and why.
    private func listLeftOut(_ transfer: Transfer, _ client: ControlClient) throws {
        Self.listLeftOut(
            try client.call("transfer.get", ["id": .string(transfer.id)], as: Transfer.init(json:)),
            context.console.errorLine)
    }

    /// - Parameters:
    ///   - whole: the answer of `transfer.get`, which has the list.
    ///   - say: takes the lines.
    static func listLeftOut(_ whole: Transfer, _ say: (String) -> Void) {
        let problems = whole.problems ?? []
        say("\(Humane.count(whole.skipped, "file was", "files were")) left out:")
        for problem in problems.sorted(by: { $0.path < $1.path }).prefix(Self.listedProblems) {
            say(
                "  \(Words.name(problem.path))\(Words.because(problem.reason, problem.cause?.words ?? problem.detail))")
        }
        if problems.count > Self.listedProblems {
            say("  … all of them: kibo rpc transfer.get '{\"id\": \"\(whole.id)\"}'")
        } else if whole.skipped > problems.count {
            say("  … and \(whole.skipped - Int64(problems.count)) more")
        }
    }

    private func draw() {
        let width = ProgressLine.nameWidth(transfers.values)
        let lines = transfers.values.sorted { $0.id < $1.id }.map {
            ProgressLine.text(
                $0, on: context.console, peer: people.name($0.peer), isPeerOffline: people.isOutOfReach($0),
                courier: people.courier(of: $0), nameWidth: width)
        }
        region.draw(lines.joined(separator: "\n"))
    }

    /// The hint for a transfer that has failed.
    private func hint(_ transfer: Transfer) -> String {
        let isGone = transfer.reason == .notFound
        switch (transfer.direction, transfer.changed || isGone) {
        case (.incoming, true): return "Ask \(people.name(transfer.peer)) to send it again."
        case (.outgoing, true) where transfer.changed: return "Offer it as it is now: kibo resume \(transfer.id)"
        case (.outgoing, true): return "Put it back where it was, then: kibo resume \(transfer.id)"
        default: return "Try again with: kibo resume \(transfer.id)"
        }
    }

    private func conclude(_ transfer: Transfer) {
        let console = context.console
        let name = Words.name(transfer.name)
        switch transfer.state {
        case .done:
            let elapsed = (SystemClocks().now - start).milliseconds
            let moved = transfer.bytesDone - (bytesAtStart[transfer.id] ?? 0)
            var line = console.styled("Done:", .green) + " \(name), \(Humane.size(transfer.size))"
            if elapsed >= 1000, moved > 0 {
                let rate = Humane.size(Int64(Double(moved) / Double(elapsed) * 1000))
                line += " in \(Humane.clock(seconds: elapsed / 1000)), \(rate)/s"
            }
            if let members = transfer.members, let count = transfer.membersDone {
                line += ", \(count) of \(members) members have it"
            } else if transfer.direction == .outgoing {
                line += ", \(people.name(transfer.peer)) has it"
            }
            if transfer.direction == .incoming, let path = transfer.path { line += "\n" + ForeignText.escaped(path) }
            console.line(line)
            // Some disks don't take every name.
            if let detail = transfer.detail { console.line(ForeignText.escaped(detail).capitalizedFirst + ".") }
        case .failed:
            console.errorLine(console.styledError("Failed:", .red) + " \(name)\(Words.because(transfer))")
            console.errorLine(hint(transfer))
        case .declined:
            console.errorLine("Declined: \(name)\(Words.because(transfer))")
            let hint = Words.typeHint(
                transfer.reason, unlisted: transfer.unlisted, peer: people.name(transfer.peer))
            if transfer.direction == .outgoing, let hint { console.errorLine(hint) }
        case .cancelled:
            let end = Words.cancelled(by: transfer.cancelledBy, transfer.detail)
            console.errorLine("\(end.capitalizedFirst): \(name)")
        case .offered, .queued, .active, .paused:
            let state = Words.cell(transfer, people).text
            console.errorLine("Not done in time: \(name): \(state). It continues by itself.")
        }
    }
}

extension String {
    /// With its first letter in upper case.
    var capitalizedFirst: String { prefix(1).uppercased() + dropFirst() }
}
