import Basics
import ControlProtocol
import TestSupport
import Testing

@testable import kibo

/// What the line being written becomes, and what the screen says of it.
struct ChatWritingTests {
    @Test("An unknown command is refused with those that may be meant, whole and not sent; two slashes send it")
    func unknown() {
        let scene = ChatScene(columns: 40)
        for (line, question) in [
            ("/fiel a.pdf", "Did you mean /file?"), ("/re", "Did you mean /react, /reply, /resume, /retry?"),
            ("/serach x", "Did you mean /search?"), ("/etc/passwd", "There is no command /etc/passwd."),
        ] {
            scene.write(line)
            let said = scene.screen.split(separator: "\n").joined(separator: " ").split(separator: " ").joined(
                separator: " ")
            #expect(said.contains(question), "\(said)")
            #expect(said.contains("To send a text that begins with a slash, type //"), "\(said)")
            #expect(scene.calls().isEmpty && scene.controller.state.composer.text == line)
            #expect(scene.screen.split(separator: "\n", omittingEmptySubsequences: false).count == 12)
            scene.press(.control("u"))
        }
        scene.write("//fiel a.pdf")
        #expect(scene.calls().last?.contains(#""text":"/fiel a.pdf""#) == true)
    }

    @Test("A refusal is shown whole, in as many rows as it needs, up to a third of the screen")
    func refusal() {
        let scene = ChatScene(columns: 40, messages: [ChatScene.message(1, "hello")])
        let words = "the disk is full, and nothing can be stored until there is space again; see kibo doctor"
        scene.write("x")
        scene.refuse(.sent(key: "key1", asOf: 0), RPCError(ControlError(.noSpace, words)))
        let rows = scene.screen.split(separator: "\n", omittingEmptySubsequences: false)
        #expect(rows.count == 12 && rows.allSatisfy { DisplayWidth.of(String($0)) <= 40 })
        let said = rows.map { $0.split(separator: " ").joined(separator: " ") }.joined(separator: " ")
        #expect(said.contains("Not sent: \(words)"), "\(said)")
        #expect(scene.screen.contains("hello"))
        scene.controller.state.notify(String(repeating: "many words ", count: 60))
        let cut = scene.screen.split(separator: "\n", omittingEmptySubsequences: false)
        #expect(cut.count == 12 && cut.filter { $0.contains("words") }.count == 4 && cut[10].contains("…"), "\(cut)")
        scene.pass(.seconds(60))
        #expect(!scene.screen.contains("words"))
    }

    @Test("Tab completes paths in quotes, and names without; an old list of what fits goes with the next key")
    func quotes() throws {
        let place = try TemporaryDirectory()
        for name in ["two words.txt", "two more.txt", "it's.txt"] { try TextFile.write("x".utf8, to: place.file(name)) }
        for (typed, completed): (String, String) in [
            ("'\(place.path)/two w", "'\(place.path)/two words.txt' "),
            ("\"\(place.path)/two w", "\"\(place.path)/two words.txt\" "),
            ("\"\(place.path)/it", "\"\(place.path)/it's.txt\" "), ("'\(place.path)/it", "'\(place.path)/it"),
            ("\(place.path)/two\\ w", "\(place.path)/two\\ words.txt "),
            ("a 'b c' \(place.path)/it", "a 'b c' \(place.path)/it\\'s.txt "),
        ] {
            var composer = ChatComposer()
            _ = composer.handle(.text("/file " + typed))
            #expect(composer.complete(names: [], chats: [], files: { _ in [] }, paths: PathCompletion.paths).isEmpty)
            #expect(composer.text == "/file " + completed)
            if completed.last == " " {
                #expect(PathWords.read(completed, home: nil)?.last?.hasPrefix(place.path) == true, "\(completed)")
            }
        }
        let scene = ChatScene(columns: 70)
        scene.press(.text("/chat \"ann"), .tab)
        #expect(scene.controller.state.composer.text.hasPrefix("/chat Anna"))
        scene.press(.control("u"), .text("/re"), .tab)
        #expect(scene.screen.contains("/react  /reply"))
        scene.press(.tab)
        #expect(scene.screen.contains("/react  /reply"))
        scene.press(.text("p"))
        #expect(!scene.screen.contains("/react  /reply"))
        scene.press(.control("u"))
        scene.write("/chat 'Cleo Ünal'")
        #expect(scene.calls().last == "name.resolve {\"name\":\"Cleo Ünal\",\"for\":\"chat\"}")
    }

    @Test("The ends of lines around a paste are not sent, and nothing but them sends nothing and goes")
    func lineEnds() {
        let scene = ChatScene(columns: 40)
        scene.press(.paste("\r\n"), .enter)
        #expect(!scene.calls().contains { $0.hasPrefix("message") } && scene.controller.state.composer.isEmpty)
        scene.press(.paste("\none\n  two\n\n"), .enter)
        #expect(scene.calls().last?.contains(#""text":"one\n  two""#) == true)
        // A terminal without bracketed paste: Enter, and then the rest of the line's end.
        scene.press(.text("three"), .enter, .newline)
        _ = scene.calls()
        scene.press(.enter)
        #expect(!scene.calls().contains { $0.hasPrefix("message") } && scene.controller.state.composer.isEmpty)
    }

    @Test("Emoji are named in /react, and Tab makes them of their names there and in a text")
    func emoji() {
        let scene = ChatScene(columns: 70, messages: [ChatScene.message(1, "hello")])
        for word in ["thumbsup", ":+1:", "👍"] {
            scene.write("/react \(word)")
            #expect(scene.calls().last?.contains("\"emoji\":\"👍\"") == true, "\(word)")
        }
        scene.write("/react thumbup")
        #expect(
            scene.calls().isEmpty && scene.screen.contains("There is no emoji called thumbup. Did you mean thumbsup?"))
        func completed(_ text: String) -> String {
            var composer = ChatComposer()
            _ = composer.handle(.text(text))
            _ = composer.complete(names: ["Anna"], chats: [":Hikers", "Anna"], files: { _ in [] }, paths: { _ in [] })
            return composer.text
        }
        for (typed, text) in [
            ("so :tad", "so 🎉 "), ("/react tad", "/react 🎉 "), ("/react #12ab :tad", "/react #12ab 🎉 "),
            ("/react :thum", "/react :thumbs"), (":heart:", "❤️ "), (":nothing", ":nothing"), (":)", ":)"),
            ("an", "Anna "),
            ("/chat hik", "/chat :Hikers"), ("/chat :hik", "/chat :Hikers"), ("/unreact tad", "/unreact 🎉 "),
        ] {
            #expect(completed(typed) == text, "\(typed)")
        }
    }
}
