import ControlProtocol
import Glibc
import TestSupport
import Testing
import Vocabulary

/// What a page shows of files and people: by descriptors, without a path.
@Suite("Files and pictures by descriptor", .serialized)
struct FileViewTests {
    private func gateway(_ daemon: DaemonProcess) throws -> ControlClient {
        let client = try daemon.connect()
        try client.call("system.hello", ["client": "gateway", "version": "1", "role": "web"], timeout: .seconds(10))
        return client
    }

    private func open(
        _ client: ControlClient, _ method: String, _ params: JSONObject
    ) throws -> (result: JSONValue, bytes: [UInt8]) {
        let (result, file) = try client.callForDescriptor(method, params, timeout: .seconds(30))
        defer { close(file) }
        var (bytes, buffer): ([UInt8], [UInt8]) = ([], [UInt8](repeating: 0, count: 1 << 16))
        while true {
            let count = read(file, &buffer, buffer.count)
            guard count > 0 else { return (result, bytes) }
            bytes += buffer[..<count]
        }
    }

    private func refusal(_ client: ControlClient, _ method: String, _ params: JSONObject) throws -> RPCError? {
        do {
            try client.call(method, params, timeout: .seconds(30))
            return nil
        } catch ClientError.refused(let refusal) {
            return refusal
        }
    }

    @Test("A whole file is opened on both sides with the type of its content; what moved away or changed is not found")
    func file() throws {
        let (anna, bert) = try MessageProcessTests.friends()
        let (there, here) = (try gateway(anna), try gateway(bert))
        let path = anna.directory.file("face.png")
        let bytes = SampleFiles.png(width: 900, height: 600)
        try TextFile.write(bytes, to: path)
        let id = try FileProcessTests.offer(path, from: anna, to: bert)
        let sent = try open(there, "transfer.open", ["id": .string(id)])
        #expect(sent.bytes == bytes && sent.result["mediaType"] == "image/png" && sent.result["name"] == "face.png")
        #expect(sent.result["size"] == .integer(Int64(bytes.count)))
        #expect(try refusal(here, "transfer.open", ["id": .string(id)])?.kind == .notFound)
        // The offer's preview, made anew.
        let offered = try open(here, "transfer.thumbnail", ["id": .string(id), "side": "320"])
        #expect(offered.bytes.starts(with: [0xFF, 0xD8, 0xFF]) && offered.result["width"] == 320)
        try bert.call("transfer.accept", ["id": .string(id)])
        #expect(try FileProcessTests.waitForEnd(id, at: bert).state == .done)
        #expect(try open(here, "transfer.open", ["id": .string(id)]).bytes == bytes)
        for side in ["320", "1280"] {
            for _ in 0..<2 {
                let made = try open(here, "transfer.thumbnail", ["id": .string(id), "side": .string(side)])
                #expect(made.bytes.starts(with: [0xFF, 0xD8, 0xFF]))
                #expect(made.result["width"] == (side == "320" ? 320 : 900))
                #expect(made.result["height"] == (side == "320" ? 213 : 600))
            }
        }
        #expect(TemporaryDirectory.names(in: bert.dataPath + "/thumbnails").filter { $0.hasSuffix(".jpg") }.count == 3)
        #expect(try refusal(here, "transfer.open", ["id": .string(id), "entry": 1])?.kind == .invalid)
        #expect(try refusal(here, "transfer.thumbnail", ["id": .string(id), "side": "640"])?.kind == .invalid)
        // Another file in its place, or a link, is not what came.
        let place = bert.downloadsPath + "/face.png"
        try TextFile.write(bytes + [1], to: place)
        #expect(try refusal(here, "transfer.open", ["id": .string(id)])?.kind == .notFound)
        #expect(unlink(place) == 0 && symlink(path, place) == 0)
        #expect(try refusal(here, "transfer.open", ["id": .string(id)])?.kind == .notFound)
        #expect(unlink(place) == 0)
        #expect(try refusal(here, "transfer.open", ["id": .string(id)])?.kind == .notFound)
    }

    @Test("What is called a picture and is none is told by its content, and has no thumbnail")
    func lies() throws {
        let (anna, bert) = try MessageProcessTests.friends()
        let client = try gateway(anna)
        let path = anna.directory.file("trick.png")
        try TextFile.write(SampleFiles.text("<svg xmlns='http://www.w3.org/2000/svg'><script/></svg>"), to: path)
        let id = try FileProcessTests.offer(path, from: anna, to: bert)
        let type = try open(client, "transfer.open", ["id": .string(id)]).result["mediaType"]
        #expect(type != "image/png")
        #expect(try refusal(client, "transfer.thumbnail", ["id": .string(id), "side": "320"])?.kind == .unsupported)
    }

    @Test("A folder's files are listed in pages and opened by their index, and no link leads out of it")
    func folder() throws {
        let (anna, bert) = try MessageProcessTests.friends()
        let client = try gateway(anna)
        let root = try anna.directory.makeDirectory("trip")
        _ = try anna.directory.makeDirectory("trip/days")
        for name in ["a.txt", "days/b.txt", "days/c.txt"] {
            try TextFile.write(SampleFiles.text("in \(name)"), to: "\(root)/\(name)")
        }
        let id = JSONValue.string(try FileProcessTests.offer(root, from: anna, to: bert))
        var (found, after): ([String: JSONValue], JSONValue) = ([:], .null)
        repeat {
            let page = try client.call(
                "transfer.entries", ["id": id, "limit": 2, "after": after], timeout: .seconds(10))
            for entry in page["entries"]?.array ?? [] { found[entry["path"]?.string ?? ""] = entry["index"] }
            after = page["next"] ?? .null
        } while !after.isNull
        #expect(Set(found.keys) == ["a.txt", "days/b.txt", "days/c.txt"])
        for (path, index) in found {
            #expect(
                try open(client, "transfer.open", ["id": id, "entry": index]).bytes == SampleFiles.text("in \(path)"))
        }
        #expect(try refusal(client, "transfer.open", ["id": id])?.kind == .invalid)
        #expect(try refusal(client, "transfer.open", ["id": id, "entry": 99])?.kind == .notFound)
        let index = try #require(found["days/b.txt"])
        #expect(rename("\(root)/days", "\(root)/moved") == 0 && symlink("moved", "\(root)/days") == 0)
        #expect(try refusal(client, "transfer.open", ["id": id, "entry": index])?.kind == .notFound)
    }

    @Test("A folder that has come is listed and opened as the sender's is")
    func receivedFolder() throws {
        let (anna, bert) = try MessageProcessTests.friends()
        let client = try gateway(bert)
        let root = try anna.directory.makeDirectory("trip")
        _ = try anna.directory.makeDirectory("trip/days")
        for name in ["a.txt", "days/b.txt"] {
            try TextFile.write(SampleFiles.text("in \(name)"), to: "\(root)/\(name)")
        }
        let id = JSONValue.string(try FileProcessTests.offer(root, from: anna, to: bert))
        try bert.call("transfer.accept", ["id": id])
        try Patience.until("the folder", report: bert.logTail) {
            try client.call("transfer.get", ["id": id], timeout: .seconds(10))["state"] == "done"
        }
        let entries = try client.call("transfer.entries", ["id": id], timeout: .seconds(10))["entries"]?.array ?? []
        #expect(Set(entries.compactMap { $0["path"]?.string }) == ["a.txt", "days/b.txt"])
        for entry in entries {
            let opened = try open(client, "transfer.open", ["id": id, "entry": entry["index"] ?? .null])
            #expect(opened.bytes == SampleFiles.text("in \(entry["path"]?.string ?? "")"))
        }
    }

    @Test("Pictures of people and groups are opened by who it is, and have a token that changes with them")
    func pictures() throws {
        let (anna, bert) = try MessageProcessTests.friends()
        let (there, here) = (try gateway(anna), try gateway(bert))
        let own = JSONValue.string(try anna.account.id)
        #expect(try refusal(there, "picture.open", ["id": own])?.kind == .notFound)
        var tokens: [JSONValue] = []
        for side in [60, 300] {
            let path = anna.directory.file("face.png")
            try TextFile.write(SampleFiles.png(width: side, height: side), to: path)
            try anna.call("account.update", ["avatarPath": .string(path)])
            let account = try there.call("account.get", timeout: .seconds(10))
            #expect(account["avatar"] == .null)
            let opened = try open(there, "picture.open", ["id": own])
            #expect(opened.bytes.starts(with: [0xFF, 0xD8, 0xFF]))
            #expect(opened.result["size"] == .integer(Int64(opened.bytes.count)))
            #expect(opened.result["picture"] == account["picture"])
            tokens.append(account["picture"] ?? .null)
        }
        #expect(tokens[0] != tokens[1])
        try Patience.until("Bert to have it", report: bert.logTail) {
            try here.call("contact.get", ["id": own], timeout: .seconds(10))["picture"] == tokens[1]
        }
        #expect(try open(here, "picture.open", ["id": own]).bytes.starts(with: [0xFF, 0xD8, 0xFF]))
        let path = anna.directory.file("face.png")
        let group = try anna.call("group.create", ["name": "Hikers", "members": [], "avatarPath": .string(path)])
        let logo = try open(there, "picture.open", ["id": group["id"] ?? .null])
        #expect(logo.result["picture"] == group["picture"])
        #expect(try refusal(there, "picture.open", ["id": "../../etc/passwd"])?.kind == .notFound)
    }

    @Test("A file is shown in the file manager by its URI, and what moved away is not")
    func reveal() throws {
        let (anna, bert) = try MessageProcessTests.friends()
        let programs = try anna.directory.makeDirectory("bin")
        let (called, program) = (anna.directory.file("called"), programs + "/busctl")
        try TextFile.writeProgram("#!/bin/sh\nprintf '%s\\n' \"$@\" > '\(called)'\n".utf8, to: program)
        anna.kill()
        anna.options.environment["PATH"] = programs + ":/usr/bin:/bin"
        try anna.start()
        let path = anna.directory.file("my häuser & co.txt")
        try TextFile.write(SampleFiles.text("x"), to: path)
        let id = JSONValue.string(try FileProcessTests.offer(path, from: anna, to: bert))
        let client = try gateway(anna)
        try client.call("transfer.reveal", ["id": id], timeout: .seconds(20))
        let words = try TextFile.text(called).split(separator: "\n").map(String.init)
        #expect(words.contains("ShowItems"))
        #expect(words.contains("file://\(anna.directory.path)/my%20h%C3%A4user%20%26%20co.txt"))
        #expect(unlink(path) == 0)
        #expect(try refusal(client, "transfer.reveal", ["id": id])?.kind == .notFound)
    }

    @Test("Hundreds of requests for descriptors leave none open")
    func leaks() throws {
        let (anna, bert) = try MessageProcessTests.friends()
        let path = anna.directory.file("face.png")
        try TextFile.write(SampleFiles.png(width: 90, height: 60), to: path)
        let id = JSONValue.string(try FileProcessTests.offer(path, from: anna, to: bert))
        let client = try gateway(anna)
        func count() throws -> Int { TemporaryDirectory.names(in: "/proc/\(try #require(anna.pid))/fd").count }
        _ = try open(client, "transfer.open", ["id": id])
        let before = try count()
        for _ in 0..<20 {
            for _ in 0..<10 { _ = try client.send("transfer.open", ["id": id]) }
            for _ in 0..<10 {
                let reply = try client.nextReply(timeout: .seconds(20))
                if let file = client.detachDescriptor(of: reply.id) { close(file) }
            }
        }
        try Patience.until("the daemon to have closed all") { try count() <= before }
    }
}
