import Basics
import ControlProtocol
import Glibc
import TestSupport
import Testing
import Vocabulary

/// What a browser hands over: whole or not at all, whatever it says, and whenever the daemon is killed.
@Suite("Uploads to a real daemon", .serialized)
struct UploadTests {
    static let web: JSONObject = ["client": "gateway", "version": "1", "role": "web"]

    /// A connection of a gateway.
    func gateway(_ daemon: DaemonProcess) throws -> ControlClient {
        let client = try daemon.connect()
        try client.call("system.hello", Self.web, timeout: .seconds(10))
        return client
    }

    func call(_ client: ControlClient, _ method: String, _ params: JSONObject = [:]) throws -> JSONValue {
        try client.call(method, params, timeout: .seconds(20))
    }

    func refusal(_ client: ControlClient, _ method: String, _ params: JSONObject) throws -> RPCError? {
        do {
            _ = try call(client, method, params)
            return nil
        } catch let error as ClientError {
            guard case .refused(let refusal) = error else { throw error }
            return refusal
        }
    }

    /// Sends bytes to an upload's socket, at most until it is closed.
    /// - Returns: how many it took.
    func send(_ bytes: [UInt8], to socket: CInt) -> Int {
        var sent = 0
        while sent < bytes.count {
            let count = bytes.withUnsafeBytes {
                Glibc.send(socket, $0.baseAddress.map { $0 + sent }, bytes.count - sent, CInt(MSG_NOSIGNAL))
            }
            guard count > 0 else { break }
            sent += count
        }
        return sent
    }

    /// What the daemon says of all that came; nil if it has ended the socket without a word.
    func end(of socket: CInt) -> UploadEnd? {
        shutdown(socket, CInt(SHUT_WR))
        var byte: UInt8 = 255
        return recv(socket, &byte, 1, 0) == 1 ? UploadEnd(rawValue: byte) : nil
    }

    func open(_ id: JSONValue, _ client: ControlClient) throws -> (socket: CInt, received: Int64) {
        let (result, socket) = try client.callForDescriptor("upload.open", ["id": id], timeout: .seconds(20))
        return (socket, try #require(result["received"]?.integer))
    }

    /// Writes a piece at the end of an upload's file.
    func write(_ bytes: some Collection<UInt8>, to id: JSONValue, _ client: ControlClient) throws -> Int64 {
        let (socket, received) = try open(id, client)
        defer { close(socket) }
        #expect(send(Array(bytes), to: socket) == bytes.count)
        #expect(end(of: socket) == .written)
        return received
    }

    /// Uploads a file whole.
    func upload(
        _ bytes: [UInt8], as name: String, _ client: ControlClient, more: JSONObject = [:]
    ) throws -> JSONValue {
        var params: JSONObject = ["name": .string(name), "size": .integer(Int64(bytes.count))]
        for field in more.fields { params[field.name] = field.value }
        let id = try #require(try call(client, "upload.begin", params)["id"])
        #expect(try write(bytes, to: id, client) == 0)
        _ = try call(client, "upload.finish", ["id": id])
        return id
    }

    func name(_ id: JSONValue) -> JSONValue { .string("upload:\(id.string ?? "")") }

    func folders(_ daemon: DaemonProcess) -> [String] {
        TemporaryDirectory.names(in: daemon.dataPath + "/uploads").filter { !$0.hasPrefix(".") }
    }

    @Test("A file in pieces survives a kill between any two steps, is sent without a path, and comes whole")
    func life() throws {
        let (anna, bert) = try MessageProcessTests.friends()
        let bytes = (0..<300_000).map { UInt8(truncatingIfNeeded: $0 &* 31) }
        func again() throws -> ControlClient {
            anna.kill()
            try anna.start()
            return try gateway(anna)
        }
        var client = try gateway(anna)
        let begun = try Upload(
            json: call(client, "upload.begin", ["name": "data.bin", "size": .integer(Int64(bytes.count))]))
        let id = JSONValue.string(begun.id)
        client = try again()
        #expect(try write(bytes[..<100_000], to: id, client) == 0)
        client = try again()
        #expect(try call(client, "upload.list")["uploads"]?.array?.first?["received"] == 100_000)
        #expect(try refusal(client, "upload.finish", ["id": id])?.parameters["received"] == 100_000)
        #expect(
            try refusal(client, "message.send", ["to": .string(try bert.account.id), "files": [name(id)]])?.kind
                == .invalid)
        #expect(try write(bytes[100_000...], to: id, client) == 100_000)
        client = try again()
        #expect(try Upload(json: call(client, "upload.finish", ["id": id])).finished)
        client = try again()
        #expect(try call(client, "upload.list")["uploads"]?.array?.first?["finished"] == true)
        let sent = try Message(
            json: call(client, "message.send", ["to": .string(try bert.account.id), "files": [name(id)]]))
        let attachment = try #require(sent.attachments.first)
        #expect(attachment.name == "data.bin" && attachment.size == 300_000 && attachment.path == nil)
        #expect(try call(client, "upload.list")["uploads"] == [])
        client = try again()
        let offered = try Patience.until("the offer to come", report: bert.logTail) {
            try bert.call("transfer.list")["transfers"]?.array?.first?["id"]
        }
        try bert.call("transfer.accept", ["id": offered])
        let path = bert.downloadsPath + "/data.bin"
        try Patience.until("the file to come", report: bert.logTail) {
            try bert.call("transfer.get", ["id": offered])["state"] == "done"
        }
        #expect(try TextFile.holds(path, bytes))
        // The page doesn't take back what a message names.
        #expect(try refusal(client, "upload.cancel", ["id": id]) != nil)
        var status = stat()
        #expect(stat("\(anna.dataPath)/uploads/\(begun.id)/content/data.bin", &status) == 0)
        #expect(status.st_mode & 0o777 == 0o600)
    }

    @Test("Type, size, room and number are checked before there is a file, also at full speed")
    func quotas() throws {
        let daemon = try DaemonProcess.launch(name: "Anna")
        let client = try gateway(daemon)
        try daemon.set("files.allowedTypes", to: ["txt"])
        try daemon.set("files.maxSendBytes", to: 1000)
        for (params, kind): (JSONObject, Reason) in [
            (["name": "a.exe", "size": 1], .typeNotAllowed), (["name": "a.txt", "size": 1001], .tooLarge),
            (["name": "../a.txt", "size": 1], .invalid), (["name": "a.txt", "size": 1, "path": "b/a.txt"], .invalid),
        ] {
            #expect(try refusal(client, "upload.begin", params)?.kind == kind, "\(params)")
        }
        #expect(folders(daemon).isEmpty)
        try daemon.set("files.freeSpaceFloorBytes", to: .integer(4 << 40))
        #expect(try refusal(client, "upload.begin", ["name": "a.txt", "size": 1])?.kind == .noSpace)
        #expect(folders(daemon).isEmpty)
        try daemon.set("files.freeSpaceFloorBytes", to: 0)
        for _ in 0..<500 { _ = try client.send("upload.begin", ["name": "a.txt", "size": 10]) }
        var (taken, busy): ([JSONValue], Int) = ([], 0)
        for _ in 0..<500 {
            switch try client.nextReply(timeout: .seconds(20)).outcome {
            case .result(let value): taken.append(value["id"] ?? .null)
            case .error(let error): if error.kind == .busy { busy += 1 }
            }
        }
        #expect(taken.count == 256 && busy == 244)
        #expect(folders(daemon).count == 256)
        // One that writes more than it said has nothing of it.
        do {
            let (socket, _) = try open(taken[0], client)
            defer { close(socket) }
            _ = send(Array(repeating: 1, count: 11), to: socket)
            #expect(end(of: socket) == .tooMuch)
        }
        #expect(try refusal(client, "upload.finish", ["id": taken[0]])?.kind == .invalid)
        for id in taken { _ = try call(client, "upload.cancel", ["id": id]) }
        #expect(folders(daemon).isEmpty)
        #expect(try refusal(client, "upload.cancel", ["id": taken[0]])?.kind == .notFound)
    }

    @Test("A folder comes file by file, into places beneath it only, and is sent whole")
    func folder() throws {
        let (anna, bert) = try MessageProcessTests.friends()
        var client = try gateway(anna)
        let folder = try #require(try call(client, "upload.begin", ["name": "trip", "folder": true])["id"])
        for (path, text) in [("a.txt", "one"), ("days/1/b.txt", "two"), ("days/1/c.txt", "three")] {
            let leaf = path.split(separator: "/").last.map(String.init) ?? ""
            _ = try upload(
                SampleFiles.text(text), as: leaf, client, more: ["in": folder, "path": .string(path)])
        }
        for path in ["../x.txt", "/etc/x.txt", "days/../../x.txt", "./x.txt", "days//x.txt"] {
            #expect(
                try refusal(client, "upload.begin", ["name": "x.txt", "in": folder, "path": .string(path)])?.kind
                    == .invalid)
        }
        #expect(
            try refusal(client, "upload.begin", ["name": "a.txt", "in": folder, "path": "a.txt"])?.kind
                == .alreadyExists)
        // A link in the way leads nowhere, and tells nothing of what is there.
        let inside = "\(anna.dataPath)/uploads/\(folder.string ?? "")/content/trip"
        let outside = try TemporaryDirectory()
        close(creat(outside.path + "/y.txt", 0o600))
        #expect(symlink(outside.path, inside + "/link") == 0)
        let lured = try #require(
            try call(client, "upload.begin", ["name": "y.txt", "in": folder, "path": "link/y.txt"])["id"])
        #expect(try refusal(client, "upload.finish", ["id": lured]) != nil)
        #expect(TemporaryDirectory.names(in: outside.path) == ["y.txt"])
        #expect(try refusal(client, "upload.finish", ["id": folder])?.kind == .invalid)
        _ = try call(client, "upload.cancel", ["id": lured])
        #expect(unlink(inside + "/link") == 0)
        anna.kill()
        try anna.start()
        client = try gateway(anna)
        let listed = try Upload(json: call(client, "upload.list")["uploads"]?.array?.first ?? .null)
        #expect(listed.files == 3 && listed.received == 11 && !listed.finished)
        #expect(try Upload(json: call(client, "upload.finish", ["id": folder])).finished)
        _ = try call(client, "message.send", ["to": .string(try bert.account.id), "files": [name(folder)]])
        let offered = try Patience.until("the offer to come", report: bert.logTail) {
            try bert.call("transfer.list")["transfers"]?.array?.first?["id"]
        }
        try bert.call("transfer.accept", ["id": offered])
        try Patience.until("the folder to come", report: bert.logTail) {
            try bert.call("transfer.get", ["id": offered])["state"] == "done"
        }
        #expect(try TextFile.text(bert.downloadsPath + "/trip/days/1/c.txt") == "three")
    }

    @Test("A kill at any moment of a hundred uploads leaves whole ones, ones to go on with, and nothing else")
    func kills() throws {
        let daemon = try DaemonProcess.launch(name: "Anna")
        for round in 0..<8 {
            let client = try gateway(daemon)
            for number in 0..<12 {
                _ = try client.send("upload.begin", ["name": .string("\(round)-\(number).txt"), "size": 3])
            }
            try client.flush(timeout: .seconds(5))
            usleep(UInt32(round * 700))
            daemon.kill()
            // What was answered is there; what was not may be.
            var answered: Set<String> = []
            while let reply = try? client.nextReply(timeout: .seconds(1)) {
                if case .result(let value) = reply.outcome { answered.insert(value["id"]?.string ?? "") }
            }
            try daemon.start()
            let second = try gateway(daemon)
            let uploads = try (call(second, "upload.list")["uploads"]?.array ?? []).map { try Upload(json: $0) }
            #expect(answered.isSubset(of: uploads.map(\.id)))
            #expect(Set(uploads.map(\.id)) == Set(folders(daemon)))
            for upload in uploads {
                let id = JSONValue.string(upload.id)
                if round % 2 == 0, !upload.finished {
                    _ = try write(SampleFiles.text("abc"), to: id, second)
                    #expect(try Upload(json: call(second, "upload.finish", ["id": id])).finished)
                }
                _ = try call(second, "upload.cancel", ["id": id])
            }
            #expect(folders(daemon).isEmpty)
        }
    }

    @Test(
        "On a full disk nothing begins, what was begun stays as it is, and goes on when there is room",
        .enabled(if: getuid() == 0, "it takes root to mount a small file system"))
    func fullDisk() throws {
        let daemon = try DaemonProcess(name: "Anna", options: .init())
        guard let disk = SmallDisk(at: daemon.dataPath, bytes: 8 << 20) else { return }
        defer { withExtendedLifetime(disk) {} }
        try daemon.start()
        try daemon.set("files.allowedTypes", to: ["*"])
        try daemon.set("files.freeSpaceFloorBytes", to: 0)
        try daemon.createAccount()
        let client = try gateway(daemon)
        // More than there is room for is refused at once, with what others may still write.
        #expect(try refusal(client, "upload.begin", ["name": "a.bin", "size": .integer(8 << 20)])?.kind == .noSpace)
        let id = try #require(try call(client, "upload.begin", ["name": "a.bin", "size": 200_000])["id"])
        disk.fill()
        #expect(try refusal(client, "upload.begin", ["name": "b.bin", "size": 200_000])?.kind == .noSpace)
        #expect(folders(daemon) == [id.string ?? ""])
        let bytes = [UInt8](repeating: 9, count: 200_000)
        do {
            let (socket, _) = try open(id, client)
            defer { close(socket) }
            _ = send(bytes, to: socket)
            #expect(end(of: socket) == .noSpace)
        }
        #expect(try refusal(client, "upload.finish", ["id": id])?.kind == .invalid)
        disk.makeRoom()
        let received = try #require(
            try call(client, "upload.list")["uploads"]?.array?.first?["received"]?.integer)
        #expect(try write(bytes[Int(received)...], to: id, client) == received)
        #expect(try Upload(json: call(client, "upload.finish", ["id": id])).finished)
    }

    @Test(
        "A finished upload and what is known of it outlive a power cut right after the answer",
        arguments: [PowerCut.Loss.all, .halves, .torn], [false, true])
    func powerCut(loss: PowerCut.Loss, isPut: Bool) throws {
        let disk = try TestDisk()
        let daemon = try DaemonProcess(name: "Anna", options: DaemonProcess.Options())
        try disk.carry(daemon)
        try daemon.start()
        try daemon.createAccount()
        let client = try gateway(daemon)
        let folder = try #require(try call(client, "upload.begin", ["name": "Photos", "folder": true])["id"])
        _ = try upload([], as: "a.txt", client, more: ["in": folder, "path": "2026/a.txt"])
        _ = try call(client, "upload.finish", ["id": folder])
        // Last, because a folder synchronises the whole disk.
        let file: JSONValue
        if isPut {
            let put = try call(client, "upload.put", ["paths": ["three.txt"], "contents": ["AQID"]])
            file = try #require(put["ids"]?.array?.first)
        } else {
            file = try upload([1, 2, 3], as: "three.txt", client)
        }
        let position = disk.position
        daemon.kill()
        var random = SeededGenerator(seed: 4)
        let side = PowerCut.Side(roots: TestDisk.roots(of: daemon), loss: loss)
        try PowerCut([side]).state(of: disk.log(), at: position, using: &random).write()
        try daemon.start()
        let found = try call(gateway(daemon), "upload.list")["uploads"]?.array ?? []
        #expect(Set(found.compactMap { $0["id"] }) == [file, folder])
        #expect(found.allSatisfy { $0["finished"] == true })
        let place = "\(daemon.dataPath)/uploads/\(folder.string ?? "")/content/Photos/2026/a.txt"
        #expect(access(place, F_OK) == 0)
        #expect(try TextFile.bytes("\(daemon.dataPath)/uploads/\(file.string ?? "")/content/three.txt") == [1, 2, 3])
    }

    @Test("An avatar and an address book come by upload, too")
    func otherUses() throws {
        let daemon = try DaemonProcess.launch(name: "Anna")
        try daemon.set("files.allowedTypes", to: ["txt"])
        let client = try gateway(daemon)
        let face = try upload(
            SampleFiles.png(width: 90, height: 60), as: "face.png", client, more: ["purpose": "picture"])
        let account = try call(client, "account.update", ["avatarPath": name(face)])
        #expect(account["avatar"] == .null)
        #expect(try daemon.account.avatar != nil)
        let card = SampleFiles.text("BEGIN:VCARD\nVERSION:4.0\nUID:1\nFN:Ben\nEMAIL:ben@example.org\nEND:VCARD\n")
        let book = try upload(card, as: "book.vcf", client, more: ["purpose": "addressBook"])
        #expect(try call(client, "addressBook.import", ["path": name(book)])["added"] == 1)
        for id in [face, book] { _ = try call(client, "upload.cancel", ["id": id]) }
        let notHere: JSONValue = "upload:019ac0de-0000-7000-8000-000000000001"
        let refused = try refusal(client, "account.update", ["avatarPath": notHere])
        #expect(refused?.kind == .notFound)
        #expect(try refusal(client, "account.update", ["avatarPath": "upload:x"])?.kind == .invalid)
    }
}
