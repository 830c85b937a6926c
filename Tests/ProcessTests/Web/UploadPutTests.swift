import Basics
import ControlProtocol
import Glibc
import TestSupport
import Testing
import Vocabulary

/// Goal: small files that come in one request are each in its place, or none is anywhere.
@Suite("Small files that come together", .serialized)
struct UploadPutTests {
    private let uploads = UploadTests()

    @Test("Small files come in one request, each an upload of its own that is finished, or none of them")
    func several() throws {
        let (daemon, other) = try MessageProcessTests.friends()
        let client = try uploads.gateway(daemon)
        try daemon.set("files.allowedTypes", to: ["txt"])
        func put(_ files: [(String, String)]) -> JSONObject {
            [
                "paths": .strings(files.map(\.0)),
                "contents": .strings(files.map { Base64.encode(Array($0.1.utf8)) }),
            ]
        }
        let root = "\(daemon.dataPath)/uploads"
        for bad in ["../a.txt", "b/c.txt", "", "e.txt ", ".."] {
            let files = [("one.txt", "1"), (bad, "x")]
            #expect(try uploads.refusal(client, "upload.put", put(files))?.kind == .invalid, "\(bad)")
        }
        #expect(
            try uploads.refusal(client, "upload.put", put([("one.txt", "1"), ("a.exe", "1")]))?.kind == .typeNotAllowed)
        let many = (0..<255).map { ("\($0).txt", "x") }
        let waiting = try uploads.call(client, "upload.put", put(many))["ids"]?.array ?? []
        #expect(try uploads.refusal(client, "upload.put", put([("one.txt", "1"), ("two.txt", "2")]))?.kind == .busy)
        #expect(TemporaryDirectory.names(in: root).count == 255)
        for id in waiting { _ = try uploads.call(client, "upload.cancel", ["id": id]) }
        #expect(TemporaryDirectory.names(in: root).isEmpty)
        #expect(try uploads.call(client, "upload.list")["uploads"] == [])

        let files = [("one.txt", "1"), ("two.txt", ""), ("one.txt", "three")]
        let answer = try uploads.call(client, "upload.put", put(files))
        let ids = (answer["ids"]?.array ?? []).compactMap(\.string)
        #expect(ids.count == 3 && answer["leftOut"] == [])
        let listed = try (uploads.call(client, "upload.list")["uploads"]?.array ?? []).map { try Upload(json: $0) }
        let received = ids.map { id in listed.first { $0.id == id && $0.finished }?.received }
        #expect(listed.count == 3 && received == [1, 0, 5])
        // They outlive a kill from now on.
        daemon.kill()
        try daemon.start()
        let again = try uploads.gateway(daemon)
        let sent = try Message(
            json: uploads.call(
                again, "message.send",
                ["to": .string(try other.account.id), "files": .strings(ids.map { "upload:\($0)" })]))
        #expect(sent.attachments.map(\.name) == files.map(\.0) && sent.attachments.map(\.size) == [1, 0, 5])
        #expect(try TextFile.bytes("\(root)/\(ids[2])/content/one.txt") == Array("three".utf8))
    }

    @Test(
        "Small files of a folder come in one request, each in its place; what can't have its place stays behind, and nothing is written outside of it"
    )
    func small() throws {
        let daemon = try DaemonProcess.launch(name: "Anna")
        let client = try uploads.gateway(daemon)
        try daemon.set("files.allowedTypes", to: ["txt"])
        try daemon.set("files.maxSendBytes", to: 1000)
        let id = try #require(try uploads.call(client, "upload.begin", ["name": "plans", "folder": true])["id"])
        func put(_ files: [(String, String)], anyType: Bool = false) -> JSONObject {
            [
                "in": id, "paths": .strings(files.map(\.0)),
                "contents": .strings(files.map { Base64.encode(Array($0.1.utf8)) }),
                "anyType": .bool(anyType),
            ]
        }
        let root = "\(daemon.dataPath)/uploads/\(id.string ?? "")/content/plans"
        let odd = ["../a.txt", "b/../../c.txt", "/d.txt", "e.txt ", "f\u{1B}.txt", "", "g//h.txt"]
        let files = [("one.txt", "1"), ("old/new/two.txt", ""), ("old/three.txt", "333")] + odd.map { ($0, "x") }
        #expect(try uploads.call(client, "upload.put", put(files))["leftOut"] == .strings(odd))
        // A request whose answer was lost comes again, and changes nothing.
        #expect(try uploads.call(client, "upload.put", put(files))["leftOut"] == .strings(odd))
        #expect(
            try uploads.refusal(client, "upload.put", put([("four.txt", "4"), ("one.txt", "2")]))?.kind
                == .alreadyExists)
        #expect(try uploads.refusal(client, "upload.put", put([("one.txt", "10")]))?.kind == .alreadyExists)
        #expect(try uploads.refusal(client, "upload.put", put([("old", "1")], anyType: true))?.kind == .alreadyExists)
        #expect(try uploads.refusal(client, "upload.put", put([("a.exe", "1")]))?.kind == .typeNotAllowed)
        #expect(
            try uploads.refusal(client, "upload.put", put([("b.txt", String(repeating: "b", count: 996))]))?.kind
                == .tooLarge)
        var uneven = put([("c.txt", "c")])
        uneven["contents"] = ["Yw==", "Yw=="]
        #expect(try uploads.refusal(client, "upload.put", uneven)?.kind == .invalid)
        uneven["contents"] = ["c"]
        #expect(try uploads.refusal(client, "upload.put", uneven)?.kind == .invalid)
        #expect(try uploads.call(client, "upload.put", put([("d.exe", "d")], anyType: true))["leftOut"] == [])
        let done = try Upload(json: uploads.call(client, "upload.finish", ["id": id]))
        #expect(done.files == 5 && done.received == 6 && done.finished)
        #expect(try uploads.refusal(client, "upload.put", put([("late.txt", "1")])) != nil)
        #expect(try TextFile.bytes(root + "/old/three.txt") == Array("333".utf8))
        #expect(TemporaryDirectory.names(in: root).sorted() == ["d.exe", "four.txt", "old", "one.txt"])
        #expect(TemporaryDirectory.names(in: "\(daemon.dataPath)/uploads").count == 1)
    }
}
