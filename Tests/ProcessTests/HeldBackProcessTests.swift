import Basics
import ControlProtocol
import Glibc
import TestSupport
import Testing
import Vocabulary

/// Goal: a file of any type can be sent and taken if both users say so, and nothing of it is here before that.
@Suite("Offers that are held back", .serialized)
struct HeldBackProcessTests {
    private func transfers(_ sent: JSONValue) throws -> [Transfer] {
        try (sent["transfers"]?.array ?? []).map { try Transfer(json: $0) }
    }

    private func send(_ path: String, from sender: DaemonProcess, to receiver: DaemonProcess) throws -> String {
        let sent = try sender.call(
            "transfer.send", ["to": .string(try receiver.account.id), "paths": [.string(path)], "anyType": true])
        return try #require(transfers(sent).first).id
    }

    private func wait(
        _ id: String, at daemon: DaemonProcess, for what: String, _ isThere: (Transfer) -> Bool
    ) throws -> Transfer {
        try Patience.until("\(what) at \(daemon.name)", report: daemon.logTail) {
            let transfer = try? FileProcessTests.transfer(id, at: daemon)
            return transfer.map(isThere) == true ? transfer : nil
        }
    }

    @Test("An archive is held back, survives a restart, is not taken without the word, and comes with it")
    func archive() throws {
        let (anna, bert) = try FilePolicyProcessTests.friends()
        try bert.call("contact.update", ["id": .string(try anna.account.id), "autoDownload": "always"])
        let archive = anna.directory.file("tools.zip")
        let bytes = SampleFiles.zip(["a"])
        try TextFile.write(bytes, to: archive)
        chmod(archive, 0o755)
        let refusal = FilePolicyProcessTests.refusal {
            _ = try FilePolicyProcessTests.send(archive, from: anna, to: bert)
        }
        #expect(refusal?.kind == .typeNotAllowed && refusal?.hint == .seeAllowedTypes)
        #expect(refusal?.message.contains("tools.zip can't be sent: files of type zip are not sent") == true)

        let id = try send(archive, from: anna, to: bert)
        for daemon in [bert, anna] {
            let held = try wait(id, at: daemon, for: "the offer that is held back") { $0.heldBack == .type }
            #expect(held.state == .offered && held.unlisted == ["zip"])
        }
        let why = try bert.call(
            "message.why", ["id": .string(try FileProcessTests.transfer(id, at: bert).message ?? "")])
        #expect("\(why)".contains("file_held_back_here"))
        bert.kill()
        try bert.start()
        #expect(try FileProcessTests.transfer(id, at: bert).heldBack == .type)
        let bare = FilePolicyProcessTests.refusal { try bert.call("transfer.accept", ["id": .string(id)]) }
        #expect(bare?.kind == .typeNotAllowed && bare?.hint == .takeAnyway && bare?.field == "anyway")
        #expect(try FileProcessTests.transfer(id, at: bert).state == .offered)
        #expect(TemporaryDirectory.names(in: bert.downloadsPath).isEmpty)

        try bert.call("transfer.accept", ["id": .string(id), "anyway": true])
        for daemon in [bert, anna] {
            let done = try FileProcessTests.waitForEnd(id, at: daemon)
            #expect(done.state == .done && done.heldBack == nil, "\(done)")
        }
        let place = bert.downloadsPath + "/tools.zip"
        #expect(try TextFile.holds(place, bytes))
        #expect(access(place, X_OK) != 0, "it can't be executed")
    }

    @Test("Content that is not what the name says doesn't come, whatever both users say")
    func content() throws {
        let (anna, bert) = try FilePolicyProcessTests.friends()
        let liar = anna.directory.file("paper.zip")
        try TextFile.write(SampleFiles.disguised[0].bytes, to: liar)
        let refusal = FilePolicyProcessTests.refusal { _ = try send(liar, from: anna, to: bert) }
        #expect(refusal?.kind == .typeNotAllowed && refusal?.hint == .renameFile, "\(String(describing: refusal))")
        // This sender doesn't look.
        try anna.set("files.allowedTypes", to: ["*"])
        let id = try send(liar, from: anna, to: bert)
        _ = try wait(id, at: bert, for: "the offer") { $0.heldBack == .type }
        try bert.call("transfer.accept", ["id": .string(id), "anyway": true])
        for daemon in [bert, anna] {
            let end = try FileProcessTests.waitForEnd(id, at: daemon)
            #expect(end.state == .failed && end.reason == .typeNotAllowed, "\(end)")
        }
        #expect(TemporaryDirectory.names(in: bert.downloadsPath).allSatisfy { !$0.contains("paper") })
    }

    @Test(
        "A folder is held back as a whole with the word, and goes without such files else; what is taken can't be run")
    func folder() throws {
        let (anna, bert) = try FilePolicyProcessTests.friends()
        let folder = try anna.directory.makeDirectory("kit")
        try TextFile.write(Array("read me\n".utf8), to: folder + "/read.txt")
        try TextFile.write(Array("#!/bin/sh\necho hi\n".utf8), to: folder + "/install.sh")
        try TextFile.write(Array("#!/bin/sh\necho hi\n".utf8), to: folder + "/configure")
        for name in ["install.sh", "configure"] { chmod(folder + "/" + name, 0o755) }
        let some = try FilePolicyProcessTests.send(folder, from: anna, to: bert)
        let offered = try wait(some, at: bert, for: "the offer") { _ in true }
        #expect(offered.files == 1 && offered.heldBack == nil && offered.skipped == 2)

        let all = try send(folder, from: anna, to: bert)
        let held = try wait(all, at: bert, for: "the offer") { _ in true }
        #expect(held.files == 3 && held.heldBack == .type && held.unlisted == ["", "sh"] && held.skipped == 0)
        let inbox = try bert.directory.makeDirectory("inbox")
        try bert.call("transfer.accept", ["id": .string(all), "anyway": true, "path": .string(inbox)])
        #expect(try FileProcessTests.waitForEnd(all, at: bert).state == .done)
        #expect(Set(TemporaryDirectory.names(in: inbox + "/kit")) == ["read.txt", "install.sh", "configure"])
        for name in ["install.sh", "configure"] { #expect(access("\(inbox)/kit/\(name)", X_OK) != 0, "\(name)") }
        #expect(access(inbox + "/kit", X_OK) == 0)
    }

    @Test("Once the settings let the type through, the offer is one like others; a declined one stays declined")
    func settings() throws {
        let (anna, bert) = try FilePolicyProcessTests.friends()
        let archive = anna.directory.file("tools.zip")
        try TextFile.write(SampleFiles.zip(["a"]), to: archive)
        let (one, other) = (try send(archive, from: anna, to: bert), try send(archive, from: anna, to: bert))
        for id in [one, other] { _ = try wait(id, at: bert, for: "the offer") { $0.heldBack == .type } }
        try bert.call("transfer.decline", ["id": .string(other)])
        #expect(try FileProcessTests.waitForEnd(other, at: anna).state == .declined)
        let late = FilePolicyProcessTests.refusal {
            try bert.call("transfer.accept", ["id": .string(other), "anyway": true])
        }
        #expect(late?.kind == .invalid)
        try bert.set("files.allowedTypes", to: ["zip"])
        try bert.call("transfer.accept", ["id": .string(one)])
        #expect(try FileProcessTests.waitForEnd(one, at: bert).state == .done)
    }

    @Test("In a group an archive is held back by each member, and fetched by the one who takes it")
    func group() throws {
        let (anna, bert) = try FilePolicyProcessTests.friends()
        let group = try Group(
            json: anna.call("group.create", ["name": "Hikers", "members": [.string(try bert.account.id)]]))
        let conversation = try #require(group.conversation)
        try Patience.until("the group", report: bert.logTail) {
            (try? bert.call("group.list")["groups"]?.array?.count) == 1
        }
        let archive = anna.directory.file("tools.zip")
        try TextFile.write(SampleFiles.zip(["a"]), to: archive)
        let sent = try Message(
            json: anna.call(
                "message.send", ["conversation": .string(conversation), "files": .strings([archive]), "anyType": true]))
        let message = try Patience.until("the message", report: bert.logTail) {
            try? Message(json: bert.call("message.get", ["id": .string(sent.id)]))
        }
        let file = try #require(message.attachments.first)
        #expect(file.heldBack == .type && file.unlisted == ["zip"] && file.state == .offered)
        try bert.call("transfer.accept", ["id": .string(file.transfer), "anyway": true])
        #expect(try FileProcessTests.waitForEnd(file.transfer, at: bert).state == .done)
    }
}
