import Basics
import ControlProtocol
import Testing

@testable import Media
@testable import kibo

struct GroupCommandTests {
    @Test("Each action makes the request that it names, with people and groups by their names")
    func actions() {
        let own = JSONValue.string(Cast.hikers)
        for (words, method, params, line): ([String], String, JSONObject, String) in [
            (
                ["add", "hik", "Anna", "Bella"], "group.add",
                ["id": own, "members": .strings([Cast.anna, Cast.annabel])], "Added Anna, Bella to the group Hikers."
            ),
            (
                ["remove", "Hikers", "Dora"], "group.remove", ["id": own, "member": .string(Cast.dora)],
                "Removed Dora from the group Hikers."
            ),
            (
                ["role", "Hikers", "bel", "Admin"], "group.setRole",
                ["id": own, "member": .string(Cast.annabel), "role": "admin"],
                "Bella is an admin of the group Hikers now."
            ),
            (["rename", "Hikers", "Ramblers"], "group.update", ["name": "Ramblers", "id": own], "is called Hikers"),
            (
                ["describe", "Hikers", "On", "Mondays"], "group.update", ["description": "On Mondays", "id": own],
                "Hikers: On Sundays"
            ),
            (["describe", "Hikers", ""], "group.update", ["description": "", "id": own], "Hikers: On Sundays"),
            (["history", Cast.hikersChat, "20"], "group.update", ["history": 20, "id": own], "the last 20 messages"),
            (["avatar", "Hikers", "--none"], "group.update", ["avatarPath": "", "id": own], "no avatar any more"),
            (["avatar", "Hikers", "/tmp"], "group.update", ["avatarPath": "/tmp", "id": own], "a new avatar"),
            (["leave", "Hikers", "--yes"], "group.leave", ["id": own], "You left the group Hikers."),
        ] {
            let daemon = FakeDaemon.withGroup()
            daemon.answer(method) { _, _ in Cast.group().json }
            let run = run(words, daemon)
            #expect(run.code == .done && run.output.contains(line), "\(words): \(run.output)\(run.errors)")
            #expect(daemon.requests(method) == [params], "\(words)")
        }
    }

    /// `kibo group` with these words.
    private func run(_ words: [String], _ daemon: FakeDaemon) -> CommandRun {
        let word = { (index: Int) in words.indices.contains(index) ? words[index] : nil }
        switch words.count {
        case 1: return CommandRun("group", word(0) ?? "", daemon: daemon)
        case 2: return CommandRun("group", word(0) ?? "", word(1) ?? "", daemon: daemon)
        case 3: return CommandRun("group", word(0) ?? "", word(1) ?? "", word(2) ?? "", daemon: daemon)
        default:
            return CommandRun("group", word(0) ?? "", word(1) ?? "", word(2) ?? "", word(3) ?? "", daemon: daemon)
        }
    }

    @Test("A group is made of friends alone, with all that it is to have at once")
    func create() {
        let daemon = FakeDaemon()
        daemon.answer("group.create") { _, _ in Cast.group().json }
        let made = CommandRun(
            "group", "create", "Hikers", "Anna", "Bella", "--description", "On Sundays", "--history", "20",
            daemon: daemon)
        #expect(made.output == "Created the group Hikers with Anna, Bella.\n")
        #expect(
            daemon.requests("group.create") == [
                [
                    "name": "Hikers", "members": .strings([Cast.anna, Cast.annabel]), "description": "On Sundays",
                    "history": 20,
                ]
            ])
        #expect(CommandRun("group", "create", "Hikers", "Zoe", daemon: daemon).code == .notFound)
        #expect(CommandRun("group", "create", daemon: daemon).code == .usage)
        #expect(CommandRun("group", "create", "X", "--history", "100001", daemon: daemon).code == .usage)
        #expect(daemon.requests("group.create").count == 1)
    }

    @Test("Words that make no sense are refused before any request, with what to do")
    func mistakes() {
        let daemon = FakeDaemon.withGroup()
        let near = CommandRun("group", "remov", "Hikers", "Anna", daemon: daemon)
        #expect(near.code == .usage && near.errors.contains("kibo group remove"))
        let option = CommandRun("group", "show", "Hikers", "--yes", daemon: daemon)
        #expect(option.code == .usage && option.errors.contains("kibo group leave"))
        #expect(CommandRun("group", "role", "Hikers", "Anna", "king", daemon: daemon).code == .usage)
        #expect(CommandRun("group", "role", "Hikers", "Anna", daemon: daemon).code == .usage)
        #expect(CommandRun("group", "history", "Hikers", "-1", daemon: daemon).code == .usage)
        #expect(CommandRun("group", "add", "Hikers", daemon: daemon).code == .usage)
        #expect(CommandRun("group", "describe", "Hikers", daemon: daemon).code == .usage)
        #expect(CommandRun("group", "show", "Swimmers", daemon: daemon).code == .notFound)
        let stranger = CommandRun("group", "remove", "Hikers", "Bob", daemon: daemon)
        #expect(stranger.code == .notFound && stranger.errors.contains("No person matches \"Bob\""))
        let oneself = CommandRun("group", "remove", "Hikers", "Me", daemon: daemon)
        #expect(oneself.code == .failed && oneself.errors.contains("kibo group leave :Hikers"))
        // A script is never asked: it has to say so.
        let leaving = CommandRun("group", "leave", "Hikers", daemon: daemon)
        #expect(leaving.code == .usage && leaving.errors.contains("--yes"))
        #expect(!daemon.methods.contains { $0 == "group.remove" || $0 == "group.leave" || $0 == "group.setRole" })
    }

    @Test("show names the members, our role, what new members see, and members who have contradicted themselves")
    func show() throws {
        let run = CommandRun("group", "show", "Hikers", daemon: .withGroup())
        #expect(run.code == .done)
        for part in [
            "Hikers  \(Cast.hikers)", "On Sundays", "You are an owner; 4 members, 2 here.",
            "new members see the last 20 messages", "Me (you)", "Anna", "admin", "Dora",
            "A device of Dora has signed two different messages",
        ] {
            #expect(run.output.contains(part), "\(part) is missing in \(run.output)")
        }
        let json = CommandRun("group", "show", "Hikers", "--json", daemon: .withGroup())
        #expect(try Group(json: JSONParser.parse(json.output)) == Cast.group())
        var added = Cast.group(.arriving, role: nil)
        added.addedBy = Cast.anna
        let arriving = CommandRun("group", "show", "Hikers", daemon: .withGroup(added))
        #expect(arriving.output.contains("You were added by Anna: not fully received yet."))
        let removed = CommandRun("group", "show", "Hikers", daemon: .withGroup(Cast.group(.removed, role: nil)))
        #expect(removed.output.contains("You were removed from it."))
    }

    @Test("list shows our role in each group; an older daemon has none")
    func list() {
        let run = CommandRun("group", "list", daemon: .withGroup())
        #expect(run.output.contains(":Hikers  owner        4     2  On Sundays"), "\(run.output)")
        let left = CommandRun("group", "list", daemon: .withGroup(Cast.group(.left, role: nil)))
        #expect(left.output.contains("left"))
        #expect(CommandRun("group", "list", daemon: FakeDaemon()).output.contains("kibo group create"))
        let old = FakeDaemon()
        old.answer("group.list") { _, _ in throw RPCError.methodNotFound("group.list") }
        let refused = CommandRun("group", "list", daemon: old)
        #expect(refused.code == .failed && refused.errors.contains("older than this program"))
    }
}
