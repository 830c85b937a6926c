import Basics
import ControlProtocol
import Testing
import Vocabulary

@testable import Media
@testable import kibo

struct TalkCommandTests {
    @Test("Whom the browser calls stands within the sentence, a group with a small letter")
    func callWords() {
        let group = Named(kind: .group, id: Cast.chat, name: "Hikers", word: ":Hikers")
        #expect(CallCommand.begun(group) == "Calling in the browser: the group Hikers.")
        let anna = Named(kind: .person, id: Cast.anna, name: "Anna", word: "Anna")
        #expect(CallCommand.begun(anna) == "Calling in the browser: Anna.")
    }

    @Test("A message goes to a person by name, with its words joined, and its state is said")
    func send() {
        for (state, line) in [
            (MessageState.queued, "Queued for Anna.\n"), (.sent, "Sent to Anna.\n"),
            (.delivered, "Delivered to Anna.\n"),
        ] {
            let daemon = FakeDaemon()
            daemon.answer("message.send") { params, _ in Cast.message(params.string("text"), state).json }
            let run = CommandRun("send", "Anna", "hello", "there", daemon: daemon)
            #expect(run.output == line)
            #expect(daemon.requests("message.send") == [["text": "hello there", "to": .string(Cast.anna)]])
            // Without waiting there is nothing to subscribe to.
            #expect(!daemon.methods.contains("events.subscribe"))
        }
    }

    @Test("A message for somebody who is away waits, and it is said who will keep it for them")
    func away() {
        for (code, end): (String?, String) in [
            ("goes_to_courier", ", and Ca\\u{1b}rl will keep it for them until they are back"),
            ("held", ", and Ca\\u{1b}rl will keep it for them until they are back"),
            ("courier_full", " and will get it when they are back"), (nil, " and will get it when they are back"),
        ] {
            let daemon = FakeDaemon()
            daemon.answer("message.send") { params, _ in Cast.message(params.string("text"), .queued).json }
            if let code {
                daemon.answerRaw("message.why") { _, _ in
                    [
                        "steps": [],
                        "now": [["code": .string(code), "parameters": ["name": "Bella", "courier": "Ca\u{1B}rl"]]],
                    ]
                }
            }
            let run = CommandRun("send", "Bella", "hello", daemon: daemon)
            #expect(run.output == "Queued for Bella: they are offline\(end).\n", "\(run.errors)")
            #expect(daemon.requests("message.why").count == 1)
            // Programs ask for it if they want to know.
            _ = CommandRun("send", "Bella", "hello", "--json", daemon: daemon)
            #expect(daemon.requests("message.why").count == 1)
        }
    }

    @Test("Words behind -- are text, whatever they look like; nothing at all is a mistake")
    func words() {
        let daemon = FakeDaemon()
        daemon.answer("message.send") { params, _ in Cast.message(params.string("text"), .sent).json }
        #expect(CommandRun("send", "Anna", "--", "--wait", "for me", daemon: daemon).code == .done)
        #expect(daemon.requests("message.send").first?["text"] == "--wait for me")
        #expect(CommandRun("send", "Anna", daemon: daemon).code == .usage)
        #expect(CommandRun("send", daemon: daemon).code == .usage)
        #expect(CommandRun("send", "Anna", "x", "--wait", "forever", daemon: daemon).code == .usage)
        #expect(CommandRun("send", "Anna", "x", "--file", "", daemon: daemon).code == .usage)
        let number = CommandRun("send", "Anna", "x", "--timeout", "-1", daemon: daemon)
        #expect(number.code == .usage && number.errors.contains("kibo help send"))
    }

    @Test("--wait delivered waits by events, which were asked for before the message was sent")
    func waiting() throws {
        let daemon = FakeDaemon()
        daemon.answer("message.send") { params, connection in
            connection.push(.messageChanged, Cast.message("", .sent).json)
            var other = Cast.message("", .failed)
            other.id = "019ac0de-9999-7000-8000-000000000001"
            connection.push(.messageChanged, other.json)
            connection.push(.messageChanged, Cast.message("", .delivered).json)
            return Cast.message(params.string("text"), .queued).json
        }
        let run = CommandRun("send", "Anna", "hello", "--wait", "delivered", daemon: daemon)
        #expect(run.code == .done && run.output == "Delivered to Anna.\n")
        #expect(daemon.methods.suffix(2) == ["events.subscribe", "message.send"])
        let json = CommandRun("send", "Anna", "hello", "--wait=delivered", "--json", daemon: daemon)
        #expect(try Message(json: JSONParser.parse(json.output)).state == .delivered)
    }

    @Test("Waiting ends with the reason when the message fails, and says when time is over what goes on")
    func waitingInVain() {
        let daemon = FakeDaemon()
        daemon.answer("message.send") { _, connection in
            var failed = Cast.message("", .failed)
            failed.recipients[0].reason = .keyChanged
            connection.push(.messageChanged, failed.json)
            return Cast.message("", .queued).json
        }
        let failed = CommandRun("send", "Anna", "x", "--wait", "delivered", daemon: daemon)
        #expect(failed.code == .failed && failed.errors.contains("the key has changed"))
        daemon.answer("message.send") { _, _ in Cast.message("", .queued).json }
        let late = CommandRun("send", "Anna", "x", "--wait", "sent", "--timeout", "1", daemon: daemon)
        #expect(late.code == .failed && late.errors.contains("within 1 s") && late.errors.contains("queued"))
    }

    @Test("A gap in the events is bridged by asking")
    func gap() {
        let daemon = FakeDaemon()
        daemon.answer("message.send") { _, connection in
            connection.push(.gap, ["from": 1, "to": 2])
            return Cast.message("", .queued).json
        }
        daemon.answer("message.get") { _, _ in Cast.message("", .read).json }
        #expect(CommandRun("send", "Anna", "x", "--wait", "delivered", daemon: daemon).output == "Read by Anna.\n")
    }

    @Test("Files go with their paths from the root; one that is not there is said before anything is sent")
    func files() {
        let daemon = FakeDaemon()
        daemon.answer("message.send") { _, _ in
            let file = Attachment(
                transfer: Cast.song, name: "tmp", size: 2048, kind: .folder, mediaType: "", state: .offered)
            return Cast.message("", .sent, attachments: [file]).json
        }
        let run = CommandRun("send", "Anna", "--file", "/tmp", "-f.", daemon: daemon)
        #expect(run.code == .done && run.output.contains("Offered: tmp, 2.0 KiB"))
        let files = daemon.requests("message.send").first?["files"]?.array?.compactMap(\.string) ?? []
        #expect(files.first == "/tmp" && files.last?.hasPrefix("/") == true && files.last?.hasSuffix("/.") == false)
        let missing = CommandRun("send", "Anna", "--file", "/nonexistent", daemon: daemon)
        #expect(missing.code == .failed && missing.errors.contains("/nonexistent: No such file"))
        #expect(daemon.requests("message.send").count == 1)
    }

    @Test("The files of a message are shown with their kind, their state and the reason in words")
    func attachments() {
        let daemon = FakeDaemon()
        daemon.answer("message.list") { _, _ in
            // This is a closure, since the type's name means something else beside Swift Testing.
            let file = { (name: String, kind: AttachmentKind, state: TransferState, reason: Reason?, removed: Bool) in
                Attachment(
                    transfer: Cast.report, name: name, size: 2048, kind: kind, mediaType: "", state: state,
                    path: state == .done && !removed ? "/d/" + name : nil, reason: reason, removed: removed)
            }
            let message = Cast.message(
                "", .received,
                attachments: [
                    file("a.jpg", .image, .done, nil, true), file("b.mp3", .audio, .done, nil, false),
                    file("c", .folder, .declined, .typeNotAllowed, false),
                    file("d.mp4", .video, .paused, nil, false), file("e.pdf", .document, .paused, .noSpace, false),
                ])
            var timed = message
            timed.attachments[1].duration = 185_400
            timed.sender = Cast.anna
            var own = Cast.message("", .read, attachments: [file("own.txt", .document, .done, nil, false)])
            own.attachments[0].skipped = 2
            return ["messages": [timed.json, own.json], "hasMore": false]
        }
        let output = CommandRun("read", "anna", daemon: daemon).output
        for text in [
            "[a.jpg, picture, 2.0 KiB] removed here", "[b.mp3, audio, 3:05, 2.0 KiB] /d/b.mp3",
            "[c, folder, 2.0 KiB] declined: this type of file is not taken", "[d.mp4, video, 2.0 KiB] paused",
            "[e.pdf, 2.0 KiB] waits: no space on the disk", "[own.txt, 2.0 KiB] done, 2 left out",
        ] { #expect(output.contains(text), "\(text) in \(output)") }
    }

    @Test("Reading shows days, senders, states and files, and no sender can forge a line")
    func read() {
        let daemon = FakeDaemon()
        daemon.answer("message.list") { params, _ in
            var first = Cast.message("line one\n12:00 you: forged\u{1B}[31m", .received)
            first.sender = Cast.anna
            first.sentAt = Cast.noon - 86_400_000
            first.attachments = [
                Attachment(
                    transfer: Cast.report, name: "a\u{202E}.pdf", size: 1, kind: .document, mediaType: "",
                    state: .offered)
            ]
            return ["messages": [first.json, Cast.message("mine", .queued).json], "hasMore": true]
        }
        let run = CommandRun("read", "anna", "-n", "2", daemon: daemon)
        #expect(run.code == .done)
        #expect(daemon.requests("message.list") == [["conversation": .string(Cast.chat), "limit": 2]])
        for text in [
            "— Yesterday —", "— Today —", "Anna: line one\n        12:00 you: forged\\u{1b}[31m\n", "you: mine  queued",
            #"[a\u{202e}.pdf, 1 B] offered – take it with: kibo get \#(Cast.report)"#, "kibo read anna --before p1",
        ] {
            #expect(run.output.contains(text), "\(text)")
        }
        #expect(CommandRun("read", "Bella", daemon: daemon).output.contains("no messages with Bella"))
    }

    @Test("Chats show what is new and the last words on one line")
    func chats() {
        let run = CommandRun("chats", daemon: FakeDaemon())
        #expect(run.output.contains("you: see you later"))
        #expect(run.output.split(separator: "\n").count == 2)
    }

    @Test("An empty list of chats says why it is empty, a cut one says that there is more, and WHEN orders it")
    func chatsSayWhy() {
        let daemon = FakeDaemon()
        daemon.answer("conversation.list") { _, _ in
            var chat = Cast.conversations[0]
            chat.updatedAt = Cast.noon - 7_200_000
            return ["conversations": [chat.json], "next": "abc"]
        }
        let run = CommandRun("chats", "-n", "1", daemon: daemon)
        #expect(run.output.contains("2 h ago") && run.output.contains("more than 1:"))
        daemon.answer("conversation.list") { _, _ in ["conversations": []] }
        let cut = CommandRun("chats", "--tsv", daemon: FakeDaemon()).output.split(separator: "\n")
        #expect(!cut.isEmpty && cut.allSatisfy { $0.split(separator: "\t").last?.count == 36 }, "\(cut)")
        #expect(CommandRun("chats", "zz", daemon: daemon).output == "No conversation matches \"zz\".\n")
        #expect(CommandRun("chats", "--archived", daemon: daemon).output == "No conversation is archived.\n")
        #expect(CommandRun("chats", daemon: daemon).output.contains("Start one"))
    }

    @Test("A consumer without a name and a kind of event that there is none of are mistakes on the command line")
    func watchUsage() {
        let empty = CommandRun("watch", "--consumer", "", daemon: FakeDaemon())
        #expect(empty.code == .usage && empty.errors.contains("--consumer"))
        let type = CommandRun("watch", "--type", "message.aded", daemon: FakeDaemon())
        #expect(type.code == .usage && type.errors.contains("message.added"))
    }

    @Test("Watching prints a line for each event, remembers its place, and ends when the daemon does")
    func watch() throws {
        let daemon = FakeDaemon()
        daemon.answer("events.subscribe") { _, connection in
            var message = Cast.message("hello", .received)
            message.sender = Cast.anna
            connection.push(.messageAdded, message.json, change: .insert)
            connection.push(.peerVanished, Cast.peers[1].json, isHostile: true)
            connection.push(.transferChanged, Cast.transfers[2].json)
            return FakeDaemon.subscribed
        }
        daemon.answer("events.ack") { _, _ in throw RPCError(ControlError(.internal, "enough")) }
        let run = CommandRun("watch", "--consumer", "me", "--since", "0", daemon: daemon)
        #expect(run.code == .failed && run.errors.contains("enough"))
        #expect(daemon.requests("events.subscribe") == [["consumer": "me", "since": 0]])
        let epoch = try #require(FakeDaemon.subscribed["epoch"])
        #expect(daemon.requests("events.ack") == [["consumer": "me", "seq": 5, "epoch": epoch]])
        #expect(run.output.contains("Anna: hello\n") && run.output.contains(#"Mal\u{1b}[2Jlory\u{202e} has left"#))
        #expect(run.output.contains("report.pdf (1.0 KiB) from Anna: offered – kibo get \(Cast.report)"))
        let json = CommandRun("watch", "--json", "--consumer", "me", daemon: daemon).output.split(separator: "\n")
        #expect(
            try json.map { try Event(json: JSONParser.parse(String($0))).type }
                == ["message.added", "peer.vanished", "transfer.changed"])
    }
}
