import Basics
import ControlProtocol
import Testing
import Vocabulary

@testable import kibo

/// `kibo localsend`, and what the command line says elsewhere of devices with LocalSend.
struct LocalSendCommandTests {
    private static let first = "019ac0de-7777-7000-8000-000000000001"
    private static let second = "019ac0df-7777-7000-8000-000000000002"
    private static let until = Cast.noon + 300_000
    private static let phone = GuestDevice(
        name: "Nice\u{1B}[2J Orange", model: "Pi\u{202E}xel", kind: .mobile, address: "192.168.1.7:53317",
        encrypted: true)
    private static let laptop = GuestDevice(
        name: "Old Laptop", model: nil, kind: .desktop, address: "192.168.1.9:53317", encrypted: false)

    private static func files(
        _ id: String = first, _ device: GuestDevice = phone, _ state: GuestOffer.State = .waiting,
        problem: Reason? = nil, detail: String? = nil
    ) -> GuestOffer {
        let items = [
            GuestOffer.Item(number: 0, name: "photo.jpg", size: 2048, refusal: nil),
            GuestOffer.Item(number: 1, name: "ru\u{1B}n.exe", size: 1024, refusal: .typeNotAllowed),
            GuestOffer.Item(number: 2, name: "film.mp4", size: 4096, refusal: nil),
        ]
        return GuestOffer(
            id: id, device: device, state: state, items: items, size: 7168, cameAt: Cast.noon,
            until: state == .waiting ? until : nil, problem: problem, detail: detail)
    }

    private static func text(_ id: String = second, _ state: GuestOffer.State = .waiting) -> GuestOffer {
        GuestOffer(
            id: id, device: laptop, state: state, text: "see \u{1B}[31mthis\nand that", cameAt: Cast.noon,
            until: state == .waiting ? until : nil)
    }

    /// An answer to `guest.list`.
    private static func guests(
        on isOn: Bool = true, port: Int64? = 53_317, problem: String? = nil,
        devices: [GuestDevice] = [phone, laptop], _ offers: [GuestOffer] = []
    ) -> JSONValue {
        var object = JSONObject()
        object["on"] = .bool(isOn)
        object["name"] = "Anna"
        object["port"] = port.map { JSONValue.integer($0) } ?? JSONValue.null
        object["problem"] = problem.map { JSONValue.string($0) } ?? JSONValue.null
        object["devices"] = .array(devices.map(\.json))
        object["offers"] = .array(offers.map(\.json))
        return .object(object)
    }

    /// - Parameter offers: what the devices offer; once something is taken or declined, they stand as `later` has them.
    private func daemon(_ offers: [GuestOffer] = [], later: [GuestOffer] = []) -> FakeDaemon {
        let daemon = FakeDaemon()
        daemon.answer("guest.list") { _, _ in Self.guests(offers) }
        for method in ["guest.take", "guest.decline"] {
            daemon.answer(method) { [weak daemon] _, _ in
                daemon?.answer("guest.list") { _, _ in Self.guests(later) }
                return [:]
            }
        }
        return daemon
    }

    @Test("The list has the name and the port, the devices, and the offers with what to type next")
    func list() throws {
        let daemon = self.daemon([Self.files()])
        let run = CommandRun("localsend", daemon: daemon)
        #expect(run.code == .done, "\(run.errors)")
        #expect(run.output.hasPrefix("LocalSend is on as \"Anna\", port 53317.\n"), "\(run.output)")
        #expect(run.output.contains(#"Nice\u{1b}[2J Orange"#) && run.output.contains(#"Pi\u{202e}xel (phone)"#))
        #expect(run.output.contains("Old Laptop") && run.output.contains("not encrypted"))
        let until = Humane.moment(Self.until, now: WallTime(milliseconds: Cast.noon))
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
        #expect(try JSONParser.parse(json.output) == Self.guests([Self.files()]))
        #expect(!json.output.contains("\u{1B}") && !json.output.contains("\u{202E}"))
    }

    @Test("Several offers are named by their ids; a text is shown; one that comes in can be ended")
    func several() {
        var coming = Self.files("019ac0e0-7777-7000-8000-000000000003", Self.laptop, .receiving)
        (coming.filesDone, coming.bytesDone) = (1, 2048)
        let over = Self.files("019ac0e1-7777-7000-8000-000000000004", Self.laptop, .withdrawn)
        let run = CommandRun("localsend", daemon: self.daemon([Self.files(), Self.text(), coming, over]))
        #expect(run.output.contains("019ac0df-7777  a text from Old Laptop, waits"), "\(run.output)")
        #expect(run.output.contains("\n  see \\u{1b}[31mthis and that\n"), "\(run.output)")
        #expect(run.output.contains("comes in: 1 of 3 files, 2.0 KiB of 7.0 KiB\n"))
        #expect(run.output.contains("kibo localsend take OFFER [ITEM…]"))
        #expect(run.output.hasSuffix("To end what comes in: kibo localsend decline 019ac0e0-7777\n"))
        #expect(!run.output.contains("019ac0e1") && !run.output.contains("\u{1B}"))
    }

    @Test("Off, in trouble and without devices, the list says what to do")
    func noDevices() {
        let daemon = FakeDaemon()
        for (answer, words) in [
            (Self.guests(on: false, port: nil, devices: []), "LocalSend is off.\nTo let phones on this network"),
            (
                Self.guests(port: nil, problem: "the port is ta\u{1B}ken", devices: []),
                "LocalSend is on, but doesn't work: the port is ta\\u{1b}ken.\nWhat to do: kibo doctor\n"
            ),
            (Self.guests(devices: []), "No device with LocalSend is seen"),
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
            daemon?.answer("guest.list") { _, _ in Self.guests() }
            return Self.guests(port: nil)
        }
        let on = CommandRun("localsend", "on", daemon: daemon)
        #expect(on.code == .done, "\(on.errors)")
        #expect(on.output.hasPrefix("LocalSend is on as \"Anna\", port 53317.\nEverybody on this network can see"))
        daemon.answer("guest.list") { _, _ in Self.guests(port: nil, problem: "the port is taken") }
        let failed = CommandRun("localsend", "on", daemon: daemon)
        #expect(failed.code == .failed)
        #expect(
            failed.output
                == "LocalSend is on, but doesn't work: the port is taken.\nWhat to do: kibo doctor\n")
        daemon.answer("guest.list") { _, _ in Self.guests(on: false, port: nil, devices: []) }
        let off = CommandRun("localsend", "off", daemon: daemon)
        #expect(off.code == .done && off.output.hasPrefix("LocalSend is off: "), "\(off.errors)")
        let json = CommandRun("localsend", "off", "--json", daemon: daemon)
        #expect(try JSONParser.parse(json.output)["on"] == false)
        #expect(daemon.requests("settings.set").map { $0["value"] } == [true, true, false, false])
    }

    @Test("The only offer that waits needs no name; taking waits until the files are here")
    func take() throws {
        for words: [String] in [[], ["--all"], ["Nice\u{1B}[2J Orange"], ["nice"], ["019ac0de"]] {
            let daemon = self.daemon([Self.files()], later: [Self.files(Self.first, Self.phone, .taken)])
            let run = CommandRun(words: ["localsend", "take"] + words, daemon: daemon)
            #expect(run.code == .done, "\(words): \(run.errors)")
            #expect(
                run.output == "Done: 3 files, 7.0 KiB from Nice\\u{1b}[2J Orange\n"
                    + "photo.jpg, ru\\u{1b}n.exe and film.mp4\nIn your notes: kibo read @me\n")
            #expect(daemon.requests("guest.take") == [["offer": .string(Self.first)]])
        }
        let daemon = self.daemon([Self.text()], later: [Self.text(Self.second, .taken)])
        let text = CommandRun("localsend", "take", daemon: daemon)
        #expect(text.output == "Done: a text from Old Laptop\nIn your notes: kibo read @me\n", "\(text.errors)")
        let again = self.daemon([Self.text()], later: [Self.text(Self.second, .taken)])
        let json = CommandRun("localsend", "take", "--json", daemon: again)
        #expect(try GuestOffer(json: JSONParser.parse(json.output)).state == .taken)
    }

    @Test("Files are named by the numbers of the list, with or without the offer")
    func items() {
        for words in [["1", "3", "1"], ["nice", "1", "3"]] {
            let daemon = self.daemon([Self.files()], later: [Self.files(Self.first, Self.phone, .taken)])
            #expect(CommandRun(words: ["localsend", "take"] + words, daemon: daemon).code == .done)
            #expect(daemon.requests("guest.take") == [["offer": .string(Self.first), "items": [0, 2]]])
        }
        let daemon = self.daemon([Self.files()])
        let missing = CommandRun("localsend", "take", "4", daemon: daemon)
        #expect(missing.code == .notFound && missing.errors.contains("The offer has no file 4."), "\(missing.errors)")
        let text = CommandRun("localsend", "take", "1", daemon: self.daemon([Self.text()]))
        #expect(text.code == .failed && text.errors.contains("has no files"), "\(text.errors)")
        #expect(daemon.requests("guest.take").isEmpty)
    }

    @Test("Without waiting, the files come in the background")
    func noWait() throws {
        let daemon = self.daemon([Self.files()], later: [Self.files(Self.first, Self.phone, .receiving)])
        let run = CommandRun("localsend", "take", "--no-wait", daemon: daemon)
        #expect(run.code == .done && run.output.hasSuffix("is on its way. See: kibo localsend\n"), "\(run.errors)")
        let json = CommandRun("localsend", "take", "nice", "--no-wait", "--json", daemon: daemon)
        #expect(try GuestOffer(json: JSONParser.parse(json.output)).state == .receiving, "\(json.errors)")
    }

    @Test("Where none or several wait, or a word fits none, nothing is done")
    func which() {
        let none = CommandRun("localsend", "take", daemon: self.daemon())
        #expect(none.code == .notFound && none.errors.contains("No offer waits."), "\(none.errors)")
        let both = self.daemon([Self.files(), Self.text()])
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
        let coming = self.daemon([Self.files(Self.first, Self.phone, .receiving)])
        let decline = CommandRun("localsend", "decline", daemon: coming)
        #expect(decline.code == .notFound && decline.errors.contains("kibo localsend decline 019ac0de-7777"))
        let over = self.daemon([Self.files(Self.first, Self.phone, .expired)])
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
            var end = Self.files(
                Self.first, Self.phone, state, problem: detail == nil ? nil : .noSpace, detail: detail)
            end.filesDone = state == .failed ? 1 : 0
            let run = CommandRun("localsend", "take", daemon: self.daemon([Self.files()], later: [end]))
            #expect(run.code == .failed && run.output.isEmpty && run.errors.hasPrefix(words), "\(run.errors)")
            #expect(run.errors.contains("1 file came") == (state == .failed))
        }
        let gone = CommandRun("localsend", "take", daemon: self.daemon([Self.files()]))
        #expect(gone.code == .notFound && gone.errors.contains("The offer is gone."), "\(gone.errors)")
    }

    @Test("Refusals of the daemon are told as those of any command")
    func refused() {
        let daemon = self.daemon([Self.files()])
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
        let waiting = self.daemon([Self.files()])
        #expect(
            CommandRun("localsend", "decline", daemon: waiting).output
                == "Declined: 3 files, 7.0 KiB from Nice\\u{1b}[2J Orange.\n")
        let coming = self.daemon([Self.files(Self.first, Self.phone, .receiving), Self.text()])
        let run = CommandRun("localsend", "decline", "019ac0de-7777", daemon: coming)
        #expect(run.code == .done && run.output.hasPrefix("Ended: 3 files"), "\(run.errors)")
        for daemon in [waiting, coming] {
            #expect(daemon.requests("guest.decline") == [["offer": .string(Self.first)]])
        }
    }

    @Test(
        "Words that belong to another action, or to none, end with 2",
        arguments: [
            ["share"], ["on", "Anna"], ["off", "1"], ["list", "x"], ["decline", "nice", "1"], ["decline", "--all"],
            ["--no-wait"], ["take", "nice", "orange"], ["take", "nice", "0"], ["take", "0"], ["take", "1", "--all"],
            ["take", "1001"],
        ])
    func usage(words: [String]) {
        let daemon = self.daemon([Self.files()])
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
        for answer in [Self.guests(on: false), Self.guests(devices: [])] {
            daemon.answer("guest.list") { _, _ in answer }
            #expect(!CommandRun("peers", daemon: daemon).output.contains("LocalSend"))
        }
    }

    @Test("A note that a device gave says so, in a list, in an event and in a file")
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
        note.guest = nil
        #expect(Transcript(console: console, people: people).text(note).hasSuffix("you: see you\n"))
    }

    @Test("Status has a line while it is on, with the offers that wait")
    func status() {
        let daemon = self.daemon([Self.files(), Self.text()])
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
        daemon.answer("guest.list") { _, _ in Self.guests(on: false, port: nil, devices: []) }
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
        ] {
            let check = DoctorCheck(name: "localsend", ok: true, findings: [Remark(finding, parameters)], advice: [])
            #expect(DoctorWords.findings(of: check).contains(words))
        }
        let check = DoctorCheck(name: "localsend", ok: false, findings: [], advice: [Remark(.installLocalsend, [:])])
        #expect(DoctorWords.advice(of: check)?.hasSuffix("kibo localsend off") == true)
    }

    @Test("Shells are offered the devices whose offers wait or come in")
    func completion() {
        let over = Self.files("019ac0e1-7777-7000-8000-000000000004", Self.phone, .taken)
        let run = CommandRun("completions", "localsend", daemon: self.daemon([Self.files(), Self.text(), over]))
        // A name that a terminal must not get can't be typed.
        #expect(run.output == "Old Laptop\n", "\(run.errors)")
    }
}
