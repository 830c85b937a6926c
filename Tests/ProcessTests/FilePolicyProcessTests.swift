import Basics
import ControlProtocol
import Glibc
import TestSupport
import Testing
import Vocabulary

/// Tests which files real daemons exchange with the default settings, and what settings change.
@Suite("Which files real daemons exchange", .serialized)
struct FilePolicyProcessTests {
    /// Two friends whose settings of files are the defaults.
    static func friends() throws -> (DaemonProcess, DaemonProcess) {
        var options = DaemonProcess.Options(discoveryPort: try FreePort.udp())
        options.asksForFiles = false
        let anna = try DaemonProcess.launch(name: "Anna", options: options)
        let bert = try DaemonProcess.launch(name: "Bert", options: options)
        try anna.befriend(bert)
        return (anna, bert)
    }

    static func send(_ path: String, from sender: DaemonProcess, to receiver: DaemonProcess) throws -> String {
        let sent = try sender.call(
            "transfer.send", ["to": .string(try receiver.account.id), "paths": [.string(path)]])
        return try Transfer(json: try #require(sent["transfers"]?.array?.first)).id
    }

    static func refusal(_ body: () throws -> Void) -> ControlError? {
        do {
            try body()
        } catch ClientError.refused(let error) {
            return ControlError(
                error.kind ?? .internal, error.message, hint: error.hint, field: error.field)
        } catch {}
        return nil
    }

    @Test("A folder that the settings name gets everything of a friend, and is not made; while it is away, offers wait")
    func folders() throws {
        let (anna, bert) = try MessageProcessTests.friends()
        let folder = try bert.directory.makeDirectory("drop")
        let missing = bert.directory.file("missing")
        let refused = Self.refusal { try bert.set("files.folders", to: [.string("*=" + missing)]) }
        #expect(refused?.kind == .invalid && refused?.field == "value")
        try bert.set("files.folders", to: [.string("*=" + folder)])
        func send(_ name: String) throws -> String {
            let path = anna.directory.file(name)
            try TextFile.write(name.utf8, to: path)
            return try Self.send(path, from: anna, to: bert)
        }
        let first = try send("first.bin")
        #expect(try FileProcessTests.waitForEnd(first, at: anna).state == .done)
        #expect(try TextFile.text(folder + "/first.bin") == "first.bin")
        #expect(access(bert.downloadsPath, F_OK) != 0)
        #expect(rename(folder, folder + ".away") == 0)
        _ = try send("second.bin")
        let offer = try Patience.until("the offer waits", report: bert.logTail) {
            try bert.call("transfer.list", ["state": "offered"])["transfers"]?.array?.first?["id"]?.string
        }
        #expect(Self.refusal { _ = try bert.call("transfer.accept", ["id": .string(offer)]) }?.kind == .invalid)
        #expect(access(folder, F_OK) != 0)
        let checks = try (bert.call("system.doctor")["checks"]?.array ?? []).map { try DoctorCheck(json: $0) }
        #expect(checks.contains { !$0.ok && $0.findings.first?.parameters["path"]?.string == folder })
        // A folder that is away stays in the list.
        try bert.set("files.folders", to: [.string("*=" + folder)])
        #expect(rename(folder + ".away", folder) == 0)
        _ = try bert.call("transfer.accept", ["id": .string(offer)])
        #expect(try FileProcessTests.waitForEnd(offer, at: bert).state == .done)
        #expect(try TextFile.text(folder + "/second.bin") == "second.bin")
    }

    @Test("Downloads go where user-dirs.dirs of the user's home says; after a change what has come stays where it is")
    func userDirectories() throws {
        var options = DaemonProcess.Options(discoveryPort: try FreePort.udp())
        options.asksForFiles = false
        let anna = try DaemonProcess.launch(name: "Anna", options: options)
        let bert = try DaemonProcess(name: "Bert", options: options)
        let home = bert.directory.file("home")
        for name in ["home", "home/.config"] where access(bert.directory.file(name), F_OK) != 0 {
            try bert.directory.makeDirectory(name)
        }
        func say(_ folder: String) throws {
            try TextFile.write("XDG_DOWNLOAD_DIR=\"\(folder)\"\n".utf8, to: home + "/.config/user-dirs.dirs")
        }
        try say("$HOME/Téléchargements")
        // Empty ones don't count: the file in his home does.
        for name in ["XDG_DOWNLOAD_DIR", "XDG_CONFIG_HOME"] { bert.options.environment[name] = "" }
        try bert.start()
        try bert.createAccount()
        try anna.befriend(bert)
        let note = anna.directory.file("note.txt")
        try TextFile.write("hello\n".utf8, to: note)
        let first = try Self.send(note, from: anna, to: bert)
        #expect(try FileProcessTests.waitForEnd(first, at: anna).state == .done)
        let place = home + "/Téléchargements/Kibo/note.txt"
        #expect(try FileProcessTests.transfer(first, at: bert).path == place)
        #expect(try TextFile.text(place) == "hello\n")

        try bert.stop()
        let disk = try bert.directory.makeDirectory("disk")
        try say(disk + "/in")
        try bert.start()
        let second = try Self.send(note, from: anna, to: bert)
        #expect(try FileProcessTests.waitForEnd(second, at: anna).state == .done)
        #expect(try FileProcessTests.transfer(second, at: bert).path == disk + "/in/Kibo/note.txt")
        #expect(try FileProcessTests.transfer(first, at: bert).path == place)
        #expect(try TextFile.text(place) == "hello\n" && TextFile.text(disk + "/in/Kibo/note.txt") == "hello\n")
        #expect(access(home + "/Downloads", F_OK) != 0)
    }

    @Test("A small document is taken without asking and lies in the usual place; a large one waits for an answer")
    func autoDownload() throws {
        let (anna, bert) = try Self.friends()
        let text = anna.directory.file("note.txt")
        try TextFile.write(Array("hello\n".utf8), to: text)
        let small = try Self.send(text, from: anna, to: bert)
        let done = try Patience.until("the note to arrive", report: bert.logTail + anna.logTail) {
            let transfer = try? FileProcessTests.transfer(small, at: bert)
            return transfer?.state == .done ? transfer : nil
        }
        #expect(done.path == bert.downloadsPath + "/note.txt")
        #expect(try TextFile.text(bert.downloadsPath + "/note.txt") == "hello\n")
        #expect(try FileProcessTests.waitForEnd(small, at: anna).state == .done)

        try bert.set("files.autoDownloadMaxBytes", to: 5)
        let asked = try FileProcessTests.offer(text, from: anna, to: bert)
        #expect(try FileProcessTests.transfer(asked, at: bert).state == .offered)
        // He takes everything from this contact.
        let contact = try Contact(
            json: bert.call("contact.update", ["id": .string(try anna.account.id), "autoDownload": "always"]))
        #expect(contact.autoDownload == .always)
        let third = try Self.send(text, from: anna, to: bert)
        #expect(try FileProcessTests.waitForEnd(third, at: anna).state == .done)
        bert.kill()
        try bert.start()
        #expect(try bert.contact(try anna.account.id)?.autoDownload == .always)
        try bert.call("contact.update", ["id": .string(try anna.account.id), "autoDownload": "never"])
        try bert.set("files.autoDownloadMaxBytes", to: nil)
        _ = try FileProcessTests.offer(text, from: anna, to: bert)
    }

    @Test("A sender refuses files that it may not send and names them; it leaves them out of a folder")
    func sender() throws {
        let (anna, bert) = try Self.friends()
        let program = anna.directory.file("setup.exe")
        try TextFile.write(Array("MZ".utf8), to: program)
        let type = Self.refusal { _ = try Self.send(program, from: anna, to: bert) }
        #expect(type?.kind == .typeNotAllowed && type?.message.contains("setup.exe") == true)
        #expect(type?.hint == .seeAllowedTypes)
        let folder = try anna.directory.makeDirectory("things")
        try TextFile.write(Array("MZ".utf8), to: folder + "/setup.exe")
        let nothing = Self.refusal { _ = try Self.send(folder, from: anna, to: bert) }
        #expect(nothing?.kind == .typeNotAllowed)
        try TextFile.write(Array("read me\n".utf8), to: folder + "/read.txt")
        let id = try FileProcessTests.offer(folder, from: anna, to: bert)
        #expect(try FileProcessTests.transfer(id, at: bert).files == 1)
        try anna.set("files.maxSendBytes", to: 4)
        let size = Self.refusal { _ = try Self.send(folder, from: anna, to: bert) }
        #expect(size?.kind == .tooLarge && size?.hint == .seeLargestSent)
        #expect(try anna.call("transfer.list")["transfers"]?.array?.count == 1)
    }

    @Test(
        "A program under a document's name is refused by its content: by the sender, or by the receiver file by file"
    )
    func content() throws {
        let (anna, bert) = try Self.friends()
        let folder = try anna.directory.makeDirectory("things")
        var misnamed: Set<String> = []
        for (index, (name, bytes)) in SampleFiles.disguised.enumerated() {
            try TextFile.write(bytes, to: folder + "/\(index) \(name)")
            let refusal = Self.refusal { _ = try Self.send(folder + "/\(index) \(name)", from: anna, to: bert) }
            // A picture or document under another one's name goes under its own, which is on the list.
            let isMisnamed = ["picture.jpg", "table.xlsx"].contains(name) || bytes == SampleFiles.gif()
            if isMisnamed { misnamed.insert("\(index) \(name)") }
            #expect(refusal?.kind == (isMisnamed ? nil : .typeNotAllowed), "\(name)")
        }
        // In a folder these keep their names, and nothing else goes.
        let some = try FileProcessTests.transfer(Self.send(folder, from: anna, to: bert), at: anna)
        #expect(some.files == 3 && misnamed.count == 3 && some.skipped == Int64(SampleFiles.disguised.count - 3))
        let only = try anna.directory.makeDirectory("programs")
        try TextFile.write(SampleFiles.elf, to: only + "/paper.pdf")
        #expect(Self.refusal { _ = try Self.send(only, from: anna, to: bert) }?.kind == .typeNotAllowed)
        // This sender doesn't refuse such files.
        try anna.set("files.allowedTypes", to: ["*"])
        try bert.set("files.autoDownload", to: "never")
        let inbox = try bert.directory.makeDirectory("inbox")
        let single = try FileProcessTests.offer(folder + "/0 paper.pdf", from: anna, to: bert)
        try bert.call("transfer.accept", ["id": .string(single), "path": .string(inbox)])
        for daemon in [bert, anna] {
            let end = try FileProcessTests.waitForEnd(single, at: daemon)
            #expect(end.state == .failed && end.reason == .typeNotAllowed, "\(end)")
        }
        // The part file is removed behind the commit of this state.
        try Patience.until("the part file to be gone", report: bert.logTail) {
            TemporaryDirectory.names(in: inbox).isEmpty
        }
        for (name, bytes) in SampleFiles.documents + SampleFiles.texts + SampleFiles.media {
            try TextFile.write(bytes, to: folder + "/" + name)
        }
        let all = try FileProcessTests.offer(folder, from: anna, to: bert)
        try bert.call("transfer.accept", ["id": .string(all), "path": .string(inbox)])
        let done = try FileProcessTests.waitForEnd(all, at: bert)
        #expect(done.state == .done, "\(done)")
        let expected = Set((SampleFiles.documents + SampleFiles.texts + SampleFiles.media).map(\.name))
        #expect(Set(TemporaryDirectory.names(in: inbox + "/things")) == expected.union(misnamed))
        for (name, bytes) in SampleFiles.documents { #expect(try TextFile.holds("\(inbox)/things/\(name)", bytes)) }
    }

    @Test("A picture's preview and a sound's length come with the offer, and stay with both")
    func previews() throws {
        let (anna, bert) = try Self.friends()
        try bert.set("files.autoDownload", to: "never")
        let picture = anna.directory.file("red and blue.png")
        try TextFile.write(SampleFiles.png(width: 640, height: 320), to: picture)
        let sound = anna.directory.file("silence.wav")
        try TextFile.write(SampleFiles.wav(seconds: 2), to: sound)
        let bomb = anna.directory.file("bomb.png")
        try TextFile.write(SampleFiles.png(width: 1, height: 1, claimed: (60_000, 60_000)), to: bomb)
        let sent = try Message(
            json: anna.call(
                "message.send",
                ["to": .string(try bert.account.id), "text": "look", "files": .strings([picture, sound, bomb])]))
        for daemon in [anna, bert] {
            let message = try Patience.until("the message at \(daemon.name)", report: daemon.logTail) {
                try? Message(json: daemon.call("message.get", ["id": .string(sent.id)]))
            }
            #expect(message.kind == .file && message.attachments.map(\.kind) == [.image, .audio, .image])
            #expect(message.attachments.map(\.mediaType) == ["image/png", "audio/wav", "image/png"])
            #expect(message.attachments.map(\.duration) == [nil, 2000, nil])
            #expect(message.attachments.map { $0.preview != nil } == [true, false, false])
            let preview = try #require(message.attachments.first?.preview)
            // This is the base 64 of FF D8 FF, with which a JPEG begins.
            #expect(preview.hasPrefix("/9j/") && preview.utf8.count <= 44 << 10)
        }
    }

    @Test("A receiver refuses an offer by type, size and room, and the sender hears why")
    func receiver() throws {
        let (anna, bert) = try Self.friends()
        try anna.set("files.allowedTypes", to: ["*"])
        let program = anna.directory.file("setup.exe")
        try TextFile.write(Array("MZ".utf8), to: program)
        let text = anna.directory.file("note.txt")
        try TextFile.write(Array("hello\n".utf8), to: text)
        func expect(_ kind: Reason, _ path: String) throws {
            let id = try Self.send(path, from: anna, to: bert)
            for daemon in [anna, bert] {
                let end = try Patience.until("\(kind) at \(daemon.name)", report: anna.logTail + bert.logTail) {
                    let transfer = try? FileProcessTests.transfer(id, at: daemon)
                    return transfer?.state.isOver == true ? transfer : nil
                }
                #expect(end.state == .declined && end.reason == kind, "\(end)")
                #expect(end.detail?.isEmpty == false)
            }
        }
        try expect(.typeNotAllowed, program)
        try bert.set("files.maxReceiveBytes", to: 5)
        try expect(.tooLarge, text)
        try bert.set("files.maxReceiveBytes", to: nil)
        try bert.set("files.freeSpaceFloorBytes", to: .integer(4 << 40))
        try expect(.noSpace, text)
        // A transfer that waited for an answer is refused with a reason that can be mended, and stays.
        try bert.set("files.freeSpaceFloorBytes", to: nil)
        try bert.set("files.autoDownload", to: "never")
        let id = try FileProcessTests.offer(text, from: anna, to: bert)
        try bert.set("files.freeSpaceFloorBytes", to: .integer(4 << 40))
        let full = Self.refusal { try bert.call("transfer.accept", ["id": .string(id)]) }
        #expect(full?.kind == .noSpace && full?.hint == .freeSpaceOrOtherFolder)
        #expect(try FileProcessTests.transfer(id, at: bert).state == .offered)
        // The user chooses another directory, which is made if it is missing.
        try bert.set("files.freeSpaceFloorBytes", to: nil)
        try bert.set("files.downloadDirectory", to: .string(bert.directory.file("inbox/of/mine")))
        try bert.call("transfer.accept", ["id": .string(id)])
        let done = try FileProcessTests.waitForEnd(id, at: bert)
        #expect(done.path == bert.directory.file("inbox/of/mine/note.txt"), "\(done)")
    }
}
