import Basics
import ControlProtocol
import Glibc
import Testing

@testable import Media
@testable import kibo

struct AddressBookCommandTests {
    private static let anna = AddressBookEntry(
        id: "019ac0de-0000-7000-8000-000000000001", name: "Anna Schmidt",
        phones: [
            .init(number: "0170 1234567", e164: "+491701234567", prefix: "+49", national: "1701234567", region: "DE")
        ], emails: ["anna@example.org"],
        matches: [.init(account: Cast.anna, displayName: "Anna", relation: .friend, here: true)])
    private static let annika = AddressBookEntry(
        id: "019ac0de-0000-7000-8000-000000000002", name: "Annika\u{1B}[2J", phones: [.init(number: "110")])

    private func daemon() -> FakeDaemon {
        let daemon = FakeDaemon()
        daemon.answer("addressBook.list") { params, _ in
            let all = [Self.anna, Self.annika].filter { entry in
                params.optionalBool("onKibo").map { $0 == entry.onKibo } ?? true
            }
            // Each page has an answer.
            let page = params.optionalString("after") == nil ? all.prefix(1) : all.dropFirst()
            var result: JSONObject = ["entries": .array(page.map(\.json)), "total": .integer(Int64(all.count))]
            if params.optionalString("after") == nil, all.count > 1 { result["next"] = "x" }
            return .object(result)
        }
        daemon.answer("settings.get") { _, _ in
            Setting(key: "invite.text", value: "Hi\n{name}", standard: "", type: "string", description: "", limits: nil)
                .json
        }
        return daemon
    }

    @Test("An import says what was taken, which country counts, and what was left out")
    func importing() throws {
        let daemon = daemon()
        daemon.answer("addressBook.import") { params, _ in
            var done = AddressBookImport()
            done.added = 12
            done.skipped = 1
            done.problemCount = 12
            done.problems = (1...12).map { .init(line: $0, name: "A\u{7}", problem: .notEmail, detail: "x\u{7}") }
            if params.has("defaultCountry") { return done.json }
            done.numbersWithoutCountry = 3
            return done.json
        }
        var template = Array("/tmp/kibo-cards-XXXXXX".utf8CString)
        close(mkstemp(&template))
        let path = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
        defer { unlink(path) }
        let run = CommandRun("addressbook", "import", path, daemon: daemon)
        #expect(run.code == .done, "\(run.errors)")
        #expect(run.output.hasPrefix("Imported \(path): 12 new, 1 left out.\n3 numbers without + can't be matched"))
        #expect(run.output.contains("  line 1  A\\u{7}: not an e-mail address: x\\u{7}\n"))
        #expect(run.output.contains("and 2 more"))
        let other = CommandRun("addressbook", "import", path, "--country", "DE", "--replace", daemon: daemon)
        #expect(!other.output.contains("without +"))
        #expect(
            daemon.requests("addressBook.import").last == [
                "path": .string(path), "defaultCountry": "DE", "replace": true,
            ])
        #expect(CommandRun("addressbook", "import", "/no/such", daemon: daemon).code == .failed)
    }

    @Test("The list shows numbers in their two parts, the people who are on Kibo, and all pages")
    func list() {
        let run = CommandRun("addressbook", "list", daemon: daemon())
        #expect(run.code == .done)
        let lines = run.output.split(separator: "\n").map(String.init)
        #expect(lines.count == 3 && lines[0].hasPrefix("NAME") && lines[0].hasSuffix("ON KIBO"))
        #expect(lines[1].contains("+49 1701234567") && lines[1].hasSuffix("yes: Anna, a friend"))
        #expect(lines[2].hasPrefix("Annika\\u{1b}[2J") && lines[2].contains("110") && lines[2].hasSuffix("no"))
        #expect(
            CommandRun("addressbook", "list", "--not-on-kibo", daemon: daemon()).output.split(separator: "\n").count
                == 2)
    }

    @Test(
        "Mistakes are told with what would be right",
        arguments: [
            (["addressbook"], "ACTION"), (["addressbook", "lst"], "list"), (["addressbook", "import"], "FILE"),
            (["addressbook", "list", "--country", "DE"], "import"),
            (["addressbook", "list", "--on-kibo", "--not-on-kibo"], "both"),
            (["invite"], "ENTRY"), (["invite", "Anna"], "--email or --sms"),
            (["invite", "Anna", "--email", "--sms"], "--email or --sms"),
            (["invite", "Anna", "--email", "--send", "--together"], "--together"),
        ])
    func mistakes(words: [String], part: String) {
        let daemon = daemon()
        let run: CommandRun
        switch words.count {
        case 1: run = CommandRun(words[0], daemon: daemon)
        case 2: run = CommandRun(words[0], words[1], daemon: daemon)
        case 4: run = CommandRun(words[0], words[1], words[2], words[3], daemon: daemon)
        default:
            run = CommandRun(
                words[0], words[1], words[2], words.count > 3 ? words[3] : "--", words.count > 4 ? words[4] : "--",
                daemon: daemon)
        }
        #expect(run.code == .usage && run.errors.contains(part), "\(words): \(run.errors)")
    }

    @Test("Entries go by name, address or number; a name of two is told; links and people left out are printed")
    func invite() {
        let daemon = daemon()
        daemon.answer("invite.compose") { params, _ in
            var done = Invitations()
            done.links = ["mailto:anna@example.org?body=x"]
            done.recipients = [.init(entry: Self.anna.id, name: Self.anna.name, to: "anna@example.org", text: "x")]
            done.failed = [
                .init(
                    entry: Self.annika.id, name: Self.annika.name, reason: .alreadyExists,
                    detail: "is on Kibo already")
            ]
            return done.composed
        }
        for word in ["Anna Schmidt", "anna@example.org", "+491701234567", "0170 123"] {
            let run = CommandRun("invite", word, "110", "--email", "--text", "Hi", daemon: daemon)
            #expect(
                daemon.requests("invite.compose").last == [
                    "entries": [.string(Self.anna.id), .string(Self.annika.id)], "via": "email", "text": "Hi",
                ])
            #expect(run.code == .failed)
            #expect(
                run.output.hasPrefix("1 invitation. Open a link")
                    && run.output.hasSuffix("Anna Schmidt, anna@example.org\n  mailto:anna@example.org?body=x\n"))
            #expect(
                run.errors.hasPrefix("Not invited: Annika\\u{1b}[2J is on Kibo already.\n")
                    && run.errors.contains("--even-on-kibo"))
        }
        let ambiguous = CommandRun("invite", "ann", "--email", daemon: daemon)
        // The person who is not on Kibo is meant.
        #expect(
            ambiguous.code == .failed && daemon.requests("invite.compose").last?["entries"] == [.string(Self.annika.id)]
        )
        // The daemon finds names without their accents; nothing here begins so.
        daemon.answer("addressBook.list") { params, _ in
            ["entries": params.optionalString("query") == "nik" ? [Self.annika.json] : [], "total": 1]
        }
        let folded = CommandRun("invite", "nik", "--email", daemon: daemon)
        #expect(daemon.requests("invite.compose").last?["entries"] == [.string(Self.annika.id)], "\(folded.errors)")
        #expect(CommandRun("invite", "nobody", "--sms", daemon: daemon).code == .notFound)
    }

    @Test("--send names the people to whom it went; the editor changes the text, and nothing is sent without it")
    func send() throws {
        let daemon = daemon()
        daemon.answer("invite.send") { params, _ in
            var done = Invitations()
            done.sent = 1
            done.recipients = [.init(entry: Self.anna.id, name: Self.anna.name, to: "+491701234567", text: "")]
            return done.delivered
        }
        let run = CommandRun("invite", "Anna Schmidt", "--sms", "--send", daemon: daemon)
        #expect(run.code == .done && run.output == "Sent to Anna Schmidt, +491701234567.\n", "\(run.errors)")
        #expect(daemon.requests("invite.send") == [["entries": [.string(Self.anna.id)], "via": "sms"]])
        #expect(try TextEditor.edit("Hi\n{name}", named: "a b.txt", editor: "sed -i s/Hi/Hello/") == "Hello\n{name}")
        #expect(
            try TextEditor.edit("Hi\nyou", named: "a", editor: "sed -i 's/$/\\r/; 1s/^/\\xEF\\xBB\\xBF/'") == "Hi\nyou")
        for (editor, part) in [
            ("false", "editor false failed"), ("kibo-no-editor 2>/dev/null", "failed"), ("cp /dev/null", "is empty"),
        ] {
            #expect {
                try TextEditor.edit("x", named: "a", editor: editor)
            } throws: { ($0 as? Failure)?.message.contains(part) == true }
        }
    }
}
