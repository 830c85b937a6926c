import Basics
import ControlProtocol
import Testing

@testable import kibo

struct ChatSlashTests {
    @Test("Lines with a slash are commands, by whole names, beginnings and other names; two slashes are a text")
    func lines() {
        #expect(SlashCommand.read("hello /help") == .message("hello /help"))
        #expect(SlashCommand.read("//etc") == .message("/etc"))
        #expect(SlashCommand.read("/etc/passwd") == .unknown("/etc/passwd") && SlashCommand.read("/") == .unknown("/"))
        #expect(SlashCommand.read("/re x") == .unknown("/re"))
        for (text, name, shortID, rest): (String, SlashCommand.Name, String?, String) in [
            ("/help", .help, nil, ""), ("/HELP", .help, nil, ""), ("/q", .quit, nil, ""),
            ("/reply  #12ab  so be it ", .reply, "12ab", "so be it"), ("/reply so be it", .reply, nil, "so be it"),
            ("/del all", .delete, nil, "all"), ("/search #1", .search, nil, "#1"), ("/file\n~/a", .file, nil, "~/a"),
        ] {
            #expect(SlashCommand.read(text) == .command(.init(name: name, shortID: shortID, rest: rest)), "\(text)")
        }
    }

    @Test("Paths are read as in a shell, with blanks in quotes and behind backslashes, and home")
    func paths() {
        let cases: [(String, [String]?)] = [
            ("a b", ["a", "b"]), ("'a b' c", ["a b", "c"]), (#""a \"b" d"#, [#"a "b"#, "d"]), (#"a\ b"#, ["a b"]),
            ("~ ~/x '~/y' a~", ["/h", "/h/x", "~/y", "a~"]), ("  ", []), ("''", [""]), ("'a", nil), ("a\\", nil),
            (#"'a\b'"#, [#"a\b"#]),
        ]
        for (text, words) in cases { #expect(PathWords.read(text, home: "/h") == words, "\(text)") }
    }

    @Test("Commands for a message take the named one, the selected one, or the newest that fits")
    func targets() {
        let messages = [
            ChatScene.message(1, "hers"), ChatScene.message(2, "mine", from: Cast.own),
            ChatScene.message(3, "hers too"),
        ]
        let scene = ChatScene(columns: 60, messages: messages)
        scene.write("/edit better")
        #expect(scene.calls().last == "message.edit {\"id\":\"\(messages[1].id)\",\"text\":\"better\"}")
        scene.write("/react 👍")
        #expect(scene.calls().last == "message.react {\"id\":\"\(messages[2].id)\",\"emoji\":\"👍\"}")
        scene.write("/delete #0001")
        #expect(scene.calls().last == "message.delete {\"id\":\"\(messages[0].id)\",\"for\":\"me\"}")
        scene.press(.previous, .previous)
        #expect(scene.screen.contains("12:00»you"))
        scene.write("/delete all")
        #expect(scene.calls().last == "message.delete {\"id\":\"\(messages[1].id)\",\"for\":\"all\"}")
        #expect(scene.controller.state.selection == nil)
        scene.write("/why #9999")
        #expect(scene.calls().isEmpty && scene.screen.contains("No message here is called #9999"))
        #expect(scene.controller.state.composer.editor.text.isEmpty, "a command that failed leaves a clean line")
    }

    @Test("An answer and an edit can be written at leisure, and given up")
    func modes() {
        let messages = [ChatScene.message(1, "hers"), ChatScene.message(2, "mine", from: Cast.own)]
        let scene = ChatScene(columns: 60, messages: messages)
        scene.write("/reply")
        #expect(scene.screen.contains("Replying to: hers"))
        scene.write("yes")
        #expect(scene.calls().last?.contains("\"replyTo\":\"\(messages[0].id)\"") == true)
        scene.write("/edit")
        #expect(scene.screen.contains("e mine") && scene.screen.contains("Editing: mine"))
        scene.press(.text("!"), .enter)
        #expect(scene.calls().last == "message.edit {\"id\":\"\(messages[1].id)\",\"text\":\"mine!\"}")
        scene.refuse(
            .edited(messages[1].id, text: "mine!", asOf: 0), RPCError(ControlError(.notAllowed, "too late")))
        #expect(scene.screen.contains("e mine!") && scene.screen.contains("Not edited: too late"))
        scene.press(.escape)
        scene.write("/edit")
        scene.press(.escape)
        #expect(scene.controller.state.composer.purpose == .message && scene.controller.state.composer.editor.isEmpty)
    }

    @Test("Changes of others are seen at once: edits, reactions, deletions for all and for me")
    func changes() {
        var message = ChatScene.message(1, "hello")
        let scene = ChatScene(columns: 60, messages: [message])
        message.text = "hallo"
        message.editedAt = Cast.noon
        message.reactions = [.init(account: Cast.anna, emoji: "🎉")]
        scene.happen(.messageChanged, message.json)
        #expect(scene.screen.contains("hallo  (edited)\n            🎉 Anna"))
        message.deleted = true
        message.text = ""
        scene.happen(.messageChanged, message.json)
        #expect(scene.screen.contains("(deleted)") && !scene.screen.contains("🎉"))
        scene.happen(.messageRemoved, ["id": .string(message.id), "conversation": .string(Cast.chat)])
        #expect(!scene.screen.contains("(deleted)"))
    }

    @Test("Files go out by path, and offered ones are taken or refused, by name where there are several")
    func files() {
        var message = ChatScene.message(1, "")
        message.attachments = [("a.pdf", Cast.report), ("b.pdf", Cast.photos)].map {
            Attachment(transfer: $0.1, name: $0.0, size: 1, kind: .document, mediaType: "", state: .offered)
        }
        let scene = ChatScene(columns: 70, messages: [message])
        scene.write("/file ~/x '/a b'")
        #expect(scene.calls().last?.contains(#""files":["/h/x","/a b"]"#) == true)
        let many = (0..<40).map { "/\($0)" }
        scene.write("/file --any-type " + many.joined(separator: " "))
        let sent = scene.calls()
        #expect(sent.count == 2 && sent.allSatisfy { $0.contains(#""anyType":true"#) }, "\(sent)")
        for (call, files) in zip(sent, [many[..<32], many[32...]]) {
            let list = files.map { "\"\($0)\"" }.joined(separator: ",")
            #expect(call.contains("\"files\":[\(list)]"), "\(call)")
        }
        #expect(scene.screen.contains("they go in 2 messages"))
        scene.write("/file nothing")
        #expect(
            scene.screen.contains("nothing: No such file")
                && scene.controller.state.composer.editor.text == "/file nothing")
        scene.press(.control("u"))
        scene.write("/get b")
        #expect(scene.calls() == ["transfer.accept {\"id\":\"\(Cast.photos)\"}"])
        var transfer = Cast.transfer(Cast.photos, "b.pdf", .incoming, .active, done: 512)
        transfer.conversation = Cast.chat
        scene.happen(.transferProgress, transfer.json)
        #expect(scene.screen.contains("[b.pdf, 1 B]"))
        scene.write("/decline")
        #expect(scene.calls() == ["transfer.decline {\"id\":\"\(Cast.report)\"}"])
        scene.write("/get z")
        #expect(scene.screen.contains("Which one? a.pdf"))
    }

    @Test("A message is named by #last and #last-1, counted among those for which the command makes sense")
    func last() {
        let messages = [
            ChatScene.message(1, "first"), ChatScene.message(2, "mine", from: Cast.own), ChatScene.message(3, "second"),
            ChatScene.message(4, "mine too", from: Cast.own),
        ]
        let scene = ChatScene(columns: 90, messages: messages)
        scene.write("/react #last 👍")
        #expect(scene.calls().first?.contains(messages[2].id) == true)
        scene.write("/react #LAST-1 👍")
        #expect(scene.calls().first?.contains(messages[0].id) == true)
        scene.write("/delete #last-1 all")
        let deleted = scene.calls().first
        #expect(deleted?.contains(messages[1].id) == true && deleted?.contains("\"all\"") == true)
        scene.write("/why #last")
        #expect(scene.calls() == ["message.why {\"id\":\"\(messages[3].id)\"}"])
        scene.write("/react #last-2 👍")
        #expect(scene.calls().isEmpty && scene.screen.contains("There aren't that many messages here"))
    }

    @Test("With --any-type files of any type go, and what is held back comes, and not by /get alone")
    func heldBack() {
        func message(_ number: Int, _ name: String, _ transfer: String, held: Bool) -> Message {
            var message = ChatScene.message(number, "")
            message.attachments = [
                Attachment(
                    transfer: transfer, name: name, size: 1, kind: .other, mediaType: "", state: .offered,
                    heldBack: held ? .type : nil, unlisted: held ? ["zip"] : nil)
            ]
            return message
        }
        let archive = message(1, "tools.zip", Cast.photos, held: true)
        let scene = ChatScene(columns: 90, messages: [archive])
        scene.write("/file --any-type /a.zip")
        let sent = scene.calls().last
        #expect(sent?.contains(#""files":["/a.zip"]"#) == true && sent?.contains(#""anyType":true"#) == true)
        scene.write("/file /a.pdf")
        #expect(scene.calls().last?.contains("anyType") == false)
        scene.write("/get")
        #expect(
            scene.calls().isEmpty && scene.screen.contains("held back because of its type. To take it: /get --any-type")
        )
        scene.write("/get tools")
        #expect(
            scene.calls().isEmpty && scene.screen.contains("tools.zip is held back: type zip: /get --any-type takes it")
        )
        scene.write("/get --any-type tools")
        #expect(scene.calls() == ["transfer.accept {\"id\":\"\(Cast.photos)\",\"anyway\":true}"])
        let both = ChatScene(columns: 90, messages: [archive, message(2, "a.pdf", Cast.report, held: false)])
        both.write("/get")
        #expect(both.calls() == ["transfer.accept {\"id\":\"\(Cast.report)\"}"])
        both.write("/get --any-type")
        #expect(
            both.calls() == [
                "transfer.accept {\"id\":\"\(Cast.photos)\",\"anyway\":true}",
                "transfer.accept {\"id\":\"\(Cast.report)\"}",
            ])
        both.write("/get #last")
        #expect(both.calls() == ["transfer.accept {\"id\":\"\(Cast.report)\"}"])
        // Tab knows what is offered, behind the option too; what isn't, it doesn't offer.
        for (typed, text) in [
            ("/get to", "/get tools.zip"), ("/get --any-type T", "/get --any-type tools.zip"),
            ("/decline #last a", "/decline #last a.pdf"), ("/get #last to", "/get #last to"),
            ("/cancel to", "/cancel to"), ("/get --any", "/get --any"), ("/get #la", "/get #la"),
        ] {
            both.press(.control("u"), .text(typed), .tab)
            #expect(both.controller.state.composer.text == text)
        }
        both.press(.control("u"), .text("/get "), .tab)
        #expect(both.screen.contains("a.pdf  tools.zip"))
    }

    @Test("A refusal of a file says what to type here")
    func refusedFile() {
        let scene = ChatScene(columns: 100)
        scene.write("/file /a.exe")
        let refusal = ControlError(.typeNotAllowed, "files of type exe are not allowed", hint: .seeAllowedTypes)
        scene.refuse(.sent(key: "key1", asOf: 100), RPCError(refusal))
        #expect(scene.screen.contains("To send it anyway: /file --any-type PATH"))
    }

    @Test("Files are held, resumed and ended by name, and several of one name by their message's short id")
    func moveFiles() {
        let messages = (1...2).map { number in
            var message = ChatScene.message(number, "", from: number == 2 ? Cast.own : Cast.anna)
            message.attachments = [
                Attachment(
                    transfer: number == 1 ? Cast.report : Cast.photos, name: "a.pdf", size: 1, kind: .document,
                    mediaType: "", state: number == 1 ? .active : .failed)
            ]
            return message
        }
        let scene = ChatScene(columns: 80, messages: messages)
        scene.write("/pause")
        #expect(scene.calls() == ["transfer.pause {\"id\":\"\(Cast.report)\"}"])
        scene.write("/resume a")
        #expect(scene.calls() == ["transfer.resume {\"id\":\"\(Cast.photos)\"}"])
        scene.write("/get")
        #expect(scene.screen.contains("No file is offered to you here"))
        scene.press(.control("u"))
        // Without a name nothing is ended.
        scene.write("/cancel")
        #expect(scene.screen.contains("Which one? a.pdf") && scene.calls().isEmpty)
        scene.press(.control("u"))
        var twins = messages
        for index in twins.indices { twins[index].attachments[0].state = .active }
        let other = ChatScene(columns: 100, messages: twins)
        other.write("/pause a.pdf")
        #expect(other.screen.contains("Which one? a.pdf, a.pdf") && other.screen.contains("/pause #ID"))
        other.press(.control("u"))
        let shortID = other.controller.state.shortID(twins[1].id)
        other.write("/pause #\(shortID)")
        #expect(other.calls() == ["transfer.pause {\"id\":\"\(Cast.photos)\"}"])
    }

    @Test("Panels with what was found or has happened lie over the messages")
    func panels() {
        let message = ChatScene.message(1, "the drawings")
        let scene = ChatScene(columns: 60, messages: [message])
        scene.write("/search draw*")
        #expect(
            scene.calls().last == "message.search {\"query\":\"draw*\",\"conversation\":\"\(Cast.chat)\",\"limit\":100}"
        )
        scene.answer(
            .search,
            ["messages": [["message": message.json, "snippet": "the drawings", "marks": [["start": 4, "length": 8]]]]])
        #expect(scene.screen.contains("1 found") && scene.screen.contains("12:00  Anna  the drawings"))
        let rows = scene.controller.screen.drawn().screen.rows
        #expect(rows.flatMap(\.pieces).contains { $0.text == "drawings" && $0.ink == .match })
        scene.answer(
            .why("019ac0de", "the drawings"),
            [
                "steps": [["at": .integer(Cast.noon), "code": "written_here"]],
                "now": [["code": "delivered", "parameters": ["name": "Bo"]]],
            ])
        #expect(scene.screen.contains("12:00:00.000  written and stored here"))
        #expect(scene.screen.contains("Now: Bo has it. Kibo doesn't know whether they have read it."))
        scene.press(.escape)
        #expect(scene.screen.contains("Anna  the drawings"))
    }

    @Test("A command for files that can't be done leaves a clean line; one with a text stays to be mended")
    func cleanLine() {
        let scene = ChatScene(columns: 60)
        for command in ["/get", "/get drawing", "/retry", "/cancel x"] {
            scene.write(command)
            #expect(
                scene.controller.state.composer.isEmpty && scene.controller.state.notice?.isBad == true, "\(command)")
        }
        scene.write("/reply so be it")
        #expect(scene.controller.state.composer.text == "/reply so be it")
    }

    @Test("What was found is chosen with Up and Down, and Enter goes there, however old it is")
    func jumping() {
        let scene = ChatScene(
            columns: 60, messages: (50...80).map { ChatScene.message($0, "number \($0)") }, hasMore: true)
        func find(_ numbers: [Int]) {
            scene.answer(
                .search,
                [
                    "messages": .array(
                        numbers.map { number in
                            let message = ChatScene.message(number, "number \(number)")
                            return ["message": message.json, "snippet": .string(message.text), "marks": []]
                        })
                ])
        }
        find([75, 52])
        scene.press(.down, .down)
        #expect(scene.controller.state.panel?.selected == 1)
        scene.press(.enter)
        #expect(scene.controller.state.panel == nil && scene.screen.contains("12:00»Anna  number 52"))
        _ = scene.calls()
        // An older one is loaded first.
        find([10])
        scene.press(.next, .enter)
        #expect(scene.calls().last?.hasPrefix("message.list") == true && scene.controller.state.wanted != nil)
        scene.answer(
            .older(asOf: 99, load: 1),
            ["messages": .array((9...49).map { ChatScene.message($0, "number \($0)").json }), "hasMore": false])
        #expect(scene.screen.contains("12:00»Anna  number 10") && scene.controller.state.wanted == nil)
        // One that is gone is not looked for for ever.
        find([1])
        scene.press(.down, .enter)
        #expect(scene.controller.state.wanted == nil && scene.screen.contains("too far back"))
        // With a text being written, Up and Down are the editor's.
        find([75, 52])
        scene.press(.text("x"), .down)
        #expect(scene.controller.state.panel?.selected == nil)
    }

    @Test("Tab completes commands")
    func completion() {
        let scene = ChatScene(columns: 70)
        scene.press(.text("/sea"), .tab)
        #expect(scene.controller.state.composer.editor.text == "/search ")
        scene.press(.control("u"), .text("/re"), .tab)
        #expect(scene.screen.contains("/react  /reply  /resume  /retry"))
    }
}
