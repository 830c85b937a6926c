import Basics
import ControlProtocol
import Testing

@testable import Media
@testable import kibo

struct PeopleCommandTests {
    @Test("Tables are aligned, times relative, foreign text escaped, colours only where wanted")
    func peers() {
        let daemon = FakeDaemon()
        let run = CommandRun("peers", daemon: daemon)
        #expect(run.code == .done)
        let lines = run.output.split(separator: "\n").map(String.init)
        #expect(lines.count == 3)
        #expect(lines[0].hasPrefix("NAME") && lines[0].contains("RELATION  ADDRESS"))
        #expect(lines[1].contains("friend") && lines[1].contains("now") && lines[1].contains(Cast.anna.prefix(13)))
        #expect(lines[2].hasPrefix(#"Mal\u{1b}[2Jlory\u{202e}"#) && lines[2].contains("1 min ago"))
        #expect(!run.output.contains("\u{1B}") && !run.output.contains("\u{202E}"))
        let columns = lines.map { $0.range(of: "127.0.0.1")?.lowerBound.utf16Offset(in: $0) }
        #expect(columns[1] == columns[2])
        #expect(
            CommandRun("peers", daemon: daemon, columns: 100, color: true).output.contains("\u{1B}[32mfriend\u{1B}[0m"))
    }

    @Test("A narrow terminal cuts names, never the ids")
    func narrow() {
        let run = CommandRun("peers", daemon: FakeDaemon(), columns: 70)
        for line in run.output.split(separator: "\n") { #expect(DisplayWidth.of(String(line)) <= 70) }
        #expect(run.output.contains("…") && run.output.contains(Cast.hostile.prefix(13)))
    }

    @Test("--json prints the daemon's result, with nothing in it that a terminal would obey")
    func json() throws {
        let run = CommandRun("--json", "peers", daemon: FakeDaemon())
        #expect(try JSONParser.parse(run.output) == ["peers": .array(Cast.peers.map(\.json))])
        #expect(run.output.contains(#"\u202e"#) && !run.output.contains("\u{202E}"))
        #expect(CommandRun("peers", "--json", daemon: FakeDaemon()).output == run.output)
    }

    @Test("Accepting goes by the whole name of the person who asks, and by id")
    func accept() {
        for word in ["Bob", "bob", String(Cast.bob.prefix(13)), Cast.bob] {
            let daemon = FakeDaemon()
            daemon.answer("contact.accept") { params, _ in
                Contact(id: params.string("id"), displayName: "Bob", relation: .friend).json
            }
            let run = CommandRun("accept", word, daemon: daemon)
            #expect(run.code == .done, "\(word): \(run.errors)")
            #expect(daemon.requests("contact.accept") == [["id": .string(Cast.bob)]])
            #expect(run.output == "Bob and you are friends.\n")
        }
    }

    @Test("An ambiguous name lists the candidates; an unknown one says where to look")
    func ambiguity() {
        let daemon = FakeDaemon()
        let ambiguous = CommandRun("read", "ann", daemon: daemon)
        #expect(ambiguous.code == .failed)
        #expect(ambiguous.errors.contains("\"ann\" may mean any of 2"))
        let since =
            "has had this name since \(Humane.moment(Cast.noon - 86_400_000, now: WallTime(milliseconds: Cast.noon)))"
        let short = Cast.annabel.prefix(13)
        #expect(ambiguous.errors.contains("      Bella          Bella, friend, \(since), \(short)\n"))
        #expect(ambiguous.errors.contains("      \(Cast.anna.prefix(13))  Anna, friend, \(since)\n"))
        let unknown = CommandRun("accept", "zoe", daemon: daemon)
        #expect(unknown.code == .notFound)
        #expect(unknown.errors.contains("kibo contacts"))
        #expect(!daemon.methods.contains("contact.accept"))
    }

    @Test("Adding says whether the other person is here to be asked")
    func addPresence() {
        for (who, line) in [
            (Cast.hostile, "You asked Mallory to be your friend. See the answer with: kibo contacts\n"),
            (Cast.account(9), "Mallory is offline. Kibo asks them to be your friend when they are back.\n"),
        ] {
            let daemon = FakeDaemon()
            daemon.answer("contact.request") { params, _ in
                Contact(id: params.string("id"), displayName: "Mallory", relation: .requested).json
            }
            #expect(CommandRun("add", who, daemon: daemon).output == line)
        }
        let daemon = FakeDaemon()
        daemon.answer("contact.request") { params, _ in
            Contact(id: params.string("id"), displayName: "Bob Bee", relation: .friend).json
        }
        #expect(
            CommandRun("add", "Bob", daemon: daemon).output
                == "Bob Bee and you are friends. Say hello: kibo send 'Bob Bee' TEXT\n")
    }

    @Test(
        "The beginning of one name is asked about where there is a terminal, and otherwise answered with the full name")
    func addBeginning() {
        let cleo = Contact(id: Cast.account(9), displayName: "Cleo Ünal", relation: .none)
        for (answers, code): ([String]?, ExitCode) in [
            (nil, .failed), (["n"], .failed), ([""], .failed), (["y"], .done),
        ] {
            let daemon = FakeDaemon()
            daemon.answer("contact.list") { _, _ in ["contacts": [cleo.json]] }
            daemon.answer("contact.request") { _, _ in cleo.json }
            let run = CommandRun("add", "Cleo", daemon: daemon, answers: answers)
            #expect(run.code == code, "\(run.errors)")
            #expect(daemon.requests("contact.request").count == (code == .done ? 1 : 0))
            if answers == nil {
                #expect(
                    run.errors == "kibo: \"Cleo\" is not the whole name.\n"
                        + "      To add someone, give the full name: kibo add 'Cleo Ünal'\n")
            } else {
                #expect(run.output.hasPrefix("Ask Cleo Ünal (\(Cast.account(9).prefix(13))) to be your friend? [y/N] "))
            }
        }
        let daemon = FakeDaemon()
        #expect(CommandRun("add", "An", daemon: daemon, answers: ["y"]).code == .failed)
        #expect(CommandRun("add", "Bobb", daemon: daemon, answers: ["y"]).code == .notFound)
        #expect(daemon.requests("contact.request").isEmpty)
    }

    @Test("Adding understands names, ids, addresses and links")
    func add() {
        let daemon = FakeDaemon()
        daemon.answer("contact.request") { _, _ in
            Contact(id: Cast.bob, displayName: "Bob", relation: .requested, presence: .online).json
        }
        let stranger = Cast.account(77)
        for word in ["127.0.0.1:99", "127.0.0.1", "::1", "kibo:\(stranger)?name=x", stranger, "Bob"] {
            #expect(CommandRun("add", word, "--note", "hi", daemon: daemon).code == .done)
        }
        #expect(
            daemon.requests("contact.request") == [
                ["address": "127.0.0.1:99", "note": "hi"], ["address": "127.0.0.1:15426", "note": "hi"],
                ["address": "[::1]:15426", "note": "hi"], ["uri": .string("kibo:\(stranger)?name=x"), "note": "hi"],
                ["id": .string(stranger), "note": "hi"], ["id": .string(Cast.bob), "note": "hi"],
            ])
    }

    @Test("All requests, or all that came from where one came from, are declined at once")
    func declineAll() {
        let daemon = FakeDaemon()
        daemon.answer("contact.declineAll") { params, _ in ["declined": params["like"] == nil ? 12 : 1] }
        #expect(CommandRun("decline", "--all", daemon: daemon).output == "Declined: 12 requests.\n")
        #expect(CommandRun("decline", "--like", "bob", daemon: daemon).output == "Declined: one request.\n")
        #expect(daemon.requests("contact.declineAll") == [[:], ["like": .string(Cast.bob)]])
        for words in [["--all", "bob"], ["--all", "--like", "bob"], ["--like"]] {
            #expect(CommandRun(words: ["decline"] + words, daemon: daemon).code == .usage)
        }
    }

    @Test("Declining takes people who ask and files that are offered")
    func decline() {
        let daemon = FakeDaemon()
        daemon.answer("contact.decline") { params, _ in
            Contact(id: params.string("id"), displayName: "Bob", relation: .none).json
        }
        daemon.answer("transfer.decline") { params, _ in
            Cast.transfer(params.string("id"), "report.pdf", .incoming, .declined).json
        }
        #expect(CommandRun("decline", "bob", daemon: daemon).output == "Declined Bob's request.\n")
        #expect(CommandRun("decline", "report.pdf", daemon: daemon).output == "Declined: report.pdf from Anna.\n")
        #expect(CommandRun("decline", "019ac0de-1112", daemon: daemon).code == .done)
        #expect(CommandRun("decline", "019ac0de", daemon: daemon).code == .failed)
        let unknown = CommandRun("decline", "song.mp3", daemon: daemon)
        #expect(
            unknown.code == .notFound && unknown.errors.contains("No request or offered file matches \"song.mp3\"."))
        #expect(daemon.requests("transfer.decline").map { $0["id"] } == [.string(Cast.report), .string(Cast.photos)])
    }

    @Test("An alias is shown, given and removed; only --remove or an empty one removes it")
    func alias() {
        let daemon = FakeDaemon()
        daemon.answer("contact.get") { params, _ in
            guard let contact = Cast.contacts.first(where: { $0.id == params.string("id") }) else { return [:] }
            return contact.json
        }
        daemon.answer("contact.update") { params, _ in
            Contact(id: params.string("id"), displayName: "Annabel", alias: params.string("alias"), relation: .friend)
                .json
        }
        #expect(CommandRun("alias", "Bella", daemon: daemon).output == "Annabel is called Bella here.\n")
        #expect(
            CommandRun("alias", "Anna", daemon: daemon).output
                == "Anna has no alias. To give them one: kibo alias Anna NAME\n")
        #expect(daemon.requests("contact.update").isEmpty)
        #expect(CommandRun("alias", "Bella", "Bel", daemon: daemon).output == "Annabel is called Bel here now.\n")
        for words in [["--remove"], [""]] {
            let run = CommandRun(words: ["alias", "Bella"] + words, daemon: daemon)
            #expect(run.output == "Annabel has no alias any more.\n")
        }
        #expect(daemon.requests("contact.update").map { $0["alias"] } == ["Bel", "", ""])
        #expect(CommandRun("alias", "Bella", "Bel", "--remove", daemon: daemon).code == .usage)
    }

    @Test("Lists show requests of both directions, and contacts with their presence")
    func lists() {
        let daemon = FakeDaemon()
        let requests = CommandRun("requests", daemon: daemon).output
        #expect(requests.contains("asks you") && requests.contains("from the workshop") && !requests.contains("Anna"))
        let contacts = CommandRun("contacts", daemon: daemon).output
        #expect(contacts.contains("Bella") && contacts.contains("seen 5 min ago") && contacts.contains("online"))
    }

    @Test("A friend whose key is another one stands there with the other account, and since when where that is known")
    func changedKey() {
        let now = WallTime(milliseconds: 1_700_000_000_000)
        var contact = Contact(
            id: Cast.anna, displayName: "Anna", relation: .friend, trust: .changed, changedTo: Cast.bob)
        let since = "is using the name of Anna since"
        #expect(!Words.changedKey(contact, now: now)[0].contains("since"))
        contact.changedAt = now.milliseconds - 60_000
        #expect(
            Words.changedKey(contact, now: now)[0].contains("\(since) \(Humane.timeOfDay(now.milliseconds - 60_000))."))
        contact.changedAt = 0
        #expect(Words.changedKey(contact, now: now)[0].contains("\(since) 1 Jan 1970"))
    }

    @Test("Setup makes an account, and needs a name where no person can be asked")
    func setup() {
        let daemon = FakeDaemon()
        daemon.answer("account.create") { params, _ in
            Account(
                id: Cast.own, displayName: params.string("displayName"), device: .init(id: "kibodev1x", name: "desk"),
                createdAt: 1
            ).json
        }
        let run = CommandRun("setup", "--name", "Zoë", daemon: daemon)
        #expect(run.code == .done && run.output.contains("You are Zoë") && run.output.contains(Cast.own))
        #expect(CommandRun("setup", daemon: daemon).code == .usage)
        for name in ["Z", "Bo", "李明", "李"] {
            let run = CommandRun("setup", "--name", name, daemon: daemon)
            #expect(run.code == .done && run.output.contains("You are \(name) on"))
        }
        let short = CommandRun("setup", "--name", "", daemon: daemon)
        #expect(short.code == .failed && short.errors.contains("must not be empty"))
    }

    @Test("The doctor shows what is wrong with what to do, and ends with 1 then")
    func doctor() throws {
        let daemon = FakeDaemon()
        let good = DoctorCheck(
            name: "port", ok: true, findings: [.init(.listens, ["addresses": ["0.0.0.0:15426"]])])
        let bad = DoctorCheck(
            name: "firewall", ok: false, findings: [.init(.ufwClosed, ["ports": ["154\u{1B}"]])],
            advice: [.init(.openPorts, ["commands": "sudo ufw allow 15426/tcp"])])
        daemon.answer("system.doctor") { _, _ in ["checks": .array([good.json])] }
        let well = CommandRun("doctor", daemon: daemon)
        #expect(well.code == .done && well.output.contains("Nothing seems to be wrong."))
        daemon.answer("system.doctor") { _, _ in ["checks": .array([good.json, bad.json])] }
        let ill = CommandRun("doctor", daemon: daemon)
        #expect(ill.code == .failed && ill.output.contains("sudo ufw allow 15426/tcp"))
        #expect(!ill.output.contains("\u{1B}") && !ill.output.contains("Nothing seems"))
        let narrow = CommandRun("doctor", daemon: daemon, columns: 40).output.split(separator: "\n")
        let findings = narrow.filter { !$0.contains("→") }
        #expect(findings.count > 2 && findings.allSatisfy { $0.count <= 40 }, "\(narrow)")
        func words(_ text: String) -> [Substring] { text.split { $0 == " " || $0 == "\n" } }
        #expect(words(narrow.joined(separator: "\n")) == words(ill.output), "no word is broken")
        #expect(narrow.contains { $0.contains("sudo ufw allow 15426/tcp") }, "a command is copied whole")
        let json = CommandRun("doctor", "--json", daemon: daemon)
        #expect(json.code == .failed)
        #expect(try JSONParser.parse(json.output)["checks"]?.array?.count == 2)
    }

    @Test("Status is shown with and without an account")
    func status() throws {
        let daemon = FakeDaemon()
        let status = DaemonStatus(
            uptime: 3_700_000, listen: ["127.0.0.1:5"], interfaces: ["lo"], peers: 1, sessions: 2, queued: 3,
            transfers: 4, locked: false, data: "/d", databaseBytes: 2048)
        daemon.answer("system.status") { _, _ in status.json }
        daemon.answer("account.get") { _, _ in
            Account(id: Cast.own, displayName: "Zoë", device: .init(id: "kibodev1x", name: "desk"), createdAt: 1).json
        }
        daemon.answer("conversation.totals") { _, _ in
            Totals(unread: 5, muted: 0, requests: 0, missedCalls: 2).json
        }
        let run = CommandRun("status", daemon: daemon)
        #expect(run.code == .done)
        #expect(run.output.contains("5 messages – see: kibo chats"))
        #expect(run.output.contains("2 calls – see: kibo calls --missed"))
        for text in ["Zoë", Cast.own, "kibod 9.9, up 1 h 1 min", "127.0.0.1:5 on lo", "1 peer, 2 sessions", "2.0 KiB"] {
            #expect(run.output.contains(text), "\(text)")
        }
        let json = try JSONParser.parse(CommandRun("status", "--json", daemon: daemon).output)
        #expect(json["uptime"] == 3_700_000 && json["account"]?["displayName"] == "Zoë")
        #expect(json["totals"]?["missedCalls"] == 2)
        daemon.answer("system.hello") { _, _ in DaemonHello(version: "9.9", protocol: 1).json }
        let none = CommandRun("status", daemon: daemon)
        #expect(none.code == .noAccount && none.output.contains("kibo setup"))
    }
}
