import Basics
import ControlProtocol
import Testing
import Vocabulary

@testable import kibo

/// `kibo courier`, and what the command line says of messages that a courier keeps.
struct CourierCommandTests {
    private static let week: Int64 = 7 * 86_400_000
    private static let parcel = Parcel(
        id: "019ac0de-5555-7000-8000-000000000001", from: Cast.anna, fromName: "Anna", to: Cast.annabel,
        toName: "Be\u{1B}lla", cameAt: Cast.noon - 60_000, until: Cast.noon + week, bytes: 2048)

    private func daemon() -> FakeDaemon {
        let daemon = FakeDaemon()
        daemon.answer("courier.list") { _, _ in
            [
                "couriers": [
                    Courier(id: Cast.anna, name: "Anna", carries: true).json,
                    Courier(id: Cast.bob, name: "Bob", carries: false).json,
                    Courier(id: Cast.hostile, name: "Mal\u{1B}[2J", carries: nil).json,
                ],
                "carriedFor": [
                    Courier(id: Cast.annabel, name: "Bella", carries: true, parcels: 3, bytes: 12_288).json
                ],
            ]
        }
        daemon.answer("courier.add") { params, _ in
            Courier(id: params.string("contact"), name: "Anna", carries: true).json
        }
        daemon.answer("courier.remove") { _, _ in [:] }
        daemon.answer("courier.parcels") { _, _ in ["parcels": [Self.parcel.json], "bytes": 2048] }
        daemon.answer("courier.drop") { _, _ in ["dropped": 2] }
        daemon.answer("settings.get") { _, _ in SettingsCatalogue.courierCarry.spec.setting(nil).json }
        return daemon
    }

    private static func held(_ state: MessageState = .queued, until: Int64 = Cast.noon + week) -> Message {
        var message = Cast.message("see you", state)
        message.recipients[0].heldBy = .init(id: Cast.bob, name: "Ca\u{1B}rl", until: until)
        return message
    }

    @Test("The list has those who keep messages for us, and those for whom we keep some with how much")
    func list() throws {
        let daemon = daemon()
        let run = CommandRun("courier", daemon: daemon)
        #expect(run.code == .done, "\(run.errors)")
        let lines = run.output.split(separator: "\n").map(String.init)
        #expect(lines.count == 5 && lines[0].hasPrefix("NAME"))
        #expect(lines[1].contains("keeps messages for you") && lines[1].contains("–"))
        #expect(lines[2].contains("named by you, but keeps nothing for others"))
        #expect(lines[3].contains("named by you, and hasn't answered yet") && !run.output.contains("\u{1B}"))
        #expect(lines[4].hasPrefix("Bella") && lines[4].contains("you keep messages for them"))
        #expect(lines[4].contains("  3  12.0 KiB"), "\(lines[4])")
        #expect(CommandRun("couriers", daemon: daemon).output == run.output)
        let json = try JSONParser.parse(CommandRun("courier", "--json", daemon: daemon).output)
        #expect(json["carriedFor"]?.array?.first?["parcels"] == 3)
        let rows = CommandRun("courier", "--tsv", daemon: daemon, columns: 40).output.split(separator: "\n")
        #expect(rows.count == 4 && rows[0].hasSuffix("\t\t\t\(Cast.anna)"))
        #expect(rows[3] == "Bella\tyou keep messages for them\t3\t12288\t\(Cast.annabel)")
        daemon.answer("courier.list") { _, _ in ["couriers": [], "carriedFor": []] }
        #expect(CommandRun("courier", daemon: daemon).output.hasSuffix("while you are away: kibo courier add WHO\n"))
        #expect(CommandRun("courier", "--tsv", daemon: daemon).output.isEmpty)
    }

    @Test("Who keeps nothing for others at present reads that, with how to change it")
    func off() {
        let daemon = daemon()
        daemon.answer("settings.get") { params, _ in
            #expect(params.string("key") == "courier.carry")
            return SettingsCatalogue.courierCarry.spec.setting("off").json
        }
        let run = CommandRun("courier", daemon: daemon)
        let lines = run.output.split(separator: "\n").map(String.init)
        #expect(lines.count == 6 && lines[4].hasPrefix("Bella"), "\(run.output)\(run.errors)")
        #expect(lines[4].contains("named you, but you keep nothing for others") && lines[4].contains("  3  12.0 KiB"))
        #expect(lines[5] == "To keep messages for them: kibo settings courier.carry friends")
        let rows = CommandRun("courier", "--tsv", daemon: daemon).output.split(separator: "\n")
        #expect(rows.count == 4 && rows[3].hasPrefix("Bella\tnamed you, but you keep nothing for others\t3\t"))
    }

    @Test("A parcel for somebody who hasn't named us, such as an answer, is not passed over in silence")
    func answers() {
        let daemon = daemon()
        #expect(!CommandRun("courier", daemon: daemon).output.contains("kibo courier parcels"))
        var back = Self.parcel
        (back.from, back.to) = (back.to, back.from)
        let parcels: JSONValue = ["parcels": [Self.parcel.json, back.json], "bytes": 4096]
        daemon.answer("courier.parcels") { _, _ in parcels }
        let run = CommandRun("courier", daemon: daemon)
        #expect(
            run.output.hasSuffix(
                "Answers for others are also kept here: 1 parcel. To see what is kept: kibo courier parcels\n"),
            "\(run.output)")
        #expect(CommandRun("courier", "--tsv", daemon: daemon).output.split(separator: "\n").count == 4)
    }

    @Test("What is kept here is listed with its end; programs get whole times and sizes")
    func parcels() {
        let daemon = daemon()
        let run = CommandRun("courier", "parcels", daemon: daemon)
        #expect(run.output.contains(#"Be\u{1b}lla"#) && run.output.contains("1 min ago"))
        #expect(
            run.output.contains(" 22 Jun ") && run.output.hasSuffix("All together: 2.0 KiB. You can't read them.\n"))
        let (came, until) = (Humane.exact(Self.parcel.cameAt), Humane.exact(Self.parcel.until))
        #expect(
            CommandRun("courier", "parcels", "--tsv", daemon: daemon).output.hasSuffix(
                "\t\(came)\t\(until)\t2048\t\(Self.parcel.id)\n"))
        daemon.answer("courier.parcels") { _, _ in ["parcels": [], "bytes": 0] }
        #expect(CommandRun("courier", "parcels", daemon: daemon).output == "Nothing is kept here for others.\n")
    }

    @Test("A courier is named and taken back by the whole name only; what the courier does is said at once")
    func naming() {
        let daemon = daemon()
        let added = CommandRun("courier", "add", "Anna", daemon: daemon)
        #expect(
            added.output == "Anna may keep messages for you while you are away. Your friends are told.\n",
            "\(added.errors)")
        #expect(
            CommandRun("courier", "remove", "Bella", daemon: daemon).output
                == "Bella is not your courier any more.\n")
        for action in ["add", "remove"] {
            #expect(CommandRun("courier", action, "Bel", daemon: daemon, answers: ["y"]).code == .failed)
        }
        #expect(daemon.requests("courier.add") == [["contact": .string(Cast.anna)]])
        #expect(daemon.requests("courier.remove") == [["contact": .string(Cast.annabel)]])
        for (carries, words) in [(false, "keep nothing for others"), (nil, "hasn't said yet")] as [(Bool?, String)] {
            daemon.answer("courier.add") { params, _ in
                Courier(id: params.string("contact"), name: "Anna", carries: carries).json
            }
            #expect(CommandRun("courier", "add", "Anna", daemon: daemon).output.contains(words))
        }
    }

    @Test("Dropping asks where there is a person to ask, and says how many there were")
    func drop() {
        let daemon = daemon()
        let asked = CommandRun("courier", "drop", "bell", daemon: daemon, answers: ["n"])
        #expect(asked.code == .failed && asked.output.contains("from Bella (\(Cast.annabel.prefix(13)))"))
        #expect(asked.output.hasSuffix("Nothing was dropped.\n") && daemon.requests("courier.drop").isEmpty)
        let run = CommandRun("courier", "drop", "bell", daemon: daemon, answers: ["y"])
        #expect(run.output.hasSuffix("Dropped 2 parcels from Bella or for them.\n"))
        #expect(CommandRun("courier", "drop", "bell", "--yes", daemon: daemon).code == .failed)
        daemon.answer("courier.drop") { _, _ in ["dropped": 0] }
        #expect(
            CommandRun("courier", "drop", "Bella", daemon: daemon).output
                == "Nothing is kept here from Bella or for them.\n")
        #expect(
            daemon.requests("courier.drop") == [["contact": .string(Cast.annabel)], ["contact": .string(Cast.annabel)]])
    }

    @Test("Nobody is asked about dropping nothing")
    func dropNothing() {
        let daemon = daemon()
        let run = CommandRun("courier", "drop", "Bob", daemon: daemon, answers: [])
        #expect(run.code == .done && run.output == "Nothing is kept here from Bob or for them.\n", "\(run.errors)")
        #expect(daemon.requests("courier.drop").isEmpty)
        // The depositor counts as well as the recipient.
        #expect(
            CommandRun("courier", "drop", "Anna", daemon: daemon, answers: ["n"]).output.contains("Drop all parcels"))
    }

    @Test(
        "Words that belong to another action, or to none, end with 2",
        arguments: [
            ["add"], ["parcels", "Anna"], ["list", "Anna"], ["add", "Anna", "--tsv"], ["remove", "Anna", "--yes"],
            ["carry"],
            ["carry", "Anna"],
        ])
    func usage(words: [String]) {
        let daemon = daemon()
        #expect(CommandRun(words: ["courier"] + words, daemon: daemon).code == .usage)
        #expect(daemon.methods.isEmpty)
    }

    @Test(
        "A message that a courier keeps is held by them until a day, in a list, in an event and when it is sent again")
    func held() {
        let daemon = FakeDaemon()
        daemon.answer("message.list") { _, _ in ["messages": [Self.held().json], "hasMore": false] }
        let until = Humane.date(Cast.noon + Self.week, now: WallTime(milliseconds: Cast.noon))
        let words = "held by Ca\\u{1b}rl until \(until)"
        let read = CommandRun("read", "Anna", "--keep-unread", daemon: daemon, columns: 80, color: true)
        #expect(read.output.contains("see you\u{1B}[2m  \(words)\u{1B}[0m\n"), "\(read.output)")
        daemon.answer("message.get") { _, _ in Self.held().json }
        daemon.answer("message.retry") { _, _ in Self.held().json }
        let again = CommandRun("retry", Self.held().id, daemon: daemon)
        #expect(again.output == "The message is \(words): see you\n", "\(again.errors)")
        let console = Console(output: { _ in }, errors: { _ in }, clocks: SystemClocks())
        var people = People(own: Cast.own)
        for contact in Cast.contacts { people.update(contact) }
        let sentences = MessageSentence(people: people, console: console)
        let said = sentences.changed(Self.held(), from: Cast.message("see you", .queued), at: 0)
        #expect(said?.hasPrefix("held by Ca\\u{1b}rl until ") == true && said?.hasSuffix(" for Anna: see you") == true)
        #expect(sentences.changed(Self.held(), from: Self.held(), at: 0) == nil)
        #expect(
            sentences.changed(Cast.message("see you", .delivered), from: Self.held(), at: 0)
                == "delivered to Anna: see you")
    }

    @Test("why says who keeps a message, or why nobody does")
    func why() {
        let now = WallTime(milliseconds: Cast.noon)
        let day = Humane.date(Cast.noon + Self.week, now: now)
        for (code, more, text): (StoryState, JSONObject, String) in [
            (
                .held, ["courier": "Carl", "until": .integer(Cast.noon + Self.week)],
                "Carl keeps it for Ben until \(day)."
            ),
            (.broughtOver, ["courier": "Carl"], "Carl says that Ben has it; Ben's own answer isn't here yet."),
            (.courierFull, ["courier": "Carl"], "Carl, who keeps messages for Ben, has no room for it."),
            (.goesToCourier, ["courier": "Carl"], "Carl will get it and keep it for Ben, unless Ben is back first."),
            (
                .couriersAway, ["couriers": ["Carl", "Dora"]],
                "Those who keep messages for Ben are away, too: Carl and Dora."
            ),
            (
                .fileHeld, ["couriers": ["Carl", "Dora"], "files": ["1.png", "2.png", "3.png", "4.png", "5.png"]],
                "1.png, 2.png, 3.png and 2 more: also kept by Carl and Dora."
            ),
            (
                .fileGoesToCourier, ["couriers": ["Carl"], "files": ["film.mp4"]],
                "film.mp4: still to be fetched from this computer by Carl."
            ),
            (
                .fileWaitsForBoth, ["files": ["film.mp4"]],
                "film.mp4: not left with couriers; Ben can get them when they are here."
            ),
            (
                .couriersRefuse, ["couriers": ["Carl"]], "Named by Ben, but keeping nothing for others: Carl."
            ),
            (
                .couriersUnknown, ["couriers": ["Carl", "Dora"]],
                "Named by Ben, but not met since, or their Kibo is too old: Carl and Dora."
            ),
            (.noCourier, [:], "No friend of yours keeps messages for Ben."),
        ] {
            var parameters: JSONObject = ["name": "Ben"]
            for field in more.fields { parameters[field.name] = field.value }
            #expect(StoryWords.state(Remark(code, parameters), of: "", now: now) == text)
        }
        let step = Remark(StoryStep.deposited, ["name": "Ben", "courier": "Carl"])
        #expect(StoryWords.step(step, now: now) == "left with Carl, sealed, for Ben")
        #expect(StoryWords.step(Remark(.brought, ["name": "Ben"]), now: now) == "brought to Ben by a courier")
        let named: JSONObject = ["name": "Ben", "courier": "Carl"]
        #expect(StoryWords.step(Remark(.brought, named), now: now) == "brought to Ben by Carl")
    }
}
