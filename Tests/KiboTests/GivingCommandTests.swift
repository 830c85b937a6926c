import Basics
import ControlProtocol
import Glibc
import TestSupport
import Testing
import Vocabulary

@testable import kibo

/// Goal: what is given to a device with LocalSend goes to the device that is meant, as it was meant, and the user learns how it
/// ended.
@Suite("kibo send --to-device")
struct GivingCommandTests {
    private static let summary = "2 files, 6.0 KiB to Nice\\u{1b}[2J Orange"

    /// - Parameter states: how what is given stands, each time that is asked for; the last one stays.
    private func daemon(
        devices: [GuestDevice] = [GuestCast.phone, GuestCast.laptop], _ states: GuestOffer...
    ) -> FakeDaemon {
        let daemon = FakeDaemon()
        var left = (states.isEmpty ? [GuestCast.given(.taken)] : states)[...]
        daemon.answer("guest.list") { _, _ in GuestCast.guests(devices: devices) }
        daemon.answer("guest.give") { [weak daemon] _, _ in
            daemon?.answer("guest.list") { _, _ in
                let now = left.count > 1 ? left.removeFirst() : left[left.startIndex]
                return GuestCast.guests(devices: devices, given: [now])
            }
            return GuestCast.given(.waiting).json
        }
        return daemon
    }

    private func run(
        _ words: String..., daemon: FakeDaemon, columns: Int? = nil, answers: [String]? = nil
    ) -> CommandRun {
        CommandRun(words: ["send", "--to-device"] + words, daemon: daemon, columns: columns, answers: answers)
    }

    // MARK: The device

    @Test("A device is found by its name, its id, or the beginning of one, in any case")
    func names() {
        let id = GuestCast.phone.id
        for word in [GuestCast.phone.name, "nice", "NICE", id, id.uppercased(), "0011"] {
            let daemon = self.daemon()
            let run = self.run(word, "/tmp", daemon: daemon)
            #expect(run.code == .done, "\(word): \(run.errors)")
            #expect(
                run.output
                    == "Done: \(Self.summary)\nphoto.jpg and film.mp4\nIn your notes: kibo read @me\n")
            #expect(daemon.requests("guest.give") == [["files": ["/tmp"], "device": .string(id)]])
        }
    }

    @Test("Devices are asked who they are, and one that answers late is found")
    func late() {
        let daemon = self.daemon()
        daemon.answer("guest.list") { [weak daemon] _, _ in
            daemon?.answer("guest.list") { _, _ in GuestCast.guests(given: [GuestCast.given(.taken)]) }
            return GuestCast.guests(devices: [GuestCast.laptop])
        }
        #expect(run("nice", "/tmp", daemon: daemon).code == .done)
        let asked = daemon.requests("guest.list")
        #expect(asked.first == ["look": true] && asked.dropFirst().allSatisfy { $0 == [:] })
    }

    @Test("Several that a word fits are listed with their ids and addresses, and none gets anything")
    func several() {
        var other = GuestCast.laptop
        other.name = "nice lemon"
        let daemon = self.daemon(devices: [GuestCast.phone, other])
        let run = self.run("nice", "/tmp", daemon: daemon)
        #expect(run.code == .failed && run.errors.contains("may mean any of 2 devices"), "\(run.errors)")
        #expect(run.errors.contains("00112233aabbccdd  Nice\\u{1b}[2J Orange, phone at 192.168.1.7:53317\n"))
        #expect(run.errors.contains("ffee2233aabbccdd  nice lemon, computer at 192.168.1.9:53317\n"))
        // An id is one device's, whatever others call themselves.
        other.name = GuestCast.phone.id
        let pretender = self.daemon(devices: [other, GuestCast.phone])
        #expect(self.run(GuestCast.phone.id, "/tmp", daemon: pretender).code == .done)
        #expect(pretender.requests("guest.give").first?["device"]?.string == GuestCast.phone.id)
        #expect(daemon.requests("guest.give").isEmpty)
    }

    @Test("Where no device can be found it says why, and how to look again")
    func none() {
        let daemon = self.daemon()
        for (answer, code, words): (JSONValue, ExitCode, String) in [
            (GuestCast.guests(on: false, port: nil, devices: []), .failed, "switch it on: kibo localsend on"),
            (GuestCast.guests(port: nil, problem: "the port is ta\u{1B}ken", devices: []), .failed, "kibo doctor"),
            (GuestCast.guests(devices: []), .notFound, "No device with LocalSend is seen"),
            (GuestCast.guests(devices: [GuestCast.laptop]), .notFound, "No devices match \"nice\"."),
        ] {
            daemon.answer("guest.list") { _, _ in answer }
            let run = self.run("nice", "/tmp", daemon: daemon)
            #expect(run.code == code && run.errors.contains(words), "\(run.errors)")
            #expect(run.errors.contains("kibo localsend") || run.errors.contains("kibo doctor"))
            #expect(run.output.isEmpty && !run.errors.contains("\u{1B}"))
        }
        #expect(daemon.requests("guest.give").isEmpty)
    }

    @Test("Without the option, no name is a device's")
    func withoutOption() {
        let daemon = self.daemon()
        #expect(CommandRun("send", "Old Laptop", "hello", daemon: daemon).code != .done)
        #expect(!daemon.methods.contains { $0.hasPrefix("guest.") })
    }

    @Test("A device that has the name of another one gets something only after a yes, or by its id")
    func namesake() {
        var phone = GuestCast.phone
        phone.namesake = true
        let id = phone.id
        let devices = [phone]
        for answers in [["n"], [""], []] {
            let daemon = self.daemon(devices: devices)
            let asked = run("nice", "/tmp", daemon: daemon, answers: answers)
            #expect(asked.code == .failed && asked.errors.contains("Nothing was sent."), "\(asked.errors)")
            #expect(asked.output.contains("may only pretend to be it") && asked.output.contains("192.168.1.7:53317"))
            #expect(!asked.output.contains("\u{1B}") && daemon.requests("guest.give").isEmpty)
        }
        #expect(run("nice", "/tmp", daemon: daemon(devices: devices), answers: ["y"]).code == .done)
        let refused = daemon(devices: devices)
        for words in [["nice", "/tmp"], ["0011", "/tmp"]] {
            let script = run(words[0], words[1], daemon: refused)
            #expect(script.code == .failed && script.errors.contains(id), "\(script.errors)")
        }
        #expect(run("nice", "/tmp", "--json", daemon: refused, answers: ["y"]).code == .failed)
        #expect(refused.requests("guest.give").isEmpty)
        #expect(run(id, "/tmp", daemon: daemon(devices: devices)).code == .done)
    }

    @Test("The user is told when others can read along")
    func plain() {
        let plain = run("old", "see you", daemon: daemon())
        #expect(plain.code == .done && plain.errors.contains("Old Laptop is not encrypted"), "\(plain.errors)")
        #expect(run("nice", "see you", daemon: daemon()).errors.isEmpty)
    }

    // MARK: What is given

    @Test("Words are files if all of them are, and else a text; no word is a person")
    func content() {
        for (words, content): ([String], JSONObject) in [
            (["see", "you", "at", "nine"], ["text": "see you at nine"]), (["Anna", "hello"], ["text": "Anna hello"]),
            (["Anna"], ["text": "Anna"]), (["--text", "/tmp"], ["text": "/tmp"]),
            (["/tmp", "/etc"], ["files": ["/tmp", "/etc"]]),
            (["--file", "/etc", "/tmp"], ["files": ["/etc", "/tmp"]]), (["-f", "/tmp"], ["files": ["/tmp"]]),
            (["/tmp", "--any-type"], ["files": ["/tmp"], "anyType": true]),
            (["/tmp", "--pin", "4711"], ["files": ["/tmp"], "pin": "4711"]),
        ] {
            let daemon = self.daemon()
            let run = CommandRun(words: ["send", "--to-device", "nice"] + words, daemon: daemon)
            #expect(run.code == .done, "\(words): \(run.errors)")
            var expected = content
            expected["device"] = .string(GuestCast.phone.id)
            let asked = daemon.requests("guest.give")
            #expect(asked.count == 1 && asked.first?.fields.count == expected.fields.count, "\(words)")
            for field in expected.fields { #expect(asked.first?[field.name] == field.value, "\(words)") }
        }
    }

    @Test("A link goes under the name that was typed")
    func link() throws {
        let directory = try TemporaryDirectory()
        try TextFile.write("x".utf8, to: directory.file("report.txt"))
        #expect(symlink("report.txt", directory.file("link")) == 0)
        let daemon = self.daemon()
        #expect(run("nice", directory.file("link"), daemon: daemon).code == .done)
        #expect(daemon.requests("guest.give").first?["names"] == ["link.txt"])
    }

    @Test("A file that may be mistyped is not sent as a text; the ways to say it name the device")
    func doubts() {
        let daemon = self.daemon()
        let missing = run("nice", "./raport.pdf", daemon: daemon)
        #expect(missing.code == .usage)
        #expect(
            missing.errors
                == "kibo: There is no file ./raport.pdf.\n"
                + "      To send these words: kibo send --to-device nice --text ./raport.pdf\n")
        let mixed = run("nice", "look", "/tmp", daemon: daemon)
        #expect(mixed.code == .usage && mixed.errors.contains("kibo send --to-device nice --text 'look /tmp'\n"))
        #expect(mixed.errors.contains("kibo send --to-device nice /tmp\n"), "\(mixed.errors)")
        let word = run("nice", "look", "--text", "x", daemon: daemon)
        #expect(word.code == .usage && word.errors.contains("There is no file look."), "\(word.errors)")
        #expect(run("nice", "/nonexistent/", "--text", "x", daemon: daemon).code == .failed)
        #expect(daemon.methods.isEmpty)
    }

    @Test("One offer has up to 32 files and folders")
    func many() {
        let daemon = self.daemon()
        let words = Array(repeating: "/tmp", count: SharedLimits.attachments)
        let many = CommandRun(words: ["send", "--to-device", "nice", "/tmp"] + words, daemon: daemon)
        #expect(many.code == .usage && many.errors.contains("32 files and folders at once"), "\(many.errors)")
        #expect(many.errors.contains("folder and give that") && daemon.methods.isEmpty)
        #expect(CommandRun(words: ["send", "--to-device", "nice"] + words, daemon: daemon).code == .done)
    }

    @Test(
        "What doesn't go together is a mistake of usage",
        arguments: [
            ["--to-device", "nice"], ["--to-device", "nice", ""], ["--to-device", "nice", "--text", ""],
            ["--to-device", "", "x"], ["--to-device", "nice", "x", "--reply", "last"],
            ["--to-device", "nice", "x", "--group"], ["--to-device", "nice", "x", "--wait", "done"],
            ["--to-device", "nice", "x", "--timeout", "3"], ["--to-device", "nice", "/tmp", "--text", "x"],
            ["--to-device", "nice", "look", "--file", "/tmp"], ["--to-device", "nice", "x", "--pin", ""],
            ["--to-device", "nice", "x", "--pin", String(repeating: "1", count: 33)],
            ["--to-device", "nice", "--text", "x", "-"],
            ["--to-device", "nice", "x", "--to-device", "old"], ["Anna", "x", "--pin", "1"],
            ["Anna", "x", "--no-wait"], ["--text", "x"], ["--file", "/tmp"],
        ])
    func usage(words: [String]) {
        let daemon = self.daemon()
        let run = CommandRun(words: ["send"] + words, daemon: daemon)
        #expect(run.code == .usage && run.output.isEmpty, "\(run.output)\(run.errors)")
        #expect(daemon.methods.isEmpty)
    }

    @Test("With nothing to give it says how to give something")
    func nothing() {
        #expect(
            run("Old Laptop", daemon: daemon()).errors
                == "kibo: There is nothing to send.\n      Give a text or files: kibo send --to-device 'Old Laptop' TEXT; "
                + "for standard input: kibo send --to-device 'Old Laptop' -\n")
    }

    // MARK: How it goes

    @Test("On a terminal it says whose answer is waited for, and then how far the files have gone")
    func following() {
        var sending = GuestCast.given(.sending)
        (sending.filesDone, sending.bytesDone) = (1, 2048)
        let waiting = GuestCast.given(.waiting)
        let daemon = self.daemon(waiting, sending, sending, sending, sending, sending, GuestCast.given(.taken))
        let run = self.run("nice", "/tmp", daemon: daemon, columns: 100)
        #expect(run.code == .done, "\(run.errors)")
        #expect(run.output.contains("Waiting for Nice\\u{1b}[2J Orange to take 2 files, 6.0 KiB"), "\(run.output)")
        #expect(run.output.contains("33 %"), "\(run.output)")
        #expect(run.output.contains("Done: \(Self.summary) in 0:0"), "\(run.output)")
        #expect(daemon.methods.filter { ["events.subscribe", "guest.give"].contains($0) }.first == "events.subscribe")
        // A pipe gets the end, and nothing that is drawn over.
        let pipe = self.run("nice", "/tmp", daemon: self.daemon(waiting, GuestCast.given(.taken)))
        #expect(pipe.output.hasPrefix("Done: "), "\(pipe.output)")
    }

    @Test("What the device's user has left out is said")
    func partly() {
        let run = self.run("nice", "/tmp", daemon: daemon(GuestCast.given(.taken, files: 1)))
        #expect(
            run.output
                == "Done: 1 file, 2.0 KiB to Nice\\u{1b}[2J Orange\nphoto.jpg\nNot taken by the device: 1 file\n"
                + "In your notes: kibo read @me\n", "\(run.errors)")
        #expect(run.code == .done)
    }

    @Test("An end without success is told with the reason and the remedy, and ends with 1")
    func ends() {
        for (state, problem, detail, words): (GuestOffer.State, Reason?, String?, [String]) in [
            (.declined, nil, nil, ["Declined: \(Self.summary)\n"]),
            (.withdrawn, nil, nil, ["Taken back: \(Self.summary)\n"]),
            (.expired, nil, nil, ["Not answered in time: \(Self.summary)\n", "somebody is at the device"]),
            (.failed, .cancelled, nil, ["Failed: \(Self.summary): the device has ended it\n"]),
            (.failed, .wrongPassphrase, nil, ["asks for a PIN", "--pin PIN"]),
            (.failed, .wrongPassphrase, "the PIN is wr\u{1B}ong", ["orange: the pin is wr\\u{1b}ong\n", "--pin PIN"]),
            (.failed, .keyChanged, nil, ["certificate", "WARNING: somebody on this network may be pretending"]),
            (.failed, .keyChanged, "odd", ["orange: odd\n", "WARNING: somebody on this network may be pretending"]),
            (.failed, .offline, nil, ["could not be reached", "Open LocalSend there"]),
            (.failed, .busy, nil, ["is busy", "in some minutes"]),
            (.failed, .noSpace, nil, ["the device's disk is full\n"]),
            (.failed, .invalid, nil, ["a file has changed meanwhile", "Send it again"]),
            (.failed, .internal, nil, ["something went wrong"]),
        ] {
            for done: Int64 in [0, 1] {
                var end = GuestCast.given(state, problem: problem, detail: detail)
                end.filesDone = done
                let run = self.run("nice", "/tmp", daemon: daemon(end))
                #expect(run.code == .failed && run.output.isEmpty, "\(run.output)")
                for part in words {
                    #expect(run.errors.lowercased().contains(part.lowercased()), "\(part): \(run.errors)")
                }
                #expect(run.errors.contains("Of these, 1 file arrived there") == (done == 1), "\(run.errors)")
                #expect(!run.errors.contains("\u{1B}"))
            }
        }
    }

    @Test("What the daemon refuses is told as that of any command")
    func refused() {
        let daemon = self.daemon()
        for (reason, code): (Reason, ExitCode) in [
            (.busy, .failed), (.notFound, .notFound), (.typeNotAllowed, .failed),
        ] {
            daemon.answer("guest.give") { _, _ in throw RPCError(ControlError(reason, "it is not possible")) }
            let run = self.run("nice", "/tmp", daemon: daemon)
            #expect(run.code == code && run.errors.contains("is not possible"), "\(run.errors)")
        }
    }

    @Test("Without waiting it says where to look; a program gets the offer as it is then, or as it has ended")
    func programs() throws {
        let daemon = self.daemon()
        let run = self.run("nice", "/tmp", "--no-wait", daemon: daemon)
        #expect(run.code == .done && run.output == "Offered: \(Self.summary). See: kibo localsend\n", "\(run.errors)")
        let json = self.run("nice", "/tmp", "--no-wait", "--json", daemon: daemon)
        #expect(try GuestOffer(json: JSONParser.parse(json.output)).state == .waiting)
        #expect(!daemon.methods.contains("events.subscribe"))
        let end = self.run("nice", "/tmp", "--json", daemon: self.daemon(GuestCast.given(.declined)))
        #expect(end.code == .failed)
        #expect(try GuestOffer(json: JSONParser.parse(end.output)).state == .declined)
    }

    @Test("Ctrl-C ends the waiting and nothing else")
    func interrupt() throws {
        let daemon = self.daemon(GuestCast.given(.waiting))
        let directory = try TemporaryDirectory()
        let output = directory.file("output")
        let child = try ChildProcess(
            ProgramPaths.kibo, ["--socket", daemon.path, "send", "--to-device", "nice", "hello"],
            environment: ["PATH": "/usr/bin:/bin", "LANG": "C.UTF-8", "NO_COLOR": "1"], outputPath: output)
        try Patience.until("it is offered") { daemon.requests("guest.give").count == 1 }
        try Patience.until("it waits") { try ProcessFigures.holdsInterrupts(child.pid) }
        child.signal(SIGINT)
        let end = child.wait(Patience.usual)
        let text = try TextFile.text(output)
        #expect(end == .exited(130), "\(text)")
        #expect(
            text.contains("It goes on in the background: kibo localsend. To end it: kibo localsend decline 019ac0e5"))
        #expect(daemon.requests("guest.decline").isEmpty)
    }
}
