import Basics
import ControlProtocol
import Glibc
import TestSupport
import Testing

/// Files as a browser gets and gives them, from a real worker with a real daemon behind it.
@Suite("Files over a real worker", .serialized)
struct WebFileTests {
    private let stage: GatewayStage
    private let cookie: String

    init() throws {
        stage = try GatewayStage()
        cookie = try stage.logIn()
        try stage.daemon.set("files.allowedTypes", to: ["*"])
    }

    private func result(_ method: String, _ params: JSONObject = [:]) throws -> JSONValue {
        let answer = try stage.call(
            method, String(decoding: JSONValue.object(params).encoded, as: UTF8.self), cookie: cookie)
        return try #require(answer.json["result"], "\(method): \(String(decoding: answer.body, as: UTF8.self))")
    }

    private func get(_ target: String, more: String = "", cookie: String? = nil) throws -> GatewayStage.Answer {
        try stage.ask(stage.text("GET", target, cookie: cookie ?? self.cookie, more: more))
    }

    private func put(_ bytes: [UInt8], to id: String, at offset: Int = 0) throws -> GatewayStage.Answer {
        let head = stage.text("PUT", "/upload/\(id)?at=\(offset)", cookie: cookie).replacing(
            "Content-Length: 0", with: "Content-Length: \(bytes.count)")
        return try #require(try stage.answer(Array(head.utf8) + bytes))
    }

    private func begin(_ name: String, size: Int?) throws -> String {
        let params: JSONObject = ["name": .string(name), "size": .optional(size.map(Int64.init))]
        return try #require(try result("upload.begin", params)["id"]?.string)
    }

    /// The conversation of a group that has no other members.
    private func notes() throws -> JSONValue {
        let group = try result("group.create", ["name": "Notes", "members": []])["id"] ?? .null
        return try #require(try result("conversation.open", ["group": group])["id"])
    }

    /// Sends a file to nobody: its transfer.
    private func offer(_ bytes: [UInt8], as name: String) throws -> String {
        let id = try begin(name, size: bytes.count)
        #expect(try put(bytes, to: id).status == 200)
        _ = try result("upload.finish", ["id": .string(id)])
        let sent = try result("message.send", ["conversation": try notes(), "files": [.string("upload:\(id)")]])
        return try #require(sent["attachments"]?.array?.first?["transfer"]?.string)
    }

    @Test(
        "What could run or be drawn as a page is only saved, and can do nothing if it is opened all the same",
        arguments: [
            ("page.html", "<!doctype html><html><script>fetch('/rpc')</script></html>"),
            ("drawing.svg", "<svg xmlns='http://www.w3.org/2000/svg'><script>1</script></svg>"),
            ("face.png", "<svg xmlns='http://www.w3.org/2000/svg'><script>1</script></svg>"),
            ("feed.xml", "<?xml version='1.0'?><a/>"), ("paper.pdf", "%PDF-1.4\n1 0 obj\n<<>>\nendobj\n"),
            ("words.txt", "words"),
        ])
    func saved(name: String, text: String) throws {
        let transfer = try offer(Array(text.utf8), as: name)
        for target in ["/file/\(transfer)", "/file/\(transfer)?save=1"] {
            let answer = try get(target)
            #expect(answer.status == 200 && answer.body == Array(text.utf8))
            #expect(answer.head.contains("Content-Type: application/octet-stream\r\n"))
            #expect(answer.head.contains("Content-Disposition: attachment; filename*=UTF-8''\(name)\r\n"))
            #expect(answer.head.contains("X-Content-Type-Options: nosniff\r\n"))
            #expect(answer.head.contains("; sandbox\r\n"))
            #expect(answer.head.contains("Cross-Origin-Resource-Policy: same-origin\r\n"))
            #expect(answer.head.contains("Cache-Control: no-store"))
        }
        // There is no JPEG of what is no picture.
        #expect(try get("/thumb/\(transfer)/320").status == 400)
    }

    @Test("A picture is shown, in parts too, and saved where that is wanted; its thumbnail is a JPEG of our own")
    func picture() throws {
        let bytes = SampleFiles.png(width: 400, height: 300)
        let transfer = try offer(bytes, as: "face.png")
        let whole = try get("/file/\(transfer)")
        #expect(whole.status == 200 && whole.body == bytes)
        #expect(whole.head.contains("Content-Type: image/png\r\n") && whole.head.contains("inline; "))
        #expect(whole.head.contains("; sandbox\r\n") && whole.head.contains("nosniff"))
        #expect(try get("/file/\(transfer)?save=1").head.contains("Content-Disposition: attachment"))
        for (range, status, part) in [
            ("bytes=0-9", 206, 0..<10), ("bytes=10-", 206, 10..<bytes.count),
            ("bytes=-5", 206, (bytes.count - 5)..<bytes.count),
            ("bytes=5-99999999", 206, 5..<bytes.count), ("bytes=\(bytes.count)-", 416, 0..<0),
            ("bytes=0-1,3-4", 200, 0..<bytes.count),
        ] {
            let answer = try get("/file/\(transfer)", more: "Range: \(range)\r\n")
            #expect(answer.status == status, "\(range)")
            #expect(answer.body == Array(bytes[part]), "\(range)")
        }
        for side in [320, 1280] {
            let small = try get("/thumb/\(transfer)/\(side)")
            #expect(small.status == 200 && small.body.starts(with: [0xFF, 0xD8, 0xFF]))
            #expect(small.head.contains("Content-Type: image/jpeg\r\n") && small.head.contains("immutable"))
            #expect(small.head.contains("; sandbox\r\n") && small.head.contains("nosniff"))
        }
    }

    @Test("A name ends no field, and the files of others, of nobody, and without a login are not there")
    func names() throws {
        let transfer = try offer([1, 2, 3], as: "a\"; filename=b.html; 日本.bin")
        let head = try get("/file/\(transfer)").head
        #expect(head.contains("filename*=UTF-8''a%22%3B%20filename%3Db.html%3B%20%E6%97%A5%E6%9C%AC.bin\r\n"))
        let nothing = "019ac0de-0000-7000-8000-000000000001"
        for target in ["/file/\(transfer)", "/thumb/\(transfer)/320", "/picture/x/y", "/export/\(nothing)"] {
            #expect(try stage.ask(stage.text("GET", target)).status == 401, "\(target)")
        }
        for target in [
            "/file/\(nothing)", "/thumb/\(nothing)/320", "/export/\(nothing)", "/file/..", "/file/\(transfer)/99",
        ] {
            #expect([400, 404].contains(try get(target).status), "\(target)")
        }
    }

    @Test("The picture of a person is told by its digest, a conversation comes as a file to save")
    func pictures() throws {
        let id = try begin("face.png", size: nil)
        #expect(try put(SampleFiles.png(width: 90, height: 60), to: id).json["received"] != nil)
        _ = try result("upload.finish", ["id": .string(id)])
        // The picture of a purpose that it was not uploaded for is one all the same.
        let account = try result("account.update", ["avatarPath": .string("upload:\(id)")])
        let (own, digest) = (account["id"]?.string ?? "", account["picture"]?.string ?? "")
        let shown = try get("/picture/\(own)/\(digest)")
        #expect(shown.status == 200 && shown.body.starts(with: [0xFF, 0xD8, 0xFF]))
        #expect(shown.head.contains("Content-Type: image/jpeg\r\n") && shown.head.contains("; sandbox\r\n"))
        #expect(try get("/picture/\(own)/\(digest.reversed().map(String.init).joined())").status == 404)
        let notes = try notes()
        _ = try result("message.send", ["conversation": notes, "text": "<b>hello</b>"])
        let export = try get("/export/\(notes.string ?? "")")
        #expect(export.status == 200 && String(decoding: export.body, as: UTF8.self).contains("<b>hello</b>"))
        #expect(export.head.contains("Content-Disposition: attachment") && export.head.contains("; sandbox\r\n"))
    }

    @Test("A piece goes where the last one ended, is not larger than it may be, and its file not than it was said")
    func pieces() throws {
        let bytes = (0..<3_000_000).map { UInt8(truncatingIfNeeded: $0 &* 37) }
        let id = try begin("a.bin", size: bytes.count)
        let first = try put(Array(bytes[..<1_000_000]), to: id)
        #expect(first.status == 200 && first.json["received"] == 1_000_000)
        let again = try put(Array(bytes[..<1_000_000]), to: id)
        #expect(again.status == 409 && again.json["received"] == 1_000_000)
        let none = stage.text("PUT", "/upload/\(id)?at=0", cookie: cookie).replacing("Content-Length: 0\r\n", with: "")
        #expect(try stage.ask(none).status == 411)
        let large = stage.text("PUT", "/upload/\(id)?at=0", cookie: cookie).replacing(
            "Content-Length: 0", with: "Content-Length: 16777217")
        #expect(try stage.ask(large).status == 413)
        let much = try put([UInt8](repeating: 1, count: 2_000_001), to: id, at: 1_000_000)
        #expect(much.status == 413)
        #expect(try put([], to: id, at: 1_000_000).json["received"] == 1_000_000)
        #expect(try put(Array(bytes[1_000_000...]), to: id, at: 1_000_000).json["received"] == 3_000_000)
        _ = try result("upload.finish", ["id": .string(id)])
        let path = "\(stage.daemon.dataPath)/uploads/\(id)/content/a.bin"
        #expect(try TextFile.holds(path, bytes))
        #expect(try put([1], to: id, at: 3_000_000).status == 400)
    }

    @Test("What came of a piece that broke off counts, and the next one goes on there")
    func broken() throws {
        let bytes = (0..<1_000_000).map { UInt8(truncatingIfNeeded: $0 &* 41) }
        let id = try begin("a.bin", size: bytes.count)
        var received = 0
        while received < bytes.count {
            let head = stage.text("PUT", "/upload/\(id)?at=\(received)", cookie: cookie).replacing(
                "Content-Length: 0", with: "Content-Length: \(bytes.count - received)")
            do {
                // The socket ends behind this, in the middle of the body; it is more than the worker gathers for the daemon.
                let socket = try stage.connect()
                #expect(socket.write(Array(head.utf8) + bytes[received..<min(bytes.count, received + 300_001)]))
                let before = received
                try Patience.until("the piece to count") {
                    try result("upload.list")["uploads"]?.array?.first?["received"]?.integer ?? 0 > before
                }
            }
            // Whatever else is under way, the daemon says where to go on.
            received = try Patience.until("the place to go on") {
                let answer = try put([], to: id, at: received)
                return answer.status == 429 ? nil : (answer.json["received"]?.integer).map { Int($0) }
            }
        }
        _ = try result("upload.finish", ["id": .string(id)])
        #expect(try TextFile.holds("\(stage.daemon.dataPath)/uploads/\(id)/content/a.bin", bytes))
    }

    @Test("A disk that stands still holds up the piece that waits for it, and nothing else of the gateway")
    func stalled() throws {
        let (id, size) = (try begin("a.bin", size: 8 << 20), 8 << 20)
        let daemon = try #require(stage.daemon.pid)
        let head = stage.text("PUT", "/upload/\(id)?at=0", cookie: cookie, more: "Connection: close\r\n").replacing(
            "Content-Length: 0", with: "Content-Length: \(size)"
        ).replacing("\r\n", with: "\\r\\n")
        let script = """
            exec 3<>/dev/tcp/127.0.0.1/\(stage.port); printf '\(head)' >&3; head -c 200000 /dev/zero >&3; sleep 2
            head -c \(size - 200_000) /dev/zero >&3; cat <&3
            """
        let output = stage.daemon.directory.file("out")
        let browser = try ChildProcess(
            "/bin/bash", ["-c", script], environment: ["PATH": "/usr/bin:/bin"], outputPath: output)
        try Patience.until("the piece to begin") {
            try result("upload.list")["uploads"]?.array?.first?["received"]?.integer ?? 0 > 0
        }
        // Nothing is read from the socket of the upload any more, as behind a disk that stands still.
        kill(daemon, SIGSTOP)
        defer { kill(daemon, SIGCONT) }
        let clocks = SystemClocks()
        for _ in 0..<60 {
            let start = clocks.now
            #expect(try get("/login").status == 200)
            #expect(clocks.now - start < .seconds(1))
            usleep(50_000)
        }
        #expect(try ProcessFigures(pid: try stage.worker()).resident < 48 << 20)
        #expect(try TextFile.text(output).isEmpty)
        kill(daemon, SIGCONT)
        #expect(browser.wait(.seconds(30)) == .exited(0))
        #expect(try TextFile.text(output).contains("{\"received\":\(size)}"))
    }
}
