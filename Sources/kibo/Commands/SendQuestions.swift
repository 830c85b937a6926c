import Arguments
import ControlProtocol

/// Reads the words of `kibo send`, and asks the user where they may mean two things.
struct SendQuestions {
    private let context: Context
    /// The people whose names a word may be; nil where none of them is a name.
    private let people: People?
    /// The words of the command, a receiver first.
    private let typed: [String]

    /// For people and groups, which the first words name.
    init(_ context: Context, to people: People) {
        self.context = context
        self.people = people
        typed = context.arguments.positionals
    }

    /// For a device with LocalSend, which an option names: all words are files, or a text.
    init(_ context: Context, toDevice device: String) {
        self.context = context
        people = nil
        typed = [device] + context.arguments.positionals
    }

    /// How a command line to this receiver begins.
    private func start(_ receiver: String) -> [String] {
        ["kibo", "send"] + (people == nil ? [Giving.option] : []) + [receiver]
    }

    /// - Parameter hasFiles: whether an option names files.
    /// - Throws: ``Failure`` with the ways to say it, where there is no person to ask, or the answer is no.
    func words(hasFiles: Bool) throws -> SendWords {
        var words = typed
        let text = context.arguments.value("--text")
        let known = words.count > 1 ? try names() : CalledNames([])
        let surroundings = SendWords.Surroundings(
            isFile: LocalPath.isThere, isName: known.has, isWholeName: known.hasWhole)
        var spaced = true
        while true {
            do throws(SendWords.Doubt) {
                return try SendWords(words, text: text, hasFiles: hasFiles, surroundings, spaced: spaced)
            } catch {
                switch error {
                case .spacedName(let meant):
                    try confirm(
                        "Do you mean \(Words.name(meant[0]))?",
                        otherwise: "\"\(meant[0])\" is the whole name of a person or group",
                        [
                            Shell.line(["kibo", "send"] + meant),
                            Shell.line(start(words[0]) + ["--text", words.dropFirst().joined(separator: " ")]),
                        ])
                    (words, spaced) = (meant, false)
                case .file(let file, nil, let asText): return try self.text(asText, "\"\(file)\" is a file here", words)
                case .file(let file, let missing?, let asText):
                    return try self.text(asText, "\"\(file)\" is a file here, but \"\(missing)\" isn't", words)
                case .noFile(let file, let asText):
                    throw Failure(
                        .usage, "there is no file \(file)",
                        hint: "To send these words: "
                            + Shell.line(start(words[0]) + ["--text", asText.text ?? ""]))
                case .name(let name, let asText):
                    return try self.text(asText, "\"\(name)\" is also the name of a person or group", words)
                case .nameAndFile(let word):
                    throw Failure(
                        .usage, "\"\(word)\" is a file here, and the name of a person or group",
                        hint: "The file is ./\(Shell.quoted(word)); people come first: kibo send WHO… FILE…")
                case .twoTexts:
                    throw Failure.usage(
                        "the text comes from --text or, for -, from standard input, not from both", command: "send")
                }
            }
        }
    }

    private func names() throws -> CalledNames {
        guard let people else { return CalledNames([]) }
        let groups = try context.client().call("group.list")["groups"]?.array ?? []
        return CalledNames(people, try groups.map { try Group(json: $0) })
    }

    /// A text that may not be meant as one.
    private func text(_ meant: SendWords, _ why: String, _ words: [String]) throws -> SendWords {
        let text = meant.text ?? ""
        let first = words.dropFirst().filter { !LocalPath.isThere($0) }
        let files = words.dropFirst().filter(LocalPath.isThere)
        var ways = [Shell.line(start(words[0]) + ["--text", text])]
        if !files.isEmpty {
            // A device gets files or a text.
            let said = first.isEmpty || people == nil ? [] : ["--text", first.joined(separator: " ")]
            ways.append(Shell.line(start(words[0]) + said + files))
        } else if first.count > 1 {
            ways.append(
                Shell.line(["kibo", "send", words[0], first[0], "--text", first.dropFirst().joined(separator: " ")]))
        }
        let shown = Words.excerpt(text)
        try confirm("Send this as a text to \(Words.name(words[0])): \"\(shown)\"?", otherwise: why, ways)
        return meant
    }

    /// Goes on if the user says yes.
    private func confirm(_ question: String, otherwise: String, _ ways: [String]) throws {
        let hint = "Say which is meant:\n" + ways.map { "  \($0)" }.joined(separator: "\n")
        guard context.console.canAsk, !context.json else { throw Failure(.usage, otherwise, hint: hint) }
        context.console.write("\(otherwise.capitalizedFirst). \(question) [y/N] ")
        guard let answer = readLine()?.trimmed.lowercased(), answer == "y" || answer == "yes" else {
            throw Failure(.failed, "nothing was sent", hint: hint)
        }
    }
}
