import Basics
import ControlProtocol
import Vocabulary

/// Messages of one `kibo send`: sends them, waits as long as is wanted, and says what has become of each.
struct Sending {
    private struct Sent {
        let receiver: Named
        var message: Message
    }

    private struct Refused {
        let receiver: Named
        let error: RPCError
    }

    private let context: Context
    private let people: People
    private let isToSeveral: Bool
    private var sent: [Sent] = []
    private var refused: [Refused] = []

    init(context: Context, people: People, isToSeveral: Bool) {
        self.context = context
        self.people = people
        self.isToSeveral = isToSeveral
    }

    /// Of several receivers, one that is refused doesn't take away from the others what they have got.
    mutating func send(_ content: JSONObject, to receiver: Named) throws {
        var params = content
        switch receiver.kind {
        case .person, .notes: params["to"] = .string(receiver.id)
        case .group: params["conversation"] = .string(try context.conversation(opening: receiver))
        }
        do throws(ClientError) {
            let message = try context.client().call("message.send", params, as: Message.init(json:))
            sent.append(Sent(receiver: receiver, message: message))
        } catch {
            guard case .refused(let refusal) = error, !sent.isEmpty || !refused.isEmpty else { throw error }
            refused.append(Refused(receiver: receiver, error: refusal))
        }
    }

    /// - Parameter watches: whether events are subscribed to.
    mutating func conclude(_ goal: SendCommand.Goal?, _ timeout: Duration?, watches: Bool) throws -> ExitCode {
        guard let goal else {
            if context.json { return printJSON() }
            if watches { try glance() }
            let code = sayAll()
            return watches ? try follow(code) : code
        }
        return try wait(for: goal, timeout)
    }

    // MARK: Waiting

    /// How long a person at a terminal is kept waiting for a better answer than "queued".
    private static let glance = Duration.milliseconds(400)
    /// The same where the other side is there, and only this host or theirs is slow.
    private static let longGlance = Duration.milliseconds(2500)

    private func isHere(_ message: Message) -> Bool { message.recipients.contains { people.isHere($0.id) } }

    private mutating func update(
        timeout: Duration?, until isEnough: @escaping (Message) -> Bool
    ) throws {
        var messages = sent.map(\.message)
        defer { for index in sent.indices { sent[index].message = messages[index] } }
        try MessageWaiter(client: context.client()).wait(for: &messages, timeout: timeout, isEnough: isEnough)
    }

    private mutating func glance() throws {
        let limit = sent.contains { isHere($0.message) } ? Self.longGlance : Self.glance
        try update(timeout: limit) { $0.isDelivered }
        try awaitAnswers()
    }

    /// An offer that the other side's settings refuse or hold back is answered at once: what is said of it is then true.
    private mutating func awaitAnswers() throws {
        let groups = Set(sent.filter { $0.receiver.kind == .group }.map(\.message.id))
        try update(timeout: Self.glance) { message in
            groups.contains(message.id) || !message.isDelivered
                || message.attachments.allSatisfy { $0.state != .offered || $0.heldBack != nil }
        }
    }

    private mutating func wait(for goal: SendCommand.Goal, _ timeout: Duration?) throws -> ExitCode {
        let start = SystemClocks().now
        do {
            let interrupts = context
            try interrupts.interruptibly {
                try update(timeout: timeout) { $0.has(reached: goal) }
                // Whether files are taken is known only once the offer is there.
                if goal == .sent, sent.contains(where: { !$0.message.attachments.isEmpty && isHere($0.message) }) {
                    try update(timeout: Self.longGlance) { $0.isDelivered }
                }
                try awaitAnswers()
            }
        } catch ClientError.interrupted {
            sayInterrupted()
            throw ClientError.interrupted
        }
        let isReached = sent.allSatisfy { $0.message.has(reached: goal) }
        let moving = sent.map(\.message).filter { !$0.isNote }
        let transfers = moving.flatMap(\.attachments).filter { $0.state != .declined }.map(\.transfer)
        if goal == .done, isReached, !transfers.isEmpty, refused.isEmpty {
            for one in sent where !context.json {
                for file in one.message.attachments where file.state == .declined || file.heldBack != nil {
                    say(file, of: one)
                }
            }
            let rest = timeout.map { $0 - (SystemClocks().now - start) }
            let code = try TransferFollower(context, people).follow(transfers, timeout: rest, printsJSON: true)
            return transfers.count == moving.flatMap(\.attachments).count ? code : .failed
        }
        if context.json {
            let code = printJSON()
            return isReached ? code : .failed
        }
        let code = sayAll(goal)
        guard !isReached, code == .done else { return code }
        let late = sent.filter { !$0.message.has(reached: goal) && $0.message.state != .failed }
        let names = late.map { Words.object($0.receiver) }.joined(separator: ", ")
        let state = Set(late.map(\.message.state.rawValue)).sorted().joined(separator: " or ")
        let what = goal == .done ? "delivered" : goal.rawValue
        throw Failure(
            .failed, "not \(what) \(goal == .read ? "by" : "to") \(names) within \(timeout?.components.seconds ?? 0) s",
            hint: "It is \(state)"
                + (goal == .read
                    ? "." : " and goes out by itself when \(late.count > 1 ? "they are" : "\(names) is") there."))
    }

    /// Files that are taken without asking are followed to their end; files that wait for an answer are not waited for.
    private func follow(_ code: ExitCode) throws -> ExitCode {
        let delivered = sent.map(\.message).filter { $0.isDelivered && !$0.isNote }
        let ids = delivered.flatMap(\.attachments).filter { $0.heldBack == nil && $0.state != .declined }.map(
            \.transfer)
        guard code == .done, !ids.isEmpty else { return code }
        let moving = try TransferFollower.moving(ids, context.client(), within: Self.glance)
        if moving.isEmpty { return code }
        return try TransferFollower(context, people).follow(moving, printsJSON: false)
    }

    // MARK: Words

    private func printJSON() -> ExitCode {
        if isToSeveral {
            var object: JSONObject = ["messages": .array(sent.map(\.message.json))]
            if !refused.isEmpty {
                object["refused"] = .array(
                    refused.map {
                        ["to": .string($0.receiver.id), "name": .string($0.receiver.name), "error": $0.error.json]
                    })
            }
            _ = context.printJSON(.object(object))
        } else {
            for one in sent { _ = context.printJSON(one.message.json) }
        }
        return hasFailed ? .failed : .done
    }

    private var hasFailed: Bool {
        !refused.isEmpty
            || sent.contains { one in
                one.message.state == .failed
                    || one.message.attachments.contains { $0.state == .declined || $0.state == .failed }
            }
    }

    /// - Parameter goal: those that have not come so far are left out.
    private func sayAll(_ goal: SendCommand.Goal? = nil) -> ExitCode {
        for one in sent {
            if let goal, one.message.state != .failed, !one.message.has(reached: goal) { continue }
            say(one)
        }
        sayRefused()
        return hasFailed ? .failed : .done
    }

    private func sayRefused() {
        for one in refused {
            sayFailed("not sent to \(Words.object(one.receiver)): \(ForeignText.escaped(one.error.message))")
        }
    }

    private func sayFailed(_ text: String) {
        context.console.errorLine(context.console.styledError("kibo:", .red, .bold) + " \(Sentence.of(text))")
    }

    private func say(_ one: Sent) {
        let (console, message, name) = (context.console, one.message, Words.object(one.receiver))
        let contact = one.receiver.kind == .person ? people.contacts[one.receiver.id] : nil
        let isGroup = one.receiver.kind == .group
        let reached = message.recipients.lazy.filter { $0.state == .delivered || $0.state == .read }.count
        switch message.state {
        case _ where message.isNote: console.line("Kept in your notes.")
        case .queued where reached > 0, .sent where reached > 0:
            console.line(
                "Delivered to \(reached) of \(message.recipients.count) in \(name); the others will get it when they are back."
            )
        case .failed:
            let reason = message.recipients.compactMap(\.reason).first.map { ": " + Words.reason($0) } ?? ""
            sayFailed("not sent to \(name)\(reason)")
            return
        case _ where isGroup && message.recipients.isEmpty:
            console.line("Stored in \(name); no other member can be reached now.")
        case .queued where isGroup && message.recipients.count == 1 && !people.isHere(message.recipients[0].id):
            let member = people.name(message.recipients[0].id)
            console.line("Queued for \(name): \(member) is offline and will get it when they are back.")
        case .queued where contact?.presence == .offline:
            let keeping = keeper(of: message).map { ", and \($0) will keep it for them until they are back." }
            console.line("Queued for \(name): they are offline" + (keeping ?? " and will get it when they are back."))
        case .queued: console.line("Queued for \(name).")
        case .sent: console.line("Sent to \(name).")
        case .delivered, .received: console.line("Delivered to \(name).")
        case .read: console.line("Read by \(name).")
        }
        for file in message.attachments {
            say(file, of: one)
            guard file.skipped > 0, let client = try? context.client(),
                let transfer = try? client.call(
                    "transfer.get", ["id": .string(file.transfer)], as: Transfer.init(json:))
            else { continue }
            TransferFollower.listLeftOut(transfer, context.console.line)
        }
    }

    /// The courier who keeps a message for its recipient, who is away, or gets it for that; nil if none does now.
    private func keeper(of message: Message) -> String? {
        let story = try? context.client().call("message.why", ["id": .string(message.id)])
        let states = Remark<StoryState>.list(story?["now"])
        let state = states.first { $0.code == .goesToCourier || $0.code == .held }
        return (state?.parameters["courier"]?.string).map { Words.name($0) }
    }

    private func say(_ file: Attachment, of one: Sent) {
        let name = Words.object(one.receiver)
        let what = Words.name(file.name) + ", " + Humane.size(file.size) + AttachmentWords.leftOut(file)
        switch file.state {
        case _ where one.message.isNote: context.console.line("Noted, the file stays where it is: \(what)")
        case .declined, .failed:
            context.console.errorLine("\(what): \(AttachmentWords.state(file, isOwn: true))")
            let hint = Words.typeHint(file.reason, unlisted: file.unlisted, peer: name)
            if let hint { context.console.errorLine(hint) }
        case .offered where file.heldBack != nil:
            context.console.line(
                "\(what): held back by \(name) (\(FileType.words(file.unlisted ?? []))). They must take it anyway first."
            )
        default: context.console.line("Offered: \(what). See: kibo transfers")
        }
    }

    /// Ctrl-C has ended the waiting, and nothing else.
    private mutating func sayInterrupted() {
        guard !context.json else { return }
        // An event may be under way.
        for index in sent.indices {
            let params: JSONObject = ["id": .string(sent[index].message.id)]
            // A daemon that doesn't answer once is not asked for the others: the user wants to be gone.
            guard let now = try? context.client().call("message.get", params, timeout: Self.glance) else { break }
            if let message = try? Message(json: now) { sent[index].message = message }
        }
        // The terminal has written ^C where the cursor was.
        if context.console.isTerminal { context.console.line() }
        for one in sent {
            let (name, id) = (Words.object(one.receiver), one.message.id)
            let whom = one.receiver.kind == .group ? "all are" : "\(name) is"
            switch one.message.state {
            case .queued:
                context.console.errorLine(
                    "Queued for \(name); it goes out by itself when \(whom) there. To take it back: kibo delete \(id)")
            case .failed: sayFailed("not sent to \(name)")
            default:
                context.console.errorLine(
                    "\(one.message.state.rawValue.capitalizedFirst) \(one.message.state == .read ? "by" : "to") \(name); the rest happens by itself. "
                        + "To see its state: kibo why \(id)")
            }
        }
        sayRefused()
    }
}

extension Message {
    /// A note has nowhere to go.
    fileprivate var isDelivered: Bool { state == .delivered || state == .read || isNote }

    /// Whether it has come as far as `--wait` wants it; files have further to go then.
    fileprivate func has(reached goal: SendCommand.Goal) -> Bool {
        switch goal {
        case .sent: state == .sent || isDelivered
        case .delivered, .done: isDelivered
        case .read: state == .read || isNote
        }
    }
}
