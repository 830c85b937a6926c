import Arguments
import Basics
import ControlProtocol
import Vocabulary

/// Says what went wrong and what to do about it, to people or to programs.
struct Report {
    let console: Console
    let json: Bool
    /// The typed words, from the command's name on.
    var words: [String] = []

    /// Prints an error to standard error, and returns the exit code.
    func failure(_ error: any Error) -> ExitCode {
        switch error {
        case let failure as Failure:
            say(failure, as: Self.json(failure))
            return failure.code
        case let problem as ArgumentParser.Problem:
            return self.failure(Failure.usage(problem.message))
        case let error as ClientError:
            return clientFailure(error)
        default:
            return self.failure(Failure(.failed, "\(error)"))
        }
    }

    private func clientFailure(_ error: ClientError) -> ExitCode {
        let code = ExitCode(error)
        // The person knows: it was their Ctrl-C.
        if error == .interrupted { return code }
        let failure = Failure(code, Self.message(of: error), hint: hint(for: error))
        if case .refused(let refusal) = error {
            say(failure, as: refusal.json)
        } else {
            say(failure, as: Self.json(failure))
        }
        return code
    }

    /// The names that people have for the fields of the interface.
    private static let fields = [
        "displayName": "the name", "name": "the name", "description": "the description",
        "statusText": "the status text", "alias": "the alias", "note": "the note",
        "text": "the text", "query": "the query",
    ]

    /// The message; a refusal that begins with a field's name has it in people's words.
    private static func message(of error: ClientError) -> String {
        guard case .refused(let refusal) = error, let field = refusal.field, let name = fields[field],
            error.description.hasPrefix(field + " ")
        else { return error.description }
        return name + error.description.dropFirst(field.count)
    }

    /// A failure that the program itself finds, in the form of the daemon's refusals.
    static func json(_ failure: Failure) -> JSONValue {
        var object: JSONObject = ["message": .string(failure.message), "hint": .string(failure.hint)]
        let kind: Reason? =
            switch failure.code {
            case .notFound: .notFound
            case .usage: .invalid
            case .noAccount: .noAccount
            case .done, .failed, .noDaemon, .interrupted: nil
            }
        if let kind {
            object["data"] = ["kind": .string(kind.rawValue), "retryable": .bool(kind.isRetryable)]
        }
        return .object(object)
    }

    private func say(_ failure: Failure, as object: JSONValue) {
        if json {
            console.errorLine(JSONOutput.text(["error": object, "exitCode": .integer(Int64(failure.code.rawValue))]))
            return
        }
        let mark = console.styledError("kibo:", .red, .bold)
        console.errorLine("\(mark) \(ForeignText.escaped(Sentence.of(failure.message), multiline: true))")
        for line in failure.hint.split(separator: "\n") {
            console.errorLine("      " + ForeignText.escaped(String(line)))
        }
    }

    /// The hint for an error; where a name may mean several, it lists them.
    private func hint(for error: ClientError) -> String {
        guard case .refused(let refusal) = error else { return Self.hint(for: error) }
        let candidates = Named.candidates(of: refusal)
        if refusal.hint == .nearestName, let near = candidates.first { return suggestion(near, refusal) }
        guard refusal.kind == .ambiguous || candidates.count > 1 else { return Self.hint(for: error) }
        if candidates.count == 1 { return typed(candidates[0], refusal) }
        let lines = Words.candidates(candidates, now: console.clocks.wallTime)
        return (lines + ["Use the word at the beginning of a line to say who."]).joined(separator: "\n")
    }

    /// The words to type where only one can be meant, and the word was not all of their name.
    private func typed(_ named: Named, _ refusal: RPCError) -> String {
        let name = Self.name(of: named)
        guard let line = again(named, refusal), let command = words.first else {
            return "If you mean \(name): \(Shell.quoted(named.word))"
        }
        let verb = Self.verbs.contains(command) ? "To \(command) someone" : nil
        if named.kind == .person, named.word == named.name {
            return "\(verb.map { "\($0), give the full name" } ?? "Give the full name"): \(line)"
        }
        return verb == nil ? "If you mean \(name), type: \(line)" : "To \(command) \(name), type: \(line)"
    }

    /// The commands about people whose names are their verbs.
    private static let verbs: Set<String> = [
        "accept", "add", "block", "decline", "remove", "trust", "unblock", "verify",
    ]

    /// The question whether another name was meant, with the words to type then.
    private func suggestion(_ near: Named, _ refusal: RPCError) -> String {
        let line = again(near, refusal).map { "\n\($0)" } ?? " The word to type is: \(Shell.quoted(near.word))"
        return "Did you mean \(Self.name(of: near))?\(line)"
    }

    private static func name(of named: Named) -> String {
        switch named.kind {
        case .group: "the group \(Words.name(named.name))"
        case .notes: Words.notes
        case .person: Words.name(named.name)
        }
    }

    /// The typed command with another word in the place of the one that was refused; nil if it isn't found there.
    private func again(_ named: Named, _ refusal: RPCError) -> String? {
        let place = words.indices.dropFirst().first { index in
            refusal.message.contains("\"\(ForeignText.escapedName(Self.bare(words[index])))\"")
        }
        guard let place, words.map(\.count).reduce(0, +) <= ProtocolLimits.shownAgain else { return nil }
        var line = words.map(Shell.quoted)
        line[place] = Shell.quoted(named.word)
        return "kibo \(line.joined(separator: " "))"
    }

    /// A word without the sign of a group, as refusals show it.
    private static func bare(_ word: String) -> String {
        word.hasPrefix(NameSign.group) ? String(word.dropFirst()) : word
    }

    /// The hint for an error that has none of its own.
    static func hint(for error: ClientError) -> String {
        switch error {
        case .noDaemon(let path, _):
            let unit = DaemonUnit(socket: path)
            let start = "Start it with: \(unit.command("start"))"
            // By hand it would have other data than the unit of the system.
            return unit.systemUser == nil ? start + "\nor by hand, in another terminal: kibod" : start
        case .denied:
            return """
                It belongs to another user. Run kibo as that user: runuser -u USER -- kibo …
                or say where your own daemon is with --socket PATH.
                """
        case .foreignDaemon:
            return """
                Nothing was sent. Say where your own daemon is with --socket PATH,
                or run kibo as the user whose daemon it is: runuser -u USER -- kibo …
                """
        case .disconnected: return "It has ended or was restarted; see: kibo status"
        case .broken: return "The daemon and this program may have different versions: kibo status, kibo --version"
        case .timedOut, .interrupted: return ""
        case .refused(let error):
            let hint = HintWords.text(of: error)
            if !hint.isEmpty { return hint }
            switch error.kind {
            case .noAccount: return "Make one with: kibo setup"
            case .notFriends: return "Ask them first: kibo add WHO"
            case .offline: return "See who is there: kibo peers"
            default: break
            }
            return error.code == RPCError.methodNotFoundCode
                ? "The daemon may be older than this program: kibo status, kibo --version" : ""
        }
    }
}
