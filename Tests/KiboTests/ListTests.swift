import Basics
import ControlProtocol
import Testing
import Vocabulary

@testable import Control
@testable import kibo

/// Lists that fit the terminal, names that mean what waits, and errors as sentences.
struct ListTests {
    private func daemon(_ transfers: [Transfer]) -> FakeDaemon {
        let daemon = FakeDaemon()
        daemon.answer("transfer.list") { _, _ in ["transfers": .array(transfers.map(\.json))] }
        daemon.answer("transfer.get") { params, _ in
            guard let found = transfers.first(where: { $0.id == params.string("id") }) else {
                throw RPCError(ControlError(.notFound, "there is no such transfer"))
            }
            return found.json
        }
        daemon.answer("transfer.accept") { params, _ in
            Cast.transfer(params.string("id"), "x", .incoming, .queued).json
        }
        return daemon
    }

    private static func transfer(_ number: Int, _ state: TransferState, peer: String = Cast.anna) -> Transfer {
        var transfer = Cast.transfer(
            "019ac0de-111\(number)-7000-8000-000000000001", "minutes of the last meeting in the big hall.pdf",
            .incoming,
            state)
        transfer.peer = peer
        return transfer
    }

    @Test("A list of transfers fits 80 columns, and no state is cut")
    func width() {
        var failed = Self.transfer(1, .failed)
        failed.detail = "the other side: not everything that was offered could be read at the place where it was"
        var paused = Self.transfer(2, .paused)
        paused.pausedBy = .both
        let daemon = daemon([failed, paused, Self.transfer(3, .queued, peer: Cast.annabel)])
        for columns in [80, 60] {
            let run = CommandRun("transfers", daemon: daemon, columns: columns)
            let lines = run.output.split(separator: "\n").map(String.init)
            for line in lines { #expect(DisplayWidth.of(line) <= columns, "\(line)") }
            #expect(run.output.contains("failed: ") && run.output.contains("paused by you and Anna"))
            #expect(run.output.contains("queued"))
        }
        let wide = CommandRun("transfers", daemon: daemon).output
        #expect(wide.contains("queued, Bella is offline"))
    }

    @Test("A name means what waits to be taken, and --all means all of it")
    func waiting() {
        let daemon = daemon([
            Self.transfer(1, .done), Self.transfer(2, .failed), Self.transfer(3, .offered), Self.transfer(4, .queued),
        ])
        let one = CommandRun("get", "minutes of", "--no-wait", daemon: daemon)
        #expect(one.code == .done, "\(one.errors)")
        #expect(daemon.requests("transfer.accept").map { $0["id"] } == [.string(Self.transfer(3, .offered).id)])
        #expect(CommandRun("get", "--all", "--no-wait", daemon: daemon).code == .done)
        #expect(daemon.requests("transfer.accept").count == 2)
        #expect(CommandRun("get", "--no-wait", daemon: daemon).code == .usage)
        #expect(CommandRun("get", "minutes", "--all", daemon: daemon).code == .usage)
        #expect(CommandRun("get", "--all", daemon: self.daemon([])).output == "No file is offered to you.\n")
    }

    @Test("What is held back is not taken by --all, and said; --any-type takes it too")
    func heldBack() {
        var held = Self.transfer(4, .offered)
        (held.heldBack, held.unlisted) = (.type, ["zip"])
        let daemon = daemon([Self.transfer(3, .offered), held])
        let hint = "1 file is held back because of its type. To take it too: kibo get --all --any-type\n"
        let run = CommandRun("get", "--all", "--no-wait", daemon: daemon)
        #expect(run.code == .done && run.output.hasSuffix(hint), "\(run.output)")
        #expect(daemon.requests("transfer.accept").count == 1)
        #expect(CommandRun("get", "--all", daemon: self.daemon([held])).output == hint)
        let all = CommandRun("get", "--all", "--any-type", "--no-wait", daemon: daemon)
        #expect(all.code == .done && !all.output.contains("held back"))
        #expect(daemon.requests("transfer.accept").last?["anyway"] == true)
    }

    @Test("--tsv prints rows for programs: whole ids and times, a tab between fields, and no name forges one of either")
    func tabs() throws {
        let name = "Mal\tlory\nBen\u{1B}[2J"
        let daemon = FakeDaemon.withGroup()
        let contact = Contact(
            id: Cast.hostile, displayName: name, statusText: "a\tb\nc", relation: .incoming, note: "d\te\nf")
        var chat = Cast.conversations[0]
        (chat.title, chat.lastMessage) = (name, Cast.message("g\th\ni", .delivered))
        let peer = Peer(
            account: Cast.hostile, device: "d", displayName: name, address: "1.2.3.4:5", relation: .none,
            lastHeard: Cast.noon)
        daemon.answer("contact.list") { params, _ in
            params.optionalString("relation") == "requested" || params.optionalString("relation") == "none"
                ? ["contacts": []] : ["contacts": [contact.json]]
        }
        daemon.answer("conversation.list") { [chat] _, _ in ["conversations": [chat.json]] }
        daemon.answer("peer.list") { _, _ in ["peers": [peer.json]] }
        daemon.answer("transfer.list") { _, _ in
            ["transfers": [Cast.transfer(Cast.report, name, .incoming, .offered).json]]
        }
        let moment = Humane.exact(Cast.noon)
        #expect(moment.hasPrefix("2025-06-1") && moment.count == 24)
        for (words, row): ([String], [String?]) in [
            (["contacts"], [nil, "asks you", "", nil, Cast.hostile]),
            (["requests"], [nil, "asks you", nil, Cast.hostile]),
            (["peers"], [nil, "", "1.2.3.4:5", moment, Cast.hostile]),
            (["chats"], [nil, "2", moment, nil, "", Cast.chat]),
            (["transfers"], [Cast.report, nil, "1024", nil, "offered", moment]),
            (["group", "list"], [":Hikers", "owner", "4", "2", nil, Cast.hikers]),
        ] {
            let run = CommandRun(words: words + ["--tsv"], daemon: daemon, columns: 40, color: true)
            let lines = run.output.split(separator: "\n", omittingEmptySubsequences: false)
            #expect(lines.count == 2 && lines.last == "", "\(words): \(run.output)\(run.errors)")
            let fields = lines[0].split(separator: "\t", omittingEmptySubsequences: false).map(String.init)
            #expect(fields.count == row.count && !run.output.contains("\u{1B}"), "\(words): \(fields)")
            for (field, expected) in zip(fields, row) where expected != nil { #expect(field == expected, "\(words)") }
        }
    }

    @Test("An empty list is no row for programs, and --watch is no list")
    func noRows() {
        let daemon = FakeDaemon()
        for (method, list) in [
            ("contact.list", "contacts"), ("peer.list", "peers"), ("conversation.list", "conversations"),
            ("transfer.list", "transfers"), ("group.list", "groups"),
        ] {
            daemon.answer(method) { _, _ in .object(JSONObject([(list, .array([]))])) }
        }
        for words in [["contacts"], ["requests"], ["peers"], ["chats"], ["transfers"], ["group", "list"]] {
            let run = CommandRun(words: words + ["--tsv"], daemon: daemon)
            #expect(run.code == .done && run.output.isEmpty && run.errors.isEmpty, "\(words): \(run.output)")
            #expect(!CommandRun(words: words, daemon: daemon).output.isEmpty, "\(words)")
        }
        #expect(CommandRun("peers", "-w", "--tsv", daemon: daemon).code == .usage)
        #expect(CommandRun("group", "show", "x", "--tsv", daemon: daemon).code == .usage)
    }

    @Test("Groups stand in lists as they are typed, with their colon")
    func groups() {
        let daemon = FakeDaemon.withGroup()
        #expect(CommandRun("group", "list", daemon: daemon).output.contains("\n:Hikers "))
        let chats = CommandRun("chats", daemon: daemon).output
        #expect(chats.contains("\n:Hikers ") && chats.contains("\nAnna "), "\(chats)")
    }

    @Test(
        "A value of the wrong kind ends with 2 and says what is allowed, whoever notices it",
        arguments: [
            ("presence.typing", "perhaps"), ("messages.keepDays", "-1"), ("messages.keepDays", "99999999"),
            ("messages.keepDays", "x"), ("messages.order", "random"), ("files.maxSendBytes", "1 QiB"),
        ])
    func settings(_ key: String, _ value: String) {
        let daemon = FakeDaemon()
        daemon.answer("settings.get") { params, _ in
            guard let spec = try? SettingsCatalogue.setting(params.string("key")) else { return [:] }
            return spec.setting(nil).json
        }
        daemon.answer("settings.set") { params, _ in
            guard let spec = try? SettingsCatalogue.setting(params.string("key")), let value = params["value"],
                let problem = spec.problem(with: value)
            else { return [:] }
            throw RPCError(problem)
        }
        let run = CommandRun("settings", key, "--", value, daemon: daemon)
        #expect(run.code == .usage, "\(run.errors)")
        #expect(run.errors.contains(key), "\(run.errors)")
    }

    @Test("Clauses become sentences, and names stay as they are")
    func sentences() {
        for (clause, sentence) in [
            ("there is no such message", "There is no such message."), ("report.pdf: gone", "report.pdf: gone."),
            ("anna is not here", "anna is not here."), ("what now?", "What now?"), ("", ""),
            ("\"x\" may mean any of 2", "\"x\" may mean any of 2."), ("It is done.", "It is done."),
        ] {
            #expect(Sentence.of(clause) == sentence)
        }
        let run = CommandRun("peers", "one", "two", daemon: FakeDaemon())
        #expect(run.code == .usage && run.errors.hasPrefix("kibo: Unexpected argument \"two\".\n"))
    }

    @Test("Counters are printed as they are, and the help lists the exit codes")
    func metrics() {
        let daemon = FakeDaemon()
        daemon.answer("system.metrics") { _, _ in "# TYPE kibo_up gauge\nkibo_up 1\n" }
        #expect(CommandRun("metrics", daemon: daemon).output == "# TYPE kibo_up gauge\nkibo_up 1\n")
        #expect(
            CommandRun("metrics", "--label", "instance=a\\b\n", "--label", "x=y", daemon: daemon).output
                == "# TYPE kibo_up gauge\nkibo_up{instance=\"a\\\\b\\\\u{a}\",x=\"y\"} 1\n")
        // Root may ask a daemon that isn't trusted: nothing gets through but counters of Kibo.
        for hostile in [
            "node_load1 99", "kibo_up 1 2", "kibo_up NaN", "kibo_up{a=\"b\"\"} 1", "kibo_up{=\"b\"} 1", "# EOF",
            "# TYPE up gauge", "kibo_up{a=\"b\\\"} 1",
        ] {
            daemon.answer("system.metrics") { _, _ in .string("kibo_fine 1\n" + hostile + "\n") }
            let run = CommandRun("metrics", daemon: daemon)
            #expect(run.code == .failed && run.output.isEmpty, "\(hostile): \(run.output)")
        }
        let help = CommandRun("help", daemon: nil).output
        for code in ExitCode.allCases { #expect(help.contains("  \(code.rawValue)  ") || code.rawValue > 9) }
        #expect(help.contains("130  ended by Ctrl-C"))
    }
}
