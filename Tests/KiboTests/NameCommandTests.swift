import Basics
import ControlProtocol
import Testing
import Vocabulary

@testable import Media
@testable import kibo

/// Goal: the commands act on the person or group that the daemon names, say which that was, and do nothing where that
/// isn't clear.
struct NameCommandTests {
    private static let annaBerg = Cast.account(20)
    private static let mallory = Cast.account(21)

    /// Anna Berg, whom we have verified, and another person whose name is as we type it.
    private func daemon(_ contacts: [Contact]) -> FakeDaemon {
        let daemon = FakeDaemon()
        daemon.answer("contact.list") { _, _ in ["contacts": .array(contacts.map(\.json))] }
        daemon.answer("peer.list") { _, _ in ["peers": []] }
        for method in ["contact.remove", "contact.block", "contact.accept", "contact.trustNewKey", "contact.verify"] {
            daemon.answer(method) { params, _ in
                var contact = contacts.first { $0.id == params.string("id") } ?? contacts[0]
                contact.relation = .none
                return contact.json
            }
        }
        return daemon
    }

    @Test("What can't be taken back is not done where a name fits two; each is named with the word that leads to it")
    func dangerous() throws {
        let people = [
            Contact(id: Self.annaBerg, displayName: "Anna", relation: .friend, trust: .verified),
            Contact(id: Self.mallory, displayName: "anna", alias: "Mallory", relation: .incoming),
        ]
        for words in [
            ["remove"], ["block"], ["accept"], ["trust"], ["decline"], ["verify", "--yes"], ["forget", "--yes"],
        ] {
            let daemon = daemon(people)
            let run =
                words.count == 1
                ? CommandRun(words[0], "ann", daemon: daemon) : CommandRun(words[0], "ann", words[1], daemon: daemon)
            #expect(run.code == .failed || run.code == .notFound, "\(words): \(run.output)")
            #expect(run.output.isEmpty)
            #expect(!daemon.methods.contains { $0.hasPrefix("contact.") && $0 != "contact.list" }, "\(words)")
        }
        for words in [["remove"], ["block"], ["trust"]] {
            let daemon = daemon(people)
            let run = CommandRun(words[0], "Anna", daemon: daemon)
            #expect(run.code == .failed && run.errors.contains("\"Anna\" may mean any of 2"), "\(words): \(run.errors)")
            #expect(
                run.errors.contains(
                    "\n      \(Self.annaBerg.prefix(13))  Anna, friend, verified, has had this name since "))
            #expect(
                run.errors.contains("\n      Mallory        Mallory, asks to be your friend, has had this name since "))
            #expect(daemon.methods.allSatisfy { ["name.resolve", "transfer.list"].contains($0) })
        }
        let remove = CommandRun("remove", String(Self.annaBerg.prefix(13)), daemon: daemon(people))
        #expect(remove.output == "Removed Anna: you are not friends any more.\n")
    }

    @Test("Accepting and declining are about people who ask: a friend who has asked nothing doesn't compete with them")
    func requests() {
        let people = [
            Contact(id: Self.annaBerg, displayName: "Anna Berg", relation: .friend, trust: .verified),
            Contact(id: Self.mallory, displayName: "Anna", relation: .incoming),
        ]
        for word in ["accept", "decline"] {
            let daemon = daemon(people)
            daemon.answer("contact.decline") { _, _ in people[1].json }
            daemon.answer("transfer.list") { _, _ in ["transfers": []] }
            let run = CommandRun(word, "Anna", daemon: daemon)
            #expect(run.code == .done, "\(word): \(run.errors)")
            #expect(daemon.requests("contact.\(word)") == [["id": .string(Self.mallory)]])
        }
        let both = daemon([people[1], Contact(id: Self.annaBerg, displayName: "anna", relation: .incoming)])
        #expect(CommandRun("accept", "Anna", daemon: both).errors.contains("\"Anna\" may mean any of 2 people"))
        #expect(!both.methods.contains("contact.accept"))
    }

    @Test("Where only one may be meant, the refusal says what to type for them")
    func single() {
        let people = [Contact(id: Self.annaBerg, displayName: "Anna Berg", relation: .friend)]
        let daemon = daemon(people)
        let run = CommandRun("remove", "Anna", daemon: daemon)
        #expect(
            run.errors == "kibo: \"Anna\" is not the whole name.\n"
                + "      To remove someone, give the full name: kibo remove 'Anna Berg'\n")
        let forget = CommandRun("forget", "--yes", "Anna", daemon: daemon)
        #expect(forget.errors.contains("      Give the full name: kibo forget --yes 'Anna Berg'\n"), "\(forget.errors)")
        #expect(!daemon.methods.contains("contact.remove"))
    }

    @Test("A script gets the candidates of a clash as objects, with a word for each")
    func json() throws {
        let run = CommandRun("--json", "send", "ann", "hello", daemon: FakeDaemon())
        let error = try #require(try JSONParser.parse(run.errors)["error"])
        #expect(run.code == .failed && error["data"]?["kind"]?.string == "ambiguous")
        let named = Named.candidates(of: try RPCError(json: error))
        #expect(Set(named.map(\.id)) == [Cast.anna, Cast.annabel] && named.contains { $0.word == "Bella" })
        #expect(named.allSatisfy { $0.kind == .person && $0.relation == .friend && $0.since != nil })
    }

    @Test("A group is meant with a colon or --group; what was done says that it was done to one")
    func groups() {
        var group = Cast.group()
        group.name = "Anna"
        for words in [["send", ":anna", "hello"], ["send", "--group", "Anna", "hello"]] {
            let daemon = FakeDaemon.withGroup(group)
            daemon.answer("message.send") { params, _ in
                Cast.said(params.string("text"), states: [.sent, .sent, .sent], state: .sent).json
            }
            let run =
                words.count == 3
                ? CommandRun(words[0], words[1], words[2], daemon: daemon)
                : CommandRun(words[0], words[1], words[2], words[3], daemon: daemon)
            #expect(run.output == "Sent to the group Anna.\n", "\(run.errors)")
            #expect(daemon.requests("message.send") == [["text": "hello", "conversation": .string(Cast.hikersChat)]])
        }
        let daemon = FakeDaemon.withGroup(group)
        daemon.answer("message.send") { params, _ in Cast.message(params.string("text"), .sent).json }
        #expect(CommandRun("send", "Anna", "hello", daemon: daemon).output == "Sent to Anna.\n")
        #expect(daemon.requests("message.send") == [["text": "hello", "to": .string(Cast.anna)]])
        let forget = CommandRun("forget", "Anna", "--yes", daemon: daemon)
        #expect(forget.code == .failed && forget.errors.contains("  the group Anna, 4 members, made by you\n"))
        #expect(!daemon.methods.contains("conversation.delete"))
    }

    @Test("A person who shares a name with others is told from them after an action")
    func prevailing() {
        let people = [
            Contact(id: Self.annaBerg, displayName: "Anna", relation: .friend, trust: .verified),
            Contact(id: Self.mallory, displayName: "Anna", relation: .friend),
        ]
        let daemon = daemon(people)
        daemon.answer("message.send") { params, _ in Cast.message(params.string("text"), .sent).json }
        #expect(
            CommandRun("send", "Anna", "hello", daemon: daemon).output
                == "Sent to Anna (\(Self.annaBerg.prefix(13)), verified).\n")
    }

    @Test(
        "Removing says what was ended",
        arguments: [
            (Relation.friend, "Removed Bob: you are not friends any more.\n"),
            (.requested, "Your request to Bob is taken back.\n"), (.incoming, "Declined Bob's request.\n"),
        ])
    func removing(relation: Relation, line: String) {
        let daemon = daemon([Contact(id: Cast.bob, displayName: "Bob", relation: relation)])
        #expect(CommandRun("remove", "Bob", daemon: daemon).output == line)
    }

    // kibo send asks for all groups, to know whether a word of the text is the name of one.
    @Test("No other command asks for all groups to know a name")
    func economy() {
        for words in [
            ["read", "Anna"], ["mute", "Anna"], ["transfers"], ["search", "x"], ["chats"],
        ] {
            let daemon = FakeDaemon()
            daemon.answer("message.send") { params, _ in Cast.message(params.string("text"), .sent).json }
            daemon.answer("message.list") { _, _ in ["messages": [], "hasMore": false] }
            daemon.answer("message.search") { _, _ in ["messages": []] }
            daemon.answer("conversation.update") { _, _ in Cast.conversations[0].json }
            let run: CommandRun =
                switch words.count {
                case 1: CommandRun(words[0], daemon: daemon)
                case 2: CommandRun(words[0], words[1], daemon: daemon)
                default: CommandRun(words[0], words[1], words[2], daemon: daemon)
                }
            // The search finds nothing.
            #expect(run.code == (words[0] == "search" ? .failed : .done), "\(words): \(run.errors)")
            #expect(!daemon.methods.contains("group.list"), "\(words)")
        }
    }

    @Test("A mistyped name is asked about, with the command to type; it is never followed")
    func mistyped() throws {
        let anna = Contact(
            id: Self.annaBerg, displayName: "Anna Berg", relation: .friend, conversation: Cast.chat)
        let daemon = daemon([anna])
        for (words, line) in [
            (["send", "Ana", "see you"], "kibo send 'Anna Berg' 'see you'"),
            (["remove", "Anna Bergg"], "kibo remove 'Anna Berg'"),
            (["read", "Berq"], "kibo read 'Anna Berg'"),
        ] {
            let run = CommandRun(words: words, daemon: daemon)
            #expect(run.code == .notFound && run.output.isEmpty)
            #expect(
                run.errors == "kibo: No person matches \"\(words[1])\".\n      Did you mean Anna Berg?\n      \(line)\n"
            )
        }
        #expect(
            daemon.methods.allSatisfy { ["name.resolve", "system.hello", "contact.list", "group.list"].contains($0) })
        // The command line is not shown again where it would fill the screen.
        let long = CommandRun("send", "Ana", String(repeating: "long ", count: 100), daemon: daemon)
        #expect(long.errors.hasSuffix("Did you mean Anna Berg? The word to type is: 'Anna Berg'\n"))
        let json = try JSONParser.parse(CommandRun("--json", "read", "Ana", daemon: daemon).errors)
        #expect(json["error"]?["data"]?["hint"] == "nearest_name")
        #expect(json["error"]?["data"]?["candidates"]?.array?.count == 1)
    }
}
