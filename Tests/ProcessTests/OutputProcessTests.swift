import Basics
import ControlProtocol
import Glibc
import TestSupport
import Testing

/// Goal: no command says that all went well if what it had to say was not written.
@Suite("The command line's output")
struct OutputProcessTests {
    /// Runs `kibo` by a shell, with standard error as the answer.
    private func shell(_ words: String, at daemon: DaemonProcess) throws -> (code: CInt?, text: String) {
        let place = try TemporaryDirectory()
        let output = place.file("output")
        let child = try ChildProcess(
            "/bin/sh", ["-c", "K=\"$0\"; S=\"$1\"; \(words)", ProgramPaths.kibo, daemon.socketPath],
            environment: ["PATH": "/usr/bin:/bin", "LANG": "C.UTF-8", "NO_COLOR": "1"], outputPath: output)
        guard case .exited(let code)? = child.wait(Patience.usual) else { return (nil, "") }
        return (code, try TextFile.text(output))
    }

    @Test(
        "On a full disk and with a closed stream every command ends with 1 and says so; a reader that has gone is no fault"
    )
    func unwritten() throws {
        let anna = try DaemonProcess.launch(name: "Anna")
        let own = try anna.account.id
        for number in 0..<3 {
            _ = try anna.call("message.send", ["to": .string(own), "text": .string("note \(number)")])
        }
        for command in [
            "read @me", "contacts", "metrics", "status", "--json status", "--json read @me", "export @me -",
            "--version",
        ] {
            for (stream, reason) in [(">/dev/full", "No space left on device"), (">&-", "Bad file descriptor")] {
                let answer = try shell("\"$K\" --socket \"$S\" \(command) \(stream)", at: anna)
                #expect(answer.code == 1, "\(command) \(stream): \(answer)")
                #expect(
                    answer.text == "kibo: Standard output can't be written to: \(reason).\n", "\(command) \(stream)")
            }
        }
        #expect(try shell("\"$K\" --socket \"$S\" status | true", at: anna).text.isEmpty)
        let ignoring = try shell("trap '' PIPE; (sleep 0.2; \"$K\" --socket \"$S\" status) | true", at: anna)
        #expect(ignoring.text.isEmpty)
    }

    @Test("A command that watches ends once nobody reads what it writes, also while nothing happens")
    func readerGone() throws {
        let anna = try DaemonProcess.launch(name: "Anna")
        for command in ["peers -w", "peers --watch --json", "transfers -w", "watch", "watch --json --reconnect"] {
            // watch has nothing to write; the others write one list, and then nothing happens.
            let reader = command.hasPrefix("watch") ? "true" : "head -n 1 >/dev/null"
            let answer = try shell("\"$K\" --socket \"$S\" \(command) | \(reader)", at: anna)
            #expect(answer.code == 0 && answer.text.isEmpty, "\(command): \(answer)")
        }
        // Also while it waits for a daemon.
        let away = try shell("\"$K\" --socket /nonexistent/s watch --reconnect 2>/dev/null | true", at: anna)
        #expect(away.code == 0 && away.text.isEmpty, "\(away)")
    }

    @Test("An export goes to standard output, whole and with nothing else")
    func export() throws {
        let anna = try DaemonProcess.launch(name: "Anna")
        let own = try anna.account.id
        for number in 0..<3 {
            _ = try anna.call("message.send", ["to": .string(own), "text": .string("note \(number) ü")])
        }
        for format in ["jsonl", "text"] {
            let file = anna.directory.file("notes." + format)
            #expect(try anna.kibo("export", "@me", file, "--format", format).isDone)
            let answer = try anna.kibo("export", "@me", "-", "--format", format)
            #expect(answer.isDone && answer.text.contains("note 2 ü"))
            #expect(try answer.text == TextFile.text(file), "\(format)")
        }
    }

    @Test("Forty files go in two messages, in order, with the text in the first")
    func forty() throws {
        let anna = try DaemonProcess.launch(name: "Anna")
        let names = (0..<40).map { "\($0).txt" }
        for name in names { try TextFile.write(Array(name.utf8), to: anna.directory.file(name)) }
        let answer = try anna.kibo(
            ["send", "@me", "--text", "All of them"] + names.map { anna.directory.file($0) })
        #expect(answer.isDone && answer.text.contains("32 files: they go in 2 messages, in this order."), "\(answer)")
        let notes = try anna.conversation(with: anna)
        let page = try anna.call("message.list", ["conversation": .string(notes)])
        let messages = try (page["messages"]?.array ?? []).map { try Message(json: $0) }
        #expect(messages.map(\.text) == ["All of them", ""])
        #expect(messages.flatMap(\.attachments).map(\.name) == names)
    }

    @Test("What a link leads to goes under the link's name; a name that no file may have is refused")
    func links() throws {
        let anna = try DaemonProcess.launch(name: "Anna")
        let inner = try anna.directory.makeDirectory("inner")
        try TextFile.write("plan".utf8, to: inner + "/v3.txt")
        for (name, target) in [("plan.txt", "inner/v3.txt"), ("latest", "inner/v3.txt"), ("folder", "inner")] {
            #expect(symlink(target, anna.directory.file(name)) == 0)
        }
        let own = try anna.account.id
        for (word, name) in [
            ("plan.txt", "plan.txt"), ("latest", "latest.txt"), ("folder", "folder"), ("folder/", "folder"),
            ("inner/v3.txt", "v3.txt"),
        ] {
            let answer = try anna.kibo("send", "@me", anna.directory.file(word))
            #expect(answer.isDone, "\(word): \(answer)")
            let page = try anna.call("message.list", ["conversation": .string(try anna.conversation(with: anna))])
            let last = try Message(json: try #require(page["messages"]?.array?.last))
            #expect(last.attachments.map(\.name) == [name], "\(word)")
        }
        let path = JSONValue.string(inner + "/v3.txt")
        for (names, problem) in [
            ([".."], "it means a folder"), (["a/b.txt"], "it has a / or"), ([" a.txt"], "begins or ends with a space"),
            (["a.kibo-part"], "incomplete file"), (["a.txt", "b.txt"], "as many names"),
            (["a\u{202e}.txt"], "control characters"),
            ([String(repeating: "ä", count: 130) + ".txt"], "more than 255 bytes"),
        ] {
            let refusal = FilePolicyProcessTests.refusal {
                try anna.call("message.send", ["to": .string(own), "files": .array([path]), "names": .strings(names)])
            }
            #expect(
                refusal?.kind == .invalid && refusal?.message.contains(problem) != false, "\(names) \(refusal as Any)")
        }
    }

    @Test("A picture under another one's name goes under its own; a page named as a table goes only with the word")
    func misnamed() throws {
        let (anna, bert) = try FilePolicyProcessTests.friends()
        let photo = anna.directory.file("photo.jpg")
        try TextFile.write(SampleFiles.png(width: 3, height: 2), to: photo)
        #expect(try anna.kibo("send", "Bert", photo).text.contains("photo.png"))
        let table = anna.directory.file("table.xls")
        try TextFile.write(
            SampleFiles.text("<!DOCTYPE html><html><body><table><tr><td>1</td></tr></table></body></html>"), to: table)
        let refused = try anna.kibo("send", "Bert", table)
        #expect(refused.code == 1 && refused.text.contains("kibo send --any-type"), "\(refused)")
        let sent = try anna.kibo("send", "Bert", table, "--any-type", "--wait", "delivered")
        #expect(sent.isDone && sent.text.contains("table.html"), "\(sent)")
        #expect(try bert.kibo("get", "--any-type", "table.html").isDone)
        // What a folder leaves out is named.
        let folder = try anna.directory.makeDirectory("album")
        try TextFile.write(SampleFiles.png(width: 3, height: 2), to: folder + "/photo.jpg")
        try TextFile.write(SampleFiles.text("x"), to: folder + "/note.txt")
        try TextFile.write(TextFile.bytes(table), to: folder + "/table.xls")
        let album = try anna.kibo("send", "Bert", folder)
        #expect(album.text.contains("1 file was left out:") && album.text.contains("table.xls"), "\(album)")
        // In a folder it keeps its name; it goes if its own type does, which is named.
        let all = anna.directory.file("all")
        #expect(rename(folder, all) == 0)
        let whole = try anna.kibo("send", "Bert", all, "--any-type", "--wait", "delivered")
        #expect(whole.isDone && !whole.text.contains("left out"), "\(whole)")
        #expect(try bert.kibo("get", "--any-type", "all").isDone)
        try Patience.until("the folder", report: bert.logTail) { access(bert.downloadsPath + "/all", F_OK) == 0 }
        for (name, path) in [("photo.jpg", photo), ("table.xls", table)] {
            #expect(try TextFile.holds(bert.downloadsPath + "/all/" + name, TextFile.bytes(path)), "\(name)")
        }
    }
}
