import Basics
import ControlProtocol
import Testing
import Vocabulary

@testable import Media
@testable import kibo

struct ProgramTests {
    @Test("Exit codes are those of the contract")
    func exitCodes() {
        let daemon = FakeDaemon()
        for (kind, code) in [
            (Reason.notFound, ExitCode.notFound), (.noAccount, .noAccount), (.locked, .noAccount), (.busy, .failed),
        ] {
            daemon.answer("contact.list") { _, _ in throw RPCError(ControlError(kind, "no", hint: .seeStatus)) }
            let run = CommandRun("contacts", daemon: daemon)
            #expect(run.code == code && run.output.isEmpty)
            #expect(run.errors == "kibo: No.\n      See: kibo status\n")
        }
        #expect(ExitCode.done.rawValue == 0 && ExitCode.failed.rawValue == 1 && ExitCode.usage.rawValue == 2)
        #expect(ExitCode.noDaemon.rawValue == 3 && ExitCode.notFound.rawValue == 4 && ExitCode.noAccount.rawValue == 5)
    }

    @Test("Without a daemon every command says how to start it, also for programs")
    func noDaemon() throws {
        let run = CommandRun("peers", daemon: nil)
        #expect(run.code == .noDaemon)
        #expect(run.errors.contains("/nonexistent/kibod.sock") && run.errors.contains("systemctl --user start kibod"))
        let json = CommandRun("peers", "--json", daemon: nil)
        #expect(json.code == .noDaemon && json.output.isEmpty)
        #expect(try JSONParser.parse(json.errors)["exitCode"] == 3)
    }

    @Test("Refusals reach programs whole")
    func refusalJSON() throws {
        let daemon = FakeDaemon()
        daemon.answer("contact.list") { _, _ in throw RPCError(ControlError(.locked, "locked\u{1B}", hint: .unlock)) }
        let run = CommandRun("--json", "contacts", daemon: daemon)
        let json = try JSONParser.parse(run.errors)
        #expect(json["error"]?["data"]?["kind"] == "locked" && json["exitCode"] == 5)
        let text = CommandRun("contacts", daemon: daemon)
        #expect(text.errors.contains(#"locked\u{1b}"#) && !text.errors.contains("\u{1B}"))
    }

    @Test("Help comes in every form, and each command explains itself")
    func help() {
        let overview = CommandRun("help", daemon: nil)
        #expect(overview.code == .done && CommandRun("--help", daemon: nil).output == overview.output)
        for command in CommandTable.all {
            let spec = command.spec
            #expect(overview.output.contains("  \(spec.name) "))
            let page = CommandRun("help", spec.name, daemon: nil)
            #expect(page.code == .done && page.output.contains("Usage: kibo \(spec.name)"))
            #expect(CommandRun(spec.name, "--help", daemon: nil).output == page.output)
            #expect(CommandRun(spec.name, "-h", "--nothing", daemon: nil).code == .usage)
            for option in spec.options + CommandSpec.globalOptions.dropLast() {
                #expect(page.output.contains(option.name), "\(spec.name) \(option.name)")
            }
            for line in page.output.split(separator: "\n") { #expect(line.count <= 110) }
        }
        #expect(Set(CommandTable.all.map(\.spec.name)).count == CommandTable.all.count)
        #expect(CommandRun(daemon: nil).code == .usage)
        #expect(CommandRun("help", "nothing", daemon: nil).code == .usage)
        #expect(CommandRun("pears", daemon: nil).errors.contains("Did you mean: kibo peers"))
        #expect(CommandRun("--version", daemon: nil).output == "kibo \(ControlProtocol.productVersion)\n")
    }

    @Test("A word of another program is the command of the same meaning, or leads to the right one")
    func synonyms() {
        #expect(CommandRun("version", daemon: nil).output == CommandRun("--version", daemon: nil).output)
        let daemon = FakeDaemon()
        #expect(CommandRun("friends", daemon: daemon).output == CommandRun("contacts", daemon: daemon).output)
        #expect(CommandRun("--json", "friends", daemon: daemon).output.hasPrefix("{"))
        #expect(CommandRun("groups", "--json", daemon: daemon).output.contains("\"groups\""))
        #expect(CommandRun("help", "friends", daemon: nil).output == CommandRun("help", "contacts", daemon: nil).output)
        #expect(CommandRun("help", "contacts", daemon: nil).output.contains("Aliases: kibo friends"))
        for (word, meant) in [
            ("frends", "kibo contacts"), ("stat", "kibo status"), ("sett", "kibo settings"), ("pears", "kibo peers"),
            ("con", "kibo contacts"), ("histroy", "kibo read"), ("unar", "kibo unarchive"),
        ] {
            let run = CommandRun(word, daemon: nil)
            #expect(
                run.errors == "kibo: There is no command \"\(word)\".\n      Did you mean: \(meant)\n", "\(word)")
        }
        for word in ["bogus", "logo", "xy"] {
            #expect(CommandRun(word, daemon: nil).errors.contains("\n      See: kibo help\n"), "\(word)")
        }
        for (word, hint) in [
            ("ls", "kibo chats"), ("list", "kibo group list"), ("reply", "--reply ID"), ("quit", "Ctrl-D"),
            ("cp", "kibo send WHO FILE"),
        ] {
            let run = CommandRun(word, "x", daemon: nil)
            #expect(run.code == .usage && run.errors.contains(hint), "\(word): \(run.errors)")
            #expect(CommandRun("help", word, daemon: nil).errors == run.errors)
        }
    }

    @Test("No synonym hides a command, stands there twice, or leads to another synonym")
    func synonymTable() {
        let names = CommandTable.synonyms.flatMap(\.names)
        #expect(Set(names).count == names.count)
        for synonym in CommandTable.synonyms {
            #expect(synonym.words.isEmpty != synonym.advice.isEmpty)
            for name in synonym.names { #expect(CommandTable.command(name) == nil, "\(name)") }
            guard let first = synonym.words.first else { continue }
            #expect(first.hasPrefix("--") || CommandTable.command(first) != nil, "\(first)")
        }
    }

    @Test("rpc reaches methods that have no command, and checks its JSON first")
    func rpc() {
        let daemon = FakeDaemon()
        let run = CommandRun("rpc", "contact.list", #"{"relation":"incoming"}"#, daemon: daemon)
        #expect(run.code == .done && run.output.contains(Cast.bob) && !run.output.contains(Cast.anna))
        #expect(CommandRun("rpc", "backup.open", daemon: daemon).errors.contains("no method backup.open"))
        #expect(
            CommandRun("rpc", "contact.list", #"{"colour":1}"#, daemon: daemon).errors.contains(
                "unknown parameter colour"))
        for text in ["[1]", "{", "1", ""] {
            #expect(CommandRun("rpc", "contact.list", text, daemon: daemon).code == .usage)
        }
    }
}

struct HumaneTests {
    @Test("Sizes are written as people read them, also at the borders")
    func sizes() {
        for (bytes, text): (Int64, String) in [
            (0, "0 B"), (-1, "0 B"), (1023, "1023 B"), (1024, "1.0 KiB"), (1536, "1.5 KiB"), (1_048_524, "1023.9 KiB"),
            (1_048_575, "1.0 MiB"), (64 << 20, "64.0 MiB"), (.max, "8192.0 PiB"),
        ] {
            #expect(Humane.size(bytes) == text)
        }
    }

    @Test("Times are written as people say them")
    func times() {
        let now = WallTime(milliseconds: Cast.noon)
        for (age, text): (Int64, String) in [
            (0, "now"), (-3_000, "now"), (59_000, "59 s ago"), (60_000, "1 min ago"), (7_200_000, "2 h ago"),
            (86_400_000, "yesterday"), (3 * 86_400_000, "3 days ago"),
        ] {
            #expect(Humane.ago(Cast.noon - age, now: now) == text)
        }
        #expect(Humane.ago(Cast.noon - 40 * 86_400_000, now: now).hasSuffix(" May"))
        #expect(Humane.ago(Cast.noon - 400 * 86_400_000, now: now).hasSuffix(" 2024"))
        #expect(!Humane.ago(.min, now: now).isEmpty && !Humane.ago(.max, now: now).isEmpty)
        #expect(Humane.clock(seconds: 7) == "0:07" && Humane.clock(seconds: 3_909) == "1:05:09")
        #expect(Humane.span(milliseconds: 90_000_000) == "1 day 1 h")
    }

    @Test("The columns of a text are counted, and it can be cut to fewer")
    func widths() {
        #expect(DisplayWidth.of("abc") == 3 && DisplayWidth.of("äöü") == 3 && DisplayWidth.of("日本") == 4)
        #expect(DisplayWidth.of("👍🏽") == 2 && DisplayWidth.of("e\u{301}") == 1 && DisplayWidth.of("👨‍👩‍👧") == 2)
        #expect(DisplayWidth.truncate("abcdef", to: 4) == "abc…")
        #expect(DisplayWidth.truncate("日本語", to: 4) == "日…")
        #expect(DisplayWidth.truncate("abc", to: 3) == "abc")
        #expect(DisplayWidth.crop("\u{1B}[32mabcd\u{1B}[0m", to: 2) == "\u{1B}[32mab\u{1B}[0m")
        #expect(DisplayWidth.crop("日本", to: 3) == "日")
    }
}

struct ResolverTests {
    private func candidate(_ id: String, _ names: String..., likely: Bool = false) -> Candidate {
        Candidate(id: id, names: names, label: id, isLikely: likely)
    }

    @Test("The strictest rule that fits decides, and a likely one wins only among equals")
    func rules() throws {
        let candidates = [
            candidate("id1", "Anna"), candidate("id2", "anna"), candidate("id3", "Annabel", likely: true),
            candidate("id4", "Bob"), candidate("id5", "Bob", likely: true),
        ]
        func resolve(_ word: String) throws -> String {
            try Resolver.resolve(word, among: candidates, kind: "people", hint: "").id
        }
        #expect(try resolve("id1") == "id1")
        #expect(try resolve("Anna") == "id1")
        #expect(try resolve("anna") == "id2")
        #expect(throws: Failure.self) { try resolve("ANNA") }
        #expect(try resolve("Ann") == "id3")
        #expect(try resolve("Bob") == "id5")
        #expect(try resolve("ID4") == "id4")
        #expect(throws: Failure.self) { try resolve("id") == "id3" ? "" : resolve("nobody") }
        #expect(throws: Failure.self) { try resolve("") }
    }

    @Test("If several fit, only those are listed that the command can be about")
    func likelyOnes() {
        let candidates = [
            candidate("id1", "a.pdf"), candidate("id2", "a.pdf", likely: true), candidate("id3", "a.pdf", likely: true),
        ]
        let failure = #expect(throws: Failure.self) {
            try Resolver.resolve("a.pdf", among: candidates, kind: "transfers", hint: "")
        }
        #expect(failure?.message.contains("any of 2 transfers") == true)
        #expect(failure?.hint.contains("id2\n  id3") == true && failure?.hint.contains("id1") == false)
    }

    @Test("Short ids are unique, and long enough to be typed without fear")
    func shortIDs() {
        let ids = ["aaaaaaaaaa1", "aaaaaaaaaa2", "bbbbbbbbbbb", "aaaaaaaaaX1"]
        let table = ShortID.table(ids)
        #expect(table["bbbbbbbbbbb"] == "bbbbbbbb")
        #expect(table["aaaaaaaaaX1"] == "aaaaaaaaaX")
        for id in ids { #expect(ids.filter { $0.hasPrefix(table[id] ?? "?") } == [id]) }
    }

    @Test("Words in hints can be copied into a shell")
    func quoting() {
        #expect(Shell.quoted("Anna") == "Anna" && Shell.quoted("a b") == "'a b'" && Shell.quoted("") == "''")
        #expect(Shell.quoted("it's") == #"'it'\''s'"#)
        // What a terminal must not get is written in a form that means the same to the shell.
        #expect(Shell.quoted("a\u{202A}'b\\c\n") == #"$'a\xe2\x80\xaa\'b\\c\x0a'"#)
    }
}
