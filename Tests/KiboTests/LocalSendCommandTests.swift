import Basics
import ControlProtocol
import Testing
import Vocabulary

@testable import kibo

/// `kibo localsend`, and what the command line says elsewhere of devices with LocalSend.
struct LocalSendCommandTests {
    /// - Parameters:
    ///   - offers: what the devices offer; once something is taken or declined, they stand as `later` has them.
    ///   - given: what the user offers to devices.
    private func daemon(
        _ offers: [GuestOffer] = [], later: [GuestOffer] = [], given: [GuestOffer] = []
    ) -> FakeDaemon {
        let daemon = FakeDaemon()
        daemon.answer("guest.list") { _, _ in GuestCast.guests(offers, given: given) }
        for method in ["guest.take", "guest.decline"] {
            daemon.answer(method) { [weak daemon] _, _ in
                daemon?.answer("guest.list") { _, _ in GuestCast.guests(later) }
                return [:]
            }
        }
        return daemon
    }

    @Test("The list has the name and the port, the devices, and the offers with what to type next")
    func list() throws {
        let daemon = self.daemon([GuestCast.files()])
        let run = CommandRun("localsend", daemon: daemon)
        #expect(run.code == .done, "\(run.errors)")
        #expect(run.output.hasPrefix("LocalSend is on as \"Anna\", port 53317.\n"), "\(run.output)")
        #expect(run.output.contains(#"Nice\u{1b}[2J Orange"#) && run.output.contains(#"Pi\u{202e}xel (phone)"#))
        #expect(run.output.contains("Old Laptop") && run.output.contains("not encrypted"))
        let until = Humane.moment(GuestCast.until, now: WallTime(milliseconds: Cast.noon))
        #expect(
            run.output.contains(
                "019ac0de-7777  3 files, 7.0 KiB from Nice\\u{1b}[2J Orange, waits for your answer until \(until)\n"),
            "\(run.output)")
        #expect(run.output.contains("\n  1  photo.jpg, 2.0 KiB\n"))
        #expect(run.output.contains("\n  2  ru\\u{1b}n.exe, 1.0 KiB  not taken: this type of file is not taken\n"))
        #expect(run.output.hasSuffix("To decline it: kibo localsend decline\n"))
        #expect(!run.output.contains("\u{1B}") && !run.output.contains("\u{202E}"))
        #expect(daemon.requests("guest.list") == [["look": true]])
        let json = CommandRun("localsend", "--json", daemon: daemon)
        #expect(try JSONParser.parse(json.output) == GuestCast.guests([GuestCast.files()]))
        #expect(!json.output.contains("\u{1B}") && !json.output.contains("\u{202E}"))
    }

    @Test("Several offers are named by their ids; a text is shown; one that comes in can be ended")
    func several() {
        var coming = GuestCast.files("019ac0e0-7777-7000-8000-000000000003", GuestCast.laptop, .receiving)
        (coming.filesDone, coming.bytesDone) = (1, 2048)
        let over = GuestCast.files("019ac0e1-7777-7000-8000-000000000004", GuestCast.laptop, .withdrawn)
        let run = CommandRun("localsend", daemon: self.daemon([GuestCast.files(), GuestCast.text(), coming, over]))
        #expect(run.output.contains("019ac0df-7777  a text from Old Laptop, waits"), "\(run.output)")
        #expect(run.output.contains("\n  see \\u{1b}[31mthis and that\n"), "\(run.output)")
        #expect(run.output.contains("comes in: 1 of 3 files, 2.0 KiB of 7.0 KiB\n"))
        #expect(run.output.contains("kibo localsend take OFFER [ITEM…]"))
        #expect(run.output.hasSuffix("To stop what is coming in: kibo localsend decline 019ac0e0-7777\n"))
        #expect(!run.output.contains("019ac0e1") && !run.output.contains("\u{1B}"))
    }

    @Test("Files in folders are listed with their paths; where names are summed up, a folder is one")
    func folders() {
        let run = CommandRun("localsend", daemon: self.daemon([GuestCast.folders()]))
        let first = "\n  1  Holi\\u{1b}day/Day 1/1.jpg, 2.0 KiB\n  2  note.txt, 1.0 KiB\n"
        #expect(run.output.contains(first), "\(run.output)")
        #expect(run.output.contains("\n  3  Holi\\u{1b}day/2.jpg, 4.0 KiB\n  4  Work/1.jpg, 1.0 KiB\n"))
        let taking = self.daemon([GuestCast.folders()], later: [GuestCast.folders(.taken)])
        let taken = CommandRun("localsend", "take", daemon: taking)
        #expect(taken.output.contains("\nHoli\\u{1b}day/, note.txt and Work/\n"), "\(taken.output)")
        var given = GuestCast.folders(.sending)
        for number in 0..<20 as Range<Int64> {
            given.items.append(.init(number: number + 4, name: "\(number)", size: 1, refusal: nil))
        }
        let giving = CommandRun("localsend", daemon: self.daemon(given: [given]))
        #expect(giving.output.contains("\n  Holi\\u{1b}day/, note.txt, Work/, 0, "), "\(giving.output)")
        #expect(giving.output.contains(" and 14 more\n"))
    }

    @Test("Off, in trouble and without devices, the list says what to do")
    func noDevices() {
        let daemon = FakeDaemon()
        for (answer, words) in [
            (GuestCast.guests(on: false, port: nil, devices: []), "LocalSend is off.\nTo let phones on this network"),
            (
                GuestCast.guests(port: nil, problem: "the port is ta\u{1B}ken", devices: []),
                "LocalSend is on, but doesn't work: the port is ta\\u{1b}ken.\nWhat to do: kibo doctor\n"
            ),
            (GuestCast.guests(devices: []), "No device with LocalSend is seen"),
        ] {
            daemon.answer("guest.list") { _, _ in answer }
            let run = CommandRun("localsend", daemon: daemon)
            #expect(run.code == .done && run.output.contains(words), "\(run.output)\(run.errors)")
        }
    }

    @Test("Switching it on waits for the port, or for what is in the way; switching it off does not")
    func onAndOff() throws {
        let daemon = FakeDaemon()
        daemon.answer("settings.set") { params, _ in
            #expect(params.string("key") == "localsend.enabled")
            return SettingsCatalogue.localSendEnabled.spec.setting(true).json
        }
        daemon.answer("guest.list") { [weak daemon] _, _ in
            daemon?.answer("guest.list") { _, _ in GuestCast.guests() }
            return GuestCast.guests(port: nil)
        }
        let on = CommandRun("localsend", "on", daemon: daemon)
        #expect(on.code == .done, "\(on.errors)")
        #expect(on.output.hasPrefix("LocalSend is on as \"Anna\", port 53317.\nEverybody on this network can see"))
        daemon.answer("guest.list") { _, _ in GuestCast.guests(port: nil, problem: "the port is taken") }
        let failed = CommandRun("localsend", "on", daemon: daemon)
        #expect(failed.code == .failed)
        #expect(
            failed.output
                == "LocalSend is on, but doesn't work: the port is taken.\nWhat to do: kibo doctor\n")
        daemon.answer("guest.list") { _, _ in GuestCast.guests(on: false, port: nil, devices: []) }
        let off = CommandRun("localsend", "off", daemon: daemon)
        #expect(off.code == .done && off.output.hasPrefix("LocalSend is off: "), "\(off.errors)")
        let json = CommandRun("localsend", "off", "--json", daemon: daemon)
        #expect(try JSONParser.parse(json.output)["on"] == false)
        #expect(daemon.requests("settings.set").map { $0["value"] } == [true, true, false, false])
    }

    @Test("A scan says how many devices it has found, and lists all; one address that nobody answers at is an error")
    func scan() throws {
        let daemon = self.daemon()
        daemon.answer("guest.scan") { _, _ in ["asked": 253, "found": 2] }
        let run = CommandRun("localsend", "scan", daemon: daemon)
        #expect(run.code == .done && run.output.hasPrefix("2 devices found.\n\n"), "\(run.output)\(run.errors)")
        #expect(run.output.contains("Old Laptop") && !run.output.contains("\u{1B}"))
        #expect(run.errors.contains("Asking each address"))
        let json = try JSONParser.parse(CommandRun("localsend", "scan", "--json", daemon: daemon).output)
        #expect(json["asked"] == 253 && json["found"] == 2 && json["devices"]?.array?.count == 2)
        daemon.answer("guest.list") { _, _ in GuestCast.guests(devices: []) }
        daemon.answer("guest.scan") { params, _ in ["asked": .integer(params["address"] == nil ? 253 : 1), "found": 0] }
        let none = CommandRun("localsend", "scan", daemon: daemon)
        #expect(none.code == .done && none.output.hasPrefix("None of 253 addresses has a device"), "\(none.output)")
        let one = CommandRun("localsend", "scan", "10.0.0.7", daemon: daemon)
        #expect(one.code == .notFound && one.errors.contains("answers at 10.0.0.7"), "\(one.errors)")
        #expect(CommandRun("localsend", "scan", "10.0.0.7", "--json", daemon: daemon).code == .notFound)
        #expect(daemon.requests("guest.scan") == [[:], [:], [:], ["address": "10.0.0.7"], ["address": "10.0.0.7"]])
        #expect(CommandRun("localsend", "scan", "a", "b", daemon: daemon).code == .usage)
    }

    @Test("The only offer that waits needs no name; taking waits until the files are here")
    func take() throws {
        for words: [String] in [[], ["--all"], ["Nice\u{1B}[2J Orange"], ["nice"], ["019ac0de"]] {
            let daemon = self.daemon(
                [GuestCast.files()], later: [GuestCast.files(GuestCast.first, GuestCast.phone, .taken)])
            let run = CommandRun(words: ["localsend", "take"] + words, daemon: daemon)
            #expect(run.code == .done, "\(words): \(run.errors)")
            #expect(
                run.output == "Done: 3 files, 7.0 KiB from Nice\\u{1b}[2J Orange\n"
                    + "photo.jpg, ru\\u{1b}n.exe and film.mp4\nIn your notes: kibo read @me\n")
            #expect(daemon.requests("guest.take") == [["offer": .string(GuestCast.first)]])
        }
        let daemon = self.daemon([GuestCast.text()], later: [GuestCast.text(GuestCast.second, .taken)])
        let text = CommandRun("localsend", "take", daemon: daemon)
        #expect(text.output == "Done: a text from Old Laptop\nIn your notes: kibo read @me\n", "\(text.errors)")
        let again = self.daemon([GuestCast.text()], later: [GuestCast.text(GuestCast.second, .taken)])
        let json = CommandRun("localsend", "take", "--json", daemon: again)
        #expect(try GuestOffer(json: JSONParser.parse(json.output)).state == .taken)
    }

    @Test("Files are named by the numbers of the list, with or without the offer")
    func items() {
        for words in [["1", "3", "1"], ["nice", "1", "3"]] {
            let daemon = self.daemon(
                [GuestCast.files()], later: [GuestCast.files(GuestCast.first, GuestCast.phone, .taken)])
            #expect(CommandRun(words: ["localsend", "take"] + words, daemon: daemon).code == .done)
            #expect(daemon.requests("guest.take") == [["offer": .string(GuestCast.first), "items": [0, 2]]])
        }
        let daemon = self.daemon([GuestCast.files()])
        let missing = CommandRun("localsend", "take", "4", daemon: daemon)
        #expect(missing.code == .notFound && missing.errors.contains("The offer has no file 4."), "\(missing.errors)")
        let text = CommandRun("localsend", "take", "1", daemon: self.daemon([GuestCast.text()]))
        #expect(text.code == .failed && text.errors.contains("has no files"), "\(text.errors)")
        #expect(daemon.requests("guest.take").isEmpty)
    }

    @Test("Without waiting, the files come in the background")
    func noWait() throws {
        let daemon = self.daemon(
            [GuestCast.files()], later: [GuestCast.files(GuestCast.first, GuestCast.phone, .receiving)])
        let run = CommandRun("localsend", "take", "--no-wait", daemon: daemon)
        #expect(run.code == .done && run.output.hasSuffix("is on its way. See: kibo localsend\n"), "\(run.errors)")
        let json = CommandRun("localsend", "take", "nice", "--no-wait", "--json", daemon: daemon)
        #expect(try GuestOffer(json: JSONParser.parse(json.output)).state == .receiving, "\(json.errors)")
    }

    @Test("Where none or several wait, or a word fits none, nothing is done")
    func which() {
        let none = CommandRun("localsend", "take", daemon: self.daemon())
        #expect(none.code == .notFound && none.errors.contains("No offer waits."), "\(none.errors)")
        let both = self.daemon([GuestCast.files(), GuestCast.text()])
        for action in ["take", "decline"] {
            let run = CommandRun("localsend", action, daemon: both)
            #expect(run.code == .failed && run.errors.contains("Several offers wait."), "\(run.errors)")
            #expect(run.errors.contains("kibo localsend \(action) OFFER"))
            #expect(run.errors.contains("019ac0df-7777  Old Laptop, a text") && !run.errors.contains("\u{1B}"))
            let unknown = CommandRun("localsend", action, "zoe", daemon: both)
            #expect(unknown.code == .notFound && unknown.errors.contains("kibo localsend"), "\(unknown.errors)")
            // Both ids begin like this.
            #expect(CommandRun("localsend", action, "019ac0d", daemon: both).code == .failed)
        }
        let coming = self.daemon([GuestCast.files(GuestCast.first, GuestCast.phone, .receiving)])
        let decline = CommandRun("localsend", "decline", daemon: coming)
        #expect(decline.code == .notFound && decline.errors.contains("kibo localsend decline 019ac0de-7777"))
        let over = self.daemon([GuestCast.files(GuestCast.first, GuestCast.phone, .expired)])
        let late = CommandRun("localsend", "take", "nice", daemon: over)
        #expect(late.code == .failed && late.errors.contains("is over: not answered in time"), "\(late.errors)")
        for daemon in [both, coming, over] {
            #expect(daemon.requests("guest.take").isEmpty && daemon.requests("guest.decline").isEmpty)
        }
    }

    @Test("An offer that ends otherwise is told with the reason, and ends with 1")
    func ends() {
        for (state, detail, words): (GuestOffer.State, String?, String) in [
            (
                .failed, "the disk is f\u{1B}ull",
                "Failed: 3 files, 7.0 KiB from Nice\\u{1b}[2J Orange: the disk is f\\u{1b}ull\n"
            ),
            (.withdrawn, nil, "Taken back by the device: 3 files"), (.declined, nil, "Declined: 3 files"),
            (.expired, nil, "Not answered in time: 3 files"),
        ] {
            var end = GuestCast.files(
                GuestCast.first, GuestCast.phone, state, problem: detail == nil ? nil : .noSpace, detail: detail)
            end.filesDone = state == .failed ? 1 : 0
            let run = CommandRun("localsend", "take", daemon: self.daemon([GuestCast.files()], later: [end]))
            #expect(run.code == .failed && run.output.isEmpty && run.errors.hasPrefix(words), "\(run.errors)")
            #expect(run.errors.contains("1 file came") == (state == .failed))
        }
        let gone = CommandRun("localsend", "take", daemon: self.daemon([GuestCast.files()]))
        #expect(gone.code == .notFound && gone.errors.contains("The offer is gone."), "\(gone.errors)")
    }

    @Test("Refusals of the daemon are told as those of any command")
    func refused() {
        let daemon = self.daemon([GuestCast.files()])
        for (reason, words) in [
            (Reason.busy, "too many offers come in"), (.typeNotAllowed, "this type of file is not let in"),
        ] {
            daemon.answer("guest.take") { _, _ in throw RPCError(ControlError(reason, words)) }
            let run = CommandRun("localsend", "take", "2", daemon: daemon)
            #expect(run.code == .failed && run.output.isEmpty, "\(run.output)")
            #expect(run.errors.contains(words.dropFirst()), "\(run.errors)")
        }
    }

    @Test("Declining takes the only one that waits, or the one that is named, also while it comes in")
    func decline() {
        let waiting = self.daemon([GuestCast.files()])
        #expect(
            CommandRun("localsend", "decline", daemon: waiting).output
                == "Declined: 3 files, 7.0 KiB from Nice\\u{1b}[2J Orange.\n")
        let coming = self.daemon([GuestCast.files(GuestCast.first, GuestCast.phone, .receiving), GuestCast.text()])
        let run = CommandRun("localsend", "decline", "019ac0de-7777", daemon: coming)
        #expect(run.code == .done && run.output.hasPrefix("Ended: 3 files"), "\(run.errors)")
        for daemon in [waiting, coming] {
            #expect(daemon.requests("guest.decline") == [["offer": .string(GuestCast.first)]])
        }
    }

    @Test("What the user gives has a part of its own, also when it is over, and can be ended by its id")
    func given() {
        let until = Humane.moment(GuestCast.until, now: WallTime(milliseconds: Cast.noon))
        let waiting = CommandRun("localsend", daemon: self.daemon(given: [GuestCast.given(.waiting)]))
        #expect(
            waiting.output.hasSuffix(
                "\n\nWhat you give:\n019ac0e5-7777  2 files, 6.0 KiB to Nice\\u{1b}[2J Orange, waits for an answer until "
                    + "\(until)\n  photo.jpg and film.mp4\nTo take it back: kibo localsend decline 019ac0e5-7777\n"),
            "\(waiting.output)")
        var sending = GuestCast.given(.sending)
        (sending.filesDone, sending.bytesDone) = (1, 2048)
        var over = GuestCast.given(.failed, problem: .noSpace)
        over.id = GuestCast.second
        let going = CommandRun("localsend", daemon: self.daemon([GuestCast.files()], given: [over, sending])).output
        #expect(going.contains("to Nice\\u{1b}[2J Orange, failed: the device's disk is full\n"), "\(going)")
        #expect(going.contains("goes out: 1 of 2 files, 2.0 KiB of 6.0 KiB\n"))
        #expect(going.hasSuffix("To end it: kibo localsend decline 019ac0e5-7777\n"))
        #expect(going.contains("To take it: kibo localsend take.") && !going.contains("\u{1B}"))
        let ended = CommandRun("localsend", daemon: self.daemon(given: [over])).output
        #expect(ended.contains("What you give:") && !ended.contains("localsend decline"), "\(ended)")
        #expect(!CommandRun("localsend", daemon: self.daemon()).output.contains("What you give"))
    }

    @Test("What goes out is ended only if it is named, and never taken")
    func declineGiven() {
        for (state, words): (GuestOffer.State, String) in [
            (.waiting, "Taken back: 2 files, 6.0 KiB to Nice\\u{1b}[2J Orange.\n"),
            (.sending, "Ended: 2 files, 6.0 KiB to Nice\\u{1b}[2J Orange. The device keeps"),
        ] {
            for word in ["nice", "019ac0e5"] {
                let daemon = self.daemon(given: [GuestCast.given(state)])
                let run = CommandRun("localsend", "decline", word, daemon: daemon)
                #expect(run.code == .done && run.output.hasPrefix(words), "\(run.output)\(run.errors)")
                #expect(daemon.requests("guest.decline") == [["offer": .string(GuestCast.third)]])
            }
        }
        let daemon = self.daemon(given: [GuestCast.given(.waiting)])
        let unnamed = CommandRun("localsend", "decline", daemon: daemon)
        #expect(unnamed.code == .notFound && unnamed.errors.contains("kibo localsend decline 019ac0e5-7777"))
        for words in [["take"], ["take", "nice"], ["take", "019ac0e5"]] {
            let take = CommandRun(words: ["localsend"] + words, daemon: daemon)
            #expect(take.code == .notFound, "\(words): \(take.output)")
        }
        // The device's name may mean either way.
        let both = self.daemon([GuestCast.files()], given: [GuestCast.given(.waiting)])
        let ambiguous = CommandRun("localsend", "decline", "nice", daemon: both)
        #expect(ambiguous.code == .failed && ambiguous.errors.contains("019ac0e5-7777  to Nice"), "\(ambiguous.errors)")
        let over = self.daemon(given: [GuestCast.given(.declined)])
        let late = CommandRun("localsend", "decline", "nice", daemon: over)
        #expect(late.code == .failed && late.errors.contains("is over: declined"), "\(late.errors)")
        for daemon in [daemon, both, over] {
            #expect(daemon.requests("guest.take").isEmpty && daemon.requests("guest.decline").isEmpty)
        }
        // Without a name it is the one that waits for the user.
        #expect(CommandRun("localsend", "decline", daemon: both).code == .done)
        #expect(both.requests("guest.decline") == [["offer": .string(GuestCast.first)]])
    }

    @Test("The list of devices says which were given something before, and which only have the name of one")
    func before() {
        let daemon = FakeDaemon()
        var (known, other) = (GuestCast.phone, GuestCast.laptop)
        (known.known, other.namesake) = (true, true)
        daemon.answer("guest.list") { [known, other] _, _ in GuestCast.guests(devices: [known, other]) }
        for command in ["localsend", "peers"] {
            let lines = CommandRun(command, daemon: daemon).output.split(separator: "\n")
            #expect(lines.contains { $0.contains("Orange") && $0.hasSuffix("yes") }, "\(lines)")
            #expect(lines.contains { $0.contains("Old Laptop") && $0.hasSuffix("another device of this name") })
        }
        #expect(!CommandRun("localsend", daemon: self.daemon()).output.contains("BEFORE"))
    }

    @Test(
        "Words that belong to another action, or to none, end with 2",
        arguments: [
            ["share"], ["on", "Anna"], ["off", "1"], ["list", "x"], ["decline", "nice", "1"], ["decline", "--all"],
            ["--no-wait"], ["take", "nice", "orange"], ["take", "nice", "0"], ["take", "0"], ["take", "1", "--all"],
            ["take", "1001"],
        ])
    func usage(words: [String]) {
        let daemon = self.daemon([GuestCast.files()])
        #expect(CommandRun(words: ["localsend"] + words, daemon: daemon).code == .usage)
        #expect(daemon.methods.isEmpty)
    }

    @Test("The list of peers has a part for the devices, if there are any and LocalSend is on; programs get none")
    func peers() throws {
        let daemon = self.daemon()
        let run = CommandRun("peers", daemon: daemon)
        #expect(run.output.contains("\n\nPhones and other devices (LocalSend):\nNAME"), "\(run.output)")
        #expect(run.output.contains(#"Nice\u{1b}[2J Orange"#) && !run.output.contains("\u{1B}"))
        let found = CommandRun("peers", "laptop", daemon: daemon).output
        #expect(found.contains("Old Laptop") && !found.contains("Orange"))
        #expect(!CommandRun("peers", "--tsv", daemon: daemon).output.contains("Laptop"))
        let json = CommandRun("peers", "--json", daemon: daemon)
        #expect(try JSONParser.parse(json.output) == ["peers": .array(Cast.peers.map(\.json))])
        for answer in [GuestCast.guests(on: false), GuestCast.guests(devices: [])] {
            daemon.answer("guest.list") { _, _ in answer }
            #expect(!CommandRun("peers", daemon: daemon).output.contains("LocalSend"))
        }
    }

    @Test("A note that a device gave, or was given, says so, in a list, in an event and in a file")
    func note() {
        var note = Cast.message("see you", .sent)
        note.recipients = []
        note.guest = "Nice\u{1B} Orange"
        let origin = "from Nice\\u{1b} Orange (LocalSend)"
        let people = People(own: Cast.own)
        let console = Console(output: { _ in }, errors: { _ in }, clocks: SystemClocks())
        #expect(Transcript(console: console, people: people).text(note).hasSuffix("you: see you  \(origin)\n"))
        #expect(
            MessageSentence(people: people, console: console).added(note) == "you to your notes \(origin): see you")
        #expect(ExportText(people: people, own: "Me").text(note).hasSuffix("  Me \(origin): see you\n"))
        (note.guest, note.givenTo) = (nil, note.guest)
        let way = "to Nice\\u{1b} Orange (LocalSend)"
        #expect(Transcript(console: console, people: people).text(note).hasSuffix("you: see you  \(way)\n"))
        #expect(MessageSentence(people: people, console: console).added(note) == "you \(way): see you")
        #expect(ExportText(people: people, own: "Me").text(note).hasSuffix("  Me \(way): see you\n"))
        note.givenTo = nil
        #expect(Transcript(console: console, people: people).text(note).hasSuffix("you: see you\n"))
    }

    @Test("Status has a line while it is on, with the offers that wait")
    func status() {
        let daemon = self.daemon([GuestCast.files(), GuestCast.text()])
        let status = DaemonStatus(
            uptime: 3_700_000, listen: ["127.0.0.1:5"], interfaces: ["lo"], peers: 1, sessions: 2, queued: 3,
            transfers: 4, locked: false, data: "/d", databaseBytes: 2048)
        daemon.answer("system.status") { _, _ in status.json }
        daemon.answer("account.get") { _, _ in
            Account(id: Cast.own, displayName: "Anna", device: .init(id: "kibodev1x", name: "desk"), createdAt: 1).json
        }
        #expect(
            CommandRun("status", daemon: daemon).output.contains(
                "LocalSend  on as \"Anna\", port 53317; 2 offers wait – see: kibo localsend\n"))
        daemon.answer("guest.list") { _, _ in GuestCast.guests(on: false, port: nil, devices: []) }
        #expect(!CommandRun("status", daemon: daemon).output.contains("LocalSend"))
    }

    @Test("Watching tells of offers when more of them wait than before")
    func event() {
        var memory = MessageMemory()
        var news: [Bool] = []
        for count: Int64 in [0, 1, 1, 0, 2] { news.append(memory.isNews(waiting: count)) }
        #expect(news == [false, true, false, false, true])
    }

    @Test("The doctor says how LocalSend works, or why it doesn't")
    func doctor() {
        for (finding, parameters, words): (DoctorFinding, JSONObject, String) in [
            (.localsendOn, ["name": "Anna", "port": 53_317], "see this computer as \"Anna\", at TCP port 53317"),
            (.localsendFails, ["detail": "the port is taken"], "doesn't work: the port is taken"),
            (.localsendMissing, [:], "kibo-localsend is not installed"),
            (.localsendPortTaken, ["port": 53_317], "not 53317, which another program has"),
            (.localsendPlain, [:], "anybody on the network can read along"),
            (.localsendHeard, ["port": 53_317], "came back on every interface, UDP port 53317"),
            (.localsendUnheard, ["interfaces": ["eth0", "wlan0"]], "did not come back on eth0, wlan0"),
            (.localsendUnjoined, ["interfaces": ["eth1"]], "refuses multicast on eth1"),
            (.localsendDeaf, ["port": 53_317], "can't use UDP port 53317"),
            (.localsendReached, [:], "a device has just connected"),
            (.localsendAlone, [:], "no device with LocalSend is seen"),
        ] {
            let check = DoctorCheck(name: "localsend", ok: true, findings: [Remark(finding, parameters)], advice: [])
            #expect(DoctorWords.findings(of: check).contains(words))
        }
        for (advice, parameters, end): (DoctorAdvice, JSONObject, String) in [
            (.installLocalsend, [:], "kibo localsend off"),
            (.letLocalsendThrough, ["port": 53_317], "sudo nft list ruleset"),
            (.freeLocalsendPort, ["port": 53_317], "kibo localsend off && kibo localsend on"),
            (.encryptLocalsend, [:], "kibo settings localsend.plain false"),
            (.scanForDevices, [:], "kibo localsend scan"),
            (.openPorts, ["commands": "sudo ufw allow \"Kibo LocalSend\""], "sudo ufw allow \"Kibo LocalSend\""),
        ] {
            let check = DoctorCheck(name: "localsend", ok: false, findings: [], advice: [Remark(advice, parameters)])
            #expect(DoctorWords.advice(of: check)?.hasSuffix(end) == true)
        }
    }

    @Test("Shells are offered the devices whose offers wait or come in")
    func completion() {
        let over = GuestCast.files("019ac0e1-7777-7000-8000-000000000004", GuestCast.phone, .taken)
        let run = CommandRun(
            "completions", "localsend", daemon: self.daemon([GuestCast.files(), GuestCast.text(), over]))
        // A name that a terminal must not get can't be typed.
        #expect(run.output == "Old Laptop\n", "\(run.errors)")
        var given = GuestCast.given(.waiting)
        given.device.name = "Cool Lemon"
        let daemon = self.daemon([GuestCast.text()], given: [given])
        #expect(CommandRun("completions", "localsend", "--", "take", daemon: daemon).output == "Old Laptop\n")
        #expect(
            CommandRun("completions", "localsend", "--", "decline", daemon: daemon).output == "Old Laptop\nCool Lemon\n"
        )
        #expect(CommandRun("completions", "localsend", "--", "scan", daemon: daemon).output.isEmpty)
        #expect(CommandRun("completions", "devices", daemon: daemon).output == "Old Laptop\n")
    }
}
