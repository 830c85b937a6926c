import Basics
import ControlProtocol
import Glibc
import TestSupport
import Testing

/// A phone with LocalSend, played by the client in Tests/Web/phone.py.
struct FakePhone {
    private let child: ChildProcess
    private let output: String
    private static let program =
        "/" + #filePath.split(separator: "/").dropLast(2).joined(separator: "/") + "/Web/phone.py"

    /// Offers files with these names to a daemon, each with its name a thousand times in it, and gives what is taken. `NAME<PATH` has
    /// what is at the path in it.
    init(to daemon: DaemonProcess, _ names: [String]) throws {
        let port = try Patience.until("a port for phones") { try daemon.call("guest.list")["port"]?.integer }
        output = daemon.directory.file("phone-\(port)-\(names.joined(separator: "+").utf8.count)")
        child = try ChildProcess(
            ChatProcessTests.python ?? "/usr/bin/python3", ["-B", Self.program, "\(port)"] + names,
            environment: ["PATH": "/usr/bin:/bin", "LC_ALL": "C.UTF-8"], outputPath: output)
    }

    /// What it was answered: to the offer, and for each file that was taken.
    func answers() throws -> [String] {
        #expect(child.wait(Patience.usual) == .exited(0))
        return try TextFile.text(output).split(separator: "\n").map(String.init)
    }
}

/// Goal: what phones offer comes in by the user's word only, whole, under safe names, and stands in the notes; and the bridge to
/// them is gone with the switch.
@Suite("Phones with LocalSend", .serialized)
struct PhoneProcessTests {
    /// A daemon that takes part, and the first offer of a phone.
    private func offered(_ anna: DaemonProcess, _ names: [String]) throws -> (phone: FakePhone, offer: GuestOffer) {
        let phone = try FakePhone(to: anna, names)
        let offer = try Patience.until("an offer") { try offers(anna).first { $0.state == .waiting } }
        return (phone, offer)
    }

    private func offers(_ daemon: DaemonProcess) throws -> [GuestOffer] {
        try (daemon.call("guest.list")["offers"]?.array ?? []).map { try GuestOffer(json: $0) }
    }

    private func launch() throws -> (DaemonProcess, downloads: String) {
        let anna = try DaemonProcess.launch(name: "Anna")
        let downloads = anna.directory.file("from phones/here")
        try anna.set("files.downloadDirectory", to: .string(downloads))
        try anna.set("files.allowedTypes", to: ["txt", "png"])
        try anna.set("localsend.enabled", to: true)
        return (anna, downloads)
    }

    @Test("Some of an offer's files are taken: they are in the folder, and in the notes with the phone's name")
    func some() throws {
        let (anna, downloads) = try launch()
        let names = ["a.txt", "../../b.txt", "a.txt ", "tool.exe"]
        let (phone, offer) = try offered(anna, names)
        #expect(offer.device.name == "Nice Orange" && offer.device.encrypted && offer.files == 4)
        #expect(offer.items.map(\.name) == ["a.txt", "b.txt", "a.txt", "tool.exe"])
        #expect(offer.items.map(\.refusal) == [nil, nil, nil, .typeNotAllowed])
        #expect(throws: ClientError.self) { try anna.call("guest.take", ["offer": .string(offer.id), "items": [3]]) }
        #expect(throws: ClientError.self) { try anna.call("guest.take", ["offer": .string(offer.id), "items": [4]]) }
        try anna.call("guest.take", ["offer": .string(offer.id), "items": [0, 1, 2]])
        #expect(try phone.answers() == ["200", "id0 200", "id1 200", "id2 200"])
        let taken = try Patience.until("the end of the offer") { try offers(anna).first { $0.state == .taken } }
        #expect(taken.id == offer.id && taken.filesDone == 3 && taken.files == 3 && taken.bytesDone == taken.size)

        let notes = try #require(try anna.call("conversation.list")["conversations"]?.array?.first)
        let messages = try #require(
            try anna.call("message.list", ["conversation": notes["id"] ?? .null])["messages"]?.array)
        let note = try Message(json: try #require(messages.first))
        #expect(messages.count == 1 && note.guest == "Nice Orange" && note.text.isEmpty)
        #expect(note.attachments.map(\.path) == ["a.txt", "b.txt", "a (1).txt"].map { "\(downloads)/\($0)" })
        for (path, name) in zip(note.attachments.compactMap(\.path), names) {
            let text = try TextFile.text(path)
            #expect(text == String(repeating: name, count: 1000), "\(path)")
            var status = stat()
            #expect(stat(path, &status) == 0 && status.st_mode & 0o711 == 0o600)
        }
        #expect(Set(TemporaryDirectory.names(in: downloads)) == ["a.txt", "b.txt", "a (1).txt"])
        try anna.stop()
    }

    @Test("Folders of a phone are folders here and in the notes, with what came of them")
    func folders() throws {
        let (anna, downloads) = try launch()
        let names = [
            "Holiday/Day 1/a.txt", "b.txt", "Holiday/c.txt", "Holiday/d.exe", "../Work/e.txt", "Holiday/Day 1/a.txt ",
        ]
        let (phone, offer) = try offered(anna, names)
        #expect(offer.items.map(\.name) == ["a.txt", "b.txt", "c.txt", "d.exe", "e.txt", "a.txt"])
        #expect(offer.items.map(\.folder) == ["Holiday/Day 1", nil, "Holiday", "Holiday", "Work", "Holiday/Day 1"])
        #expect(offer.items.map(\.refusal) == [nil, nil, nil, .typeNotAllowed, nil, nil])
        try anna.call("guest.take", ["offer": .string(offer.id)])
        #expect(try phone.answers() == ["200", "id0 200", "id1 200", "id2 200", "id4 200", "id5 200"])
        let taken = try Patience.until("the end of the offer") { try offers(anna).first { $0.state == .taken } }
        #expect(taken.filesDone == 5 && taken.files == 5)
        let notes = try #require(try anna.call("conversation.list")["conversations"]?.array?.first)
        let messages = try #require(
            try anna.call("message.list", ["conversation": notes["id"] ?? .null])["messages"]?.array)
        let note = try Message(json: try #require(messages.first))
        #expect(messages.count == 1 && note.guest == "Nice Orange")
        #expect(note.attachments.map(\.path) == ["Holiday", "b.txt", "Work"].map { "\(downloads)/\($0)" })
        #expect(note.attachments.map { $0.kind == .folder } == [true, false, true])
        let places = ["Holiday/Day 1/a.txt", "b.txt", "Holiday/c.txt", nil, "Work/e.txt", "Holiday/Day 1/a (1).txt"]
        for (place, name) in zip(places, names) {
            guard let place else { continue }
            let text = try TextFile.text("\(downloads)/\(place)")
            #expect(text == String(repeating: name, count: 1000), "\(place)")
        }
        #expect(Set(TemporaryDirectory.names(in: downloads)) == ["Holiday", "b.txt", "Work"])
        #expect(Set(TemporaryDirectory.names(in: downloads + "/Holiday")) == ["Day 1", "c.txt"])
        try anna.stop()
    }

    @Test(
        "A content that is not what its name says is not kept; an offer that is declined leaves nothing, and its source is quiet"
    )
    func refused() throws {
        let (anna, downloads) = try launch()
        let (phone, offer) = try offered(anna, ["picture.png", "b.txt"])
        try anna.call("guest.take", ["offer": .string(offer.id)])
        #expect(try phone.answers() == ["200", "id0 500", "id1 200"])
        let failed = try Patience.until("the end of the offer") { try offers(anna).first { $0.state == .failed } }
        #expect(failed.problem == .typeNotAllowed && failed.filesDone == 1)
        #expect(TemporaryDirectory.names(in: downloads) == ["b.txt"])

        let (other, declined) = try offered(anna, ["c.txt"])
        try anna.call("guest.decline", ["offer": .string(declined.id)])
        #expect(try other.answers() == ["403"])
        #expect(throws: ClientError.self) { try anna.call("guest.take", ["offer": .string(declined.id)]) }
        // At once the next one is declined, too, and nobody is asked.
        #expect(try FakePhone(to: anna, ["dd.txt"]).answers() == ["403"])
        #expect(try offers(anna).map(\.state) == [.failed, .declined])
        #expect(TemporaryDirectory.names(in: downloads) == ["b.txt"])
        try anna.stop()
    }

    @Test("Off means that nothing listens; on again it has the same certificate")
    func switched() throws {
        let (anna, _) = try launch()
        let port = try Patience.until("a port") { try anna.call("guest.list")["port"]?.integer }
        func certificate() throws -> String { try TextFile.text(anna.dataPath + "/localsend.pem") }
        let before = try certificate()
        try anna.set("localsend.enabled", to: false)
        try Patience.until("nothing to listen") { try anna.call("guest.list")["port"] == .null && !listens(port) }
        try anna.set("localsend.enabled", to: true)
        _ = try Patience.until("a port again") { try anna.call("guest.list")["port"]?.integer }
        #expect(try certificate() == before)
        let (phone, offer) = try offered(anna, ["a.txt"])
        // The name changes while it serves: phones see the new one.
        try anna.call("guest.decline", ["offer": .string(offer.id)])
        #expect(try phone.answers() == ["403"])
        try anna.call("account.update", ["displayName": "Anna Berg"])
        try Patience.until("the new name") { try anna.call("guest.list")["name"] == "Anna Berg’s Kibo" }
        try anna.stop()
        #expect(!listens(port))
    }

    private func listens(_ port: Int64) -> Bool {
        let socket = socket(AF_INET, CInt(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        defer { close(socket) }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = UInt16(clamping: port).bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        return withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(socket, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
            }
        }
    }
}
