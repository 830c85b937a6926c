import Arguments
import Basics
import ControlProtocol

let chatArgument = ArgumentSpec("CHAT", help: Context.chatHelp)

/// `kibo pin | unpin | archive | unarchive | unmute CHAT`: one field of a conversation.
struct MarkCommand: Command {
    let spec: CommandSpec
    private let field: String
    private let value: Bool
    /// The words for when it is done, behind whose conversation it is.
    private let done: String

    private init(_ name: String, _ summary: String, _ field: String, _ value: Bool, done: String) {
        spec = CommandSpec(
            name, .talk, summary, arguments: [chatArgument], options: [Context.groupOption])
        self.field = field
        self.value = value
        self.done = done
    }

    static let all = [
        MarkCommand("pin", "Keep a conversation on top of the list", "pinned", true, done: "is pinned."),
        MarkCommand("unpin", "Unpin a conversation", "pinned", false, done: "is not pinned any more."),
        MarkCommand(
            "archive", "Take a conversation out of the list", "archived", true,
            done: "is archived. See: kibo chats --archived"),
        MarkCommand(
            "unarchive", "Bring an archived conversation back into the list", "archived", false,
            done: "is in the list again."),
        MarkCommand("unmute", "Unmute a conversation", "muted", false, done: "is not muted any more."),
    ]

    func run(_ context: Context) throws -> ExitCode {
        let client = try context.client()
        let named = try context.chat(context.word(0))
        let id = try context.conversation(opening: named)
        let result = try client.call("conversation.update", JSONObject([("id", .string(id)), (field, .bool(value))]))
        if context.printJSON(result) { return .done }
        // Notes are several.
        let done = named.kind == .notes ? "are" + done.dropFirst(2) : done
        context.console.line("\(Words.subject(named)) \(done)")
        return .done
    }
}

/// `kibo mute CHAT [TIME]`
struct MuteCommand: Command {
    let spec = CommandSpec(
        "mute", .talk, "Mute a conversation: no notifications",
        arguments: [
            chatArgument,
            ArgumentSpec(
                "TIME", .any, help: "how long: 30m, 8h, 1h30m, 3d or 2w; or until when: 18:00, until 18:00, tomorrow",
                choices: ["1h", "8h", "1d", "1w", "tomorrow"]),
        ],
        options: [Context.groupOption, OptionSpec("--mentions", help: "mute mentions of you in a group, too")],
        details: """
            Without TIME the conversation is muted until you unmute it: kibo unmute CHAT
            Messages of a group that mention you (@ and your name) still notify you, unless you mute them, too.
            `tomorrow` is eight o'clock in the morning. A time of day that has already passed means tomorrow.
            """)

    func run(_ context: Context) throws -> ExitCode {
        let client = try context.client()
        var until: Int64?
        let words = context.arguments.positionals.dropFirst()
        if !words.isEmpty {
            until = MuteTime.read(words, now: context.now)
            guard until != nil else {
                throw Failure(
                    .usage, "\(Shell.quoted(words.joined(separator: " "))) is not a time.",
                    hint: "TIME is \(MuteTime.allowed). If it belongs to the name, quote the whole name.")
            }
        }
        let named = try context.chat(context.word(0))
        let id = try context.conversation(opening: named)
        let mentions = context.arguments.has("--mentions")
        var params: JSONObject = ["id": .string(id), "muted": true, "mentionsMuted": .bool(mentions)]
        if let until { params["mutedUntil"] = .integer(until) }
        let result = try client.call("conversation.update", params)
        if context.printJSON(result) { return .done }
        let end = until.map { " until \(Humane.moment($0, now: context.now))" } ?? ""
        context.console.line(
            "\(Words.subject(named)) \(named.kind == .notes ? "are" : "is") muted\(end)\(mentions ? ", mentions too" : "")."
        )
        return .done
    }
}

/// How long a conversation is muted, as a person types it: `8h`, `18:00`, `tomorrow`.
enum MuteTime {
    static let allowed = "30m, 8h, 1h30m, 3d or 2w, a time of day such as 18:00, or tomorrow"
    /// The most of each unit, so that no sum is too large: ten years.
    private static let longest: Int64 = 3_652 * 86_400
    private static let tomorrowAt = "08:00"

    /// Reads all words behind the name: `8h`, `1h 30m`, `until 18:00`.
    static func read(_ words: some Collection<String>, now: WallTime) -> Int64? {
        if words.count == 2, let first = words.first?.lowercased(), ["until", "till", "for"].contains(first) {
            return words.dropFirst().first.flatMap { read($0, now: now) }
        }
        // A time of day is one word, and spans add up.
        return words.count > 1 && words.contains { $0.contains(":") } ? nil : read(words.joined(), now: now)
    }

    /// Milliseconds since 1970; nil for other words, and for a time that is too far away.
    static func read(_ word: String, now: WallTime) -> Int64? {
        let word = word.lowercased()
        if word == "tomorrow" { return clock(tomorrowAt, now, daysAhead: 1) }
        if word.contains(":") {
            guard let today = clock(word, now, daysAhead: 0) else { return nil }
            return today > now.milliseconds ? today : clock(word, now, daysAhead: 1)
        }
        return span(word[...]).map { now.milliseconds + $0 * 1000 }
    }

    /// The seconds of `1h30m`: each unit once, the largest first.
    private static func span(_ word: Substring) -> Int64? {
        var (rest, sum, last) = (word, Int64(0), Int64.max)
        repeat {
            let digits = rest.prefix { $0.isASCII && $0.isNumber }
            rest = rest.dropFirst(digits.count)
            guard let count = Int64(digits), count > 0, let unit = rest.popFirst().flatMap({ units[$0] }), unit < last,
                count <= longest / unit
            else { return nil }
            sum += count * unit
            last = unit
        } while !rest.isEmpty
        return sum <= longest ? sum : nil
    }

    /// Seconds.
    private static let units: [Character: Int64] = ["m": 60, "h": 3600, "d": 86_400, "w": 7 * 86_400]

    private static func clock(_ word: String, _ now: WallTime, daysAhead: Int) -> Int64? {
        guard let midnight = Moment.day(now.milliseconds, ahead: daysAhead) else { return nil }
        return Moment.read("\(Humane.format(midnight, "%F")) \(word)", now: now)
    }
}

/// `kibo forget CHAT [--yes]`
struct ForgetCommand: Command {
    let spec = CommandSpec(
        "forget", .talk, "Delete a whole conversation from this computer",
        arguments: [chatArgument],
        options: [Context.yesOption, Context.groupOption],
        details: """
            All its messages are deleted from this computer for good. The others keep theirs; messages that they have
            not received yet are not sent. On a terminal you are asked first; scripts need --yes.
            You stay a member of a group: kibo group leave ends that.
            """)

    func run(_ context: Context) throws -> ExitCode {
        let client = try context.client()
        let named = try context.chat(context.word(0), isStrict: true)
        let isNotes = named.kind == .notes
        let title = Words.object(named)
        let all = isNotes ? "all \(title)" : "all messages with \(title)"
        guard let id = named.conversation else {
            let what = isNotes ? "You have no notes." : "There is no conversation with \(title)."
            throw Failure(.notFound, what, hint: "See: kibo chats")
        }
        let people = try People(client, in: id)
        let queued = try queued(id, client)
        let unsent = Words.unsent(queued, people, isDone: false)
        if !context.arguments.has("--yes") {
            guard context.console.canAsk, !context.json else {
                let also = unsent.map { "; \($0)" } ?? ""
                throw Failure(
                    .usage, "This deletes \(all)\(also).", hint: "To go ahead: --yes")
            }
            if let unsent { context.console.line("\(unsent).") }
            guard context.confirms("Delete \(all) from this computer?") else {
                context.console.line("Nothing was deleted.")
                return .failed
            }
        }
        let result = try client.call("conversation.delete", ["id": .string(id)])
        if context.printJSON(result) { return .done }
        context.console.line(isNotes ? "Your notes are deleted." : "The conversation with \(title) is deleted.")
        if let unsent = Words.unsent(queued, people, isDone: true) { context.console.line("\(unsent).") }
        if let group = people.group(ofConversation: id), group.state == .member {
            context.console.line(
                "You are still a member. To leave: kibo group leave \(Shell.quoted(Words.name(group.name)))")
        }
        return .done
    }

    /// The messages that wait in a conversation to be sent, as far as a look at the newest finds them.
    private func queued(_ id: String, _ client: ControlClient) throws -> [Message] {
        var gathered: [Message] = []
        var params: JSONObject = ["conversation": .string(id), "limit": 500]
        for _ in 0..<Self.pages {
            let page = try client.call("message.list", params)
            let messages = try (page["messages"]?.array ?? []).map { try Message(json: $0) }
            gathered += messages.filter { $0.state == .queued }
            guard page["hasMore"]?.bool == true, let first = messages.first else { break }
            params["before"] = .string(first.position)
        }
        return gathered
    }

    /// Pages of 500 that are looked through: a courtesy must not take long.
    private static let pages = 20
}
