import Basics
import ControlProtocol
import TestSupport
import Testing
import Vocabulary

@testable import Media
@testable import kibo

/// Goal: what was typed is sent as it was meant, or not at all.
@Suite("The words behind kibo send")
struct SendWordsTests {
    private let known = SendWords.Surroundings(
        isFile: { ["report.pdf", "photos", ".", "/etc/hosts", "ben", "notes"].contains($0) },
        isName: CalledNames(["Ben", "Anna", "Anna Berg", "Hikers"]).has,
        isWholeName: CalledNames(["Ben", "Anna", "Anna Berg", "Hikers"]).hasWhole)

    private func read(_ line: String, text: String? = nil, hasFiles: Bool = false) -> Result<SendWords, SendWords.Doubt>
    {
        Result { () throws(SendWords.Doubt) in
            try SendWords(line.split(separator: " ").map(String.init), text: text, hasFiles: hasFiles, known)
        }
    }

    @Test("A text stays a text; files are files if all words are; names come before files")
    func meanings() throws {
        func expect(_ line: String, _ words: SendWords, text: String? = nil, hasFiles: Bool = false) {
            #expect(read(line, text: text, hasFiles: hasFiles) == .success(words), "\(line)")
        }
        expect("ben hello there", SendWords(receivers: ["ben"], text: "hello there"))
        expect("ben hello", SendWords(receivers: ["ben"], text: "hello"))
        expect("ben I met Anna", SendWords(receivers: ["ben"], text: "I met Anna"))
        expect("ben well ...", SendWords(receivers: ["ben"], text: "well ..."))
        expect("ben :-)", SendWords(receivers: ["ben"], text: ":-)"))
        expect("ben", SendWords(receivers: ["ben"]), hasFiles: true)
        expect("ben look at this", SendWords(receivers: ["ben"], text: "look at this"), hasFiles: true)
        expect("ben report.pdf photos", SendWords(receivers: ["ben"], files: ["report.pdf", "photos"]))
        expect("ben .", SendWords(receivers: ["ben"], files: ["."]))
        // Faces, links and places in sentences are no paths.
        for text in [
            ":/", "\\o/", "</3", "https://example.org/a.pdf", "kibo:kibo1x/y", "example.org", "e.g.", "and/or not",
            "./configure fails here", "/etc/motd is empty", "raport.pdf is late",
        ] {
            expect("ben \(text)", SendWords(receivers: ["ben"], text: text))
        }
        expect("ben anna :hikers report.pdf", SendWords(receivers: ["ben", "anna", ":hikers"], files: ["report.pdf"]))
        expect("ben anna", SendWords(receivers: ["ben", "anna"]), hasFiles: true)
        expect("ben -", SendWords(receivers: ["ben"], readsInput: true))
        expect("ben anna report.pdf -", SendWords(receivers: ["ben", "anna"], files: ["report.pdf"], readsInput: true))
        expect("ben anna notes", SendWords(receivers: ["ben", "anna"], files: ["notes"], text: "Look"), text: "Look")
        // What is neither is somebody who is not known, or a file that is not there: others say so.
        expect("ben x/y z", SendWords(receivers: ["ben", "z"], files: ["x/y"], text: "Look"), text: "Look")
    }

    @Test("What may mean two things is a doubt, and never sent without asking")
    func doubts() {
        func expect(_ line: String, _ doubt: SendWords.Doubt, text: String? = nil) {
            #expect(read(line, text: text) == .failure(doubt), "\(line)")
        }
        func asText(_ text: String) -> SendWords { SendWords(receivers: ["Ben"], text: text) }
        expect("Ben see report.pdf", .file("report.pdf", asText: asText("see report.pdf")))
        expect(
            "Ben see report.pdf reprot.pdf",
            .file("report.pdf", missing: "reprot.pdf", asText: asText("see report.pdf reprot.pdf")))
        // Where all words look like files, one that isn't there is mistyped.
        expect("Ben report.pdf reprot.pdf", .noFile("reprot.pdf", asText: asText("report.pdf reprot.pdf")))
        expect("Ben photos photo/a.jpg", .noFile("photo/a.jpg", asText: asText("photos photo/a.jpg")))
        expect("Ben Anna report.pdf reprot.pdf", .noFile("reprot.pdf", asText: asText("Anna report.pdf reprot.pdf")))
        expect("Ben Anna reprot.pdf", .noFile("reprot.pdf", asText: asText("Anna reprot.pdf")))
        for word in ["./raport.pdf", "~/raport", "../x", "/raport", "photos2/", "raport.pdf", "raport.PDF", "a.tar.gz"]
        {
            expect("Ben \(word)", .noFile(word, asText: asText(word)))
        }
        for word in ["raport.exe", "build.sh", "main.swift", ".bashrc", "file:///tmp/x.pdf", "C:\\raport.pdf"] {
            expect("Ben \(word)", .noFile(word, asText: asText(word)))
        }
        // A path to a file is none within a sentence either, and none with blanks.
        expect("Ben see ./raport.pdf please", .noFile("./raport.pdf", asText: asText("see ./raport.pdf please")))
        #expect(
            Result { () throws(SendWords.Doubt) in
                try SendWords(["Ben", "~/my raport.pdf"], text: nil, hasFiles: false, known)
            } == .failure(.noFile("~/my raport.pdf", asText: asText("~/my raport.pdf"))))
        expect("Ben raport.pdf ./foto.jpg", .noFile("raport.pdf", asText: asText("raport.pdf ./foto.jpg")))
        expect("Ben Anna likes report.pdf", .name("Anna", asText: asText("Anna likes report.pdf")))
        expect("Ben notes Yes... e.g. at 9", .file("notes", asText: asText("notes Yes... e.g. at 9")))
        expect("Ben report.pdf please", .file("report.pdf", asText: asText("report.pdf please")))
        expect("Ben anna hello", .name("anna", asText: asText("anna hello")))
        expect("Ben anna", .name("anna", asText: asText("anna")))
        expect("Ben :hikers", .name(":hikers", asText: asText(":hikers")))
        expect("Anna Berg hello", .spacedName(["Anna Berg", "hello"]))
        expect("anna berg -", .spacedName(["anna berg", "-"]))
        expect("Anna photos ben", .nameAndFile("ben"))
        expect("Anna ben", .nameAndFile("ben"), text: "Look")
        expect("Ben -", .twoTexts, text: "Look")
    }

    @Test("Names are told from words by whole words, in any case, and ids by their beginning")
    func names() {
        let names = CalledNames(["Anna Berg", "李明", "", "Zoë"], ids: ["kibo1qqqqqqqq"])
        for word in ["anna", "ANNA BERG", "李明", "zoë", ":anna", "kibo1qqq"] { #expect(names.has(word), "\(word)") }
        for word in ["ann", "berg", "", ":", ":-)", "kibo1", "李", "anna berg x"] {
            #expect(!names.has(word), "\(word)")
        }
        #expect(names.hasWhole("anna  berg") && !names.hasWhole("anna") && !names.hasWhole(""))
    }

    private func daemon() -> FakeDaemon {
        let daemon = FakeDaemon.withGroup()
        daemon.answer("events.subscribe") { _, _ in FakeDaemon.subscribed }
        daemon.answer("message.send") { params, _ in
            var message = Cast.message(params.string("text"), .sent)
            message.recipients = [.init(id: params.string("to"), state: .sent, at: Cast.noon)]
            return message.json
        }
        return daemon
    }

    @Test("Several get the same, each a message of their own; a second name of one person counts once")
    func several() throws {
        let daemon = daemon()
        let run = CommandRun("send", "Anna", "Bella", "annabel", "--text", "Nine at the station", daemon: daemon)
        #expect(run.code == .done, "\(run.errors)")
        #expect(run.output == "Sent to Anna.\nSent to Bella.\n")
        #expect(daemon.requests("message.send").map { $0["to"]?.string } == [Cast.anna, Cast.annabel])
        let json = try JSONParser.parse(
            CommandRun("--json", "send", "Anna", "Bella", "--text", "x", daemon: daemon).output)
        #expect(json["messages"]?.array?.count == 2 && json["refused"] == nil)
    }

    @Test("If one of several can't get it, nobody does")
    func allOrNone() {
        let daemon = daemon()
        for other in ["Nobody", "Bob"] {
            let run = CommandRun("send", "Anna", other, "--text", "x", daemon: daemon)
            #expect(run.code != .done && run.output.isEmpty, "\(other)")
        }
        #expect(daemon.requests("message.send").isEmpty)
    }

    @Test("What is refused late is said for each; the others have theirs")
    func refusedLate() throws {
        let daemon = daemon()
        daemon.answer("message.send") { params, _ in
            if params.string("to") == Cast.annabel { throw RPCError(ControlError(.noSpace, "the disk is full")) }
            return Cast.message("x", .sent).json
        }
        let run = CommandRun("send", "Anna", "Bella", "--text", "x", daemon: daemon)
        #expect(run.code == .failed && run.output == "Sent to Anna.\n")
        #expect(run.errors == "kibo: Not sent to Bella: the disk is full.\n")
        let json = CommandRun("--json", "send", "Anna", "Bella", "--text", "x", daemon: daemon)
        let refused = try JSONParser.parse(json.output)["refused"]?.array?.first
        #expect(json.code == .failed && refused?["to"]?.string == Cast.annabel)
    }

    @Test("In a script a doubt sends nothing and lists the ways to say it")
    func script() {
        let daemon = daemon()
        let run = CommandRun("send", "Anna", "Bella", "see", "you", daemon: daemon)
        #expect(run.code == .usage && run.errors.contains("\"Bella\" is also the name of a person or group"))
        #expect(run.errors.contains("kibo send Anna --text 'Bella see you'"))
        #expect(run.errors.contains("kibo send Anna Bella --text 'see you'"))
        let file = CommandRun("send", "Anna", "look", "/tmp", daemon: daemon)
        #expect(file.code == .usage && file.errors.contains("kibo send Anna --text look /tmp"))
        #expect(daemon.requests("message.send").isEmpty)
        #expect(CommandRun("send", "Anna", "/tmp", daemon: daemon).code == .done)
        #expect(daemon.requests("message.send").last?["files"] == ["/tmp"])
    }

    @Test("A file that is mistyped is named, and its name is not sent as a text")
    func mistyped() throws {
        let daemon = daemon()
        let directory = try TemporaryDirectory()
        let (file, missing) = (directory.file("a.txt"), directory.file("nothere.txt"))
        try TextFile.write("x".utf8, to: file)
        for answers in [nil, ["y"]] {
            let run = CommandRun("send", "Anna", "Bella", file, missing, daemon: daemon, columns: 80, answers: answers)
            #expect(run.code == .usage && run.errors.contains("There is no file \(missing)."), "\(run.errors)")
            #expect(run.errors.contains("kibo send Anna --text"))
        }
        let alone = CommandRun("send", "Anna", "./raport.pdf", daemon: daemon)
        #expect(alone.code == .usage)
        #expect(
            alone.errors
                == "kibo: There is no file ./raport.pdf.\n      To send these words: kibo send Anna --text ./raport.pdf\n"
        )
        #expect(daemon.requests("message.send").isEmpty)
        for words in [["see ./raport.pdf"], ["--text", "./raport.pdf"]] {
            #expect(CommandRun(words: ["send", "Anna"] + words, daemon: daemon).code == .done, "\(words)")
        }
    }

    @Test("Without a text or files it says how to give them, also from standard input")
    func nothing() {
        for words in [[], [""], ["", ""], ["--text", ""]] {
            let run = CommandRun(words: ["send", "Anna"] + words, daemon: daemon())
            #expect(run.code == .usage)
            #expect(
                run.errors
                    == "kibo: There is nothing to send.\n"
                    + "      Give a text or files: kibo send Anna TEXT; for standard input: kibo send Anna -\n",
                "\(words)")
        }
    }

    @Test("--wait tells what has become of the files: declined is a failure, held back is said")
    func answers() {
        let daemon = daemon()
        func answer(_ state: TransferState, _ reason: Reason?, _ held: HoldReason?, unlisted: [String]?) {
            daemon.answer("message.send") { _, connection in
                let file = Attachment(
                    transfer: Cast.song, name: "a.zip", size: 2048, kind: .other, mediaType: "", state: state,
                    reason: reason,
                    heldBack: held, unlisted: unlisted)
                connection.push(.messageChanged, Cast.message("", .delivered, attachments: [file]).json)
                var offered = file
                (offered.state, offered.heldBack, offered.reason) = (.offered, nil, nil)
                return Cast.message("", .queued, attachments: [offered]).json
            }
        }
        answer(.declined, .typeNotAllowed, nil, unlisted: nil)
        let declined = CommandRun("send", "Anna", "/tmp", "--wait", "delivered", daemon: daemon)
        #expect(declined.code == .failed, "\(declined.output)")
        #expect(
            declined.errors.contains(
                "a.zip, 2.0 KiB: declined: this type of file is not taken\nWith --any-type, Anna is asked to take it anyway"
            ))
        #expect(!declined.output.contains("Offered"))
        answer(.offered, nil, .type, unlisted: ["zip"])
        let held = CommandRun("send", "Anna", "/tmp", "--any-type", "--wait", "delivered", daemon: daemon)
        #expect(held.code == .done && held.output.contains("a.zip, 2.0 KiB: held back by Anna (type zip)."))
        #expect(daemon.requests("message.send").last?["anyType"] == true)
    }
}
