import Basics
import ControlProtocol
import Glibc
import TestSupport
import Testing
import Vocabulary

/// A device with LocalSend on this host, which something is given to (Tests/Network/phone_taker.py).
struct TakingDevice {
    enum Manner: String { case takes, declines, lies, waits }

    let name: String
    let directory: TemporaryDirectory
    private let child: ChildProcess
    static let python: String? = getenv("KIBO_PYTHON").map { String(cString: $0) }
    private static let program =
        "/" + #filePath.split(separator: "/").dropLast(2).joined(separator: "/") + "/Network/phone_taker.py"

    /// Tells a daemon who it is.
    init(_ daemon: DaemonProcess, name: String, _ manner: Manner) throws {
        let port = try Patience.until("a port for devices") { try daemon.call("guest.list")["port"]?.integer }
        self.name = name
        directory = try TemporaryDirectory()
        child = try ChildProcess(
            try #require(Self.python), ["-B", Self.program, "\(port)", directory.path, name, manner.rawValue],
            environment: ["PATH": "/usr/bin:/bin", "LC_ALL": "C.UTF-8"], outputPath: directory.file("said"))
    }

    /// The daemon's entry for it, once it is there.
    func entry(_ daemon: DaemonProcess) throws -> GuestDevice {
        try Patience.until("the device \(name)") {
            try (daemon.call("guest.list")["devices"]?.array ?? []).map { try GuestDevice(json: $0) }.first {
                $0.name == name
            }
        }
    }

    /// What came under a name.
    func content(_ name: String) throws -> String { try TextFile.text(directory.file(name)) }

    func end() { child.kill() }
}

/// Goal: what the user gives to a device comes there whole or is said to be failed, stands in the notes only if it came, and goes to
/// nobody who has another certificate than was announced.
@Suite("Giving to devices with LocalSend", .serialized)
struct GiftProcessTests {
    private static let unavailable: String? =
        TakingDevice.python == nil ? "KIBO_PYTHON is not set: scripts/test makes the environment and sets it" : nil

    private func launch() throws -> DaemonProcess {
        let anna = try DaemonProcess.launch(name: "Anna")
        try anna.set("files.allowedTypes", to: ["txt", "png"])
        try anna.set("localsend.enabled", to: true)
        return anna
    }

    private func given(_ daemon: DaemonProcess) throws -> [GuestOffer] {
        try (daemon.call("guest.list")["given"]?.array ?? []).map { try GuestOffer(json: $0) }
    }

    /// How something that was given has ended.
    private func end(_ daemon: DaemonProcess, _ answer: JSONValue) throws -> GuestOffer {
        let id = try GuestOffer(json: answer).id
        return try Patience.until("the end of what is given") {
            try given(daemon).first { $0.id == id && $0.state.isOver }
        }
    }

    private func notes(_ daemon: DaemonProcess) throws -> [Message] {
        guard let notes = try daemon.call("conversation.list")["conversations"]?.array?.first else { return [] }
        return try (daemon.call("message.list", ["conversation": notes["id"] ?? .null])["messages"]?.array ?? []).map {
            try Message(json: $0)
        }
    }

    private func file(_ daemon: DaemonProcess, _ name: String) throws -> JSONValue {
        let path = daemon.directory.file(name)
        try TextFile.write(Array(String(repeating: name, count: 1000).utf8), to: path)
        return .string(path)
    }

    @Test(
        "Files and a text come to a device that takes them, and stand in the notes with its name",
        .enabled(if: unavailable == nil, "\(unavailable ?? "")"))
    func takes() throws {
        let anna = try launch()
        let phone = try TakingDevice(anna, name: "Nice Pear", .takes)
        defer { phone.end() }
        let device = try phone.entry(anna)
        #expect(device.encrypted && !device.known && !device.namesake)
        let paths = [try file(anna, "a.txt"), try file(anna, "b.txt")]
        let files = try end(anna, anna.call("guest.give", ["device": .string(device.id), "files": .array(paths)]))
        #expect(files.state == .taken && files.filesDone == 2 && files.bytesDone == files.size, "\(files)")
        for name in ["a.txt", "b.txt"] { #expect(try phone.content(name) == String(repeating: name, count: 1000)) }
        let text = try end(anna, anna.call("guest.give", ["device": .string(device.id), "text": "Hello"]))
        #expect(text.state == .taken && text.text == "Hello" && text.items.isEmpty, "\(text)")
        let found = try notes(anna)
        #expect(
            Set(found.map(\.text)) == ["", "Hello"] && found.allSatisfy { $0.givenTo == "Nice Pear" && $0.guest == nil }
        )
        #expect(found.flatMap(\.attachments).compactMap(\.path).map { JSONValue.string($0) } == paths)
        #expect(try phone.entry(anna).known)
        try anna.stop()
    }

    @Test(
        "A device that declines gets nothing, one with another certificate not even the question, and what waits is taken back",
        .enabled(if: unavailable == nil, "\(unavailable ?? "")"))
    func refuses() throws {
        let anna = try launch()
        let path = try file(anna, "a.txt")
        func give(
            _ name: String, _ manner: TakingDevice.Manner, _ meanwhile: (JSONValue) throws -> Void = { _ in }
        ) throws
            -> (offer: GuestOffer, heard: Bool)
        {
            let phone = try TakingDevice(anna, name: name, manner)
            defer { phone.end() }
            let answer = try anna.call(
                "guest.give", ["device": .string(try phone.entry(anna).id), "files": .array([path])])
            try meanwhile(answer)
            let offer = try end(anna, answer)
            #expect(!TemporaryDirectory.names(in: phone.directory.path).contains("a.txt"))
            return (offer, TemporaryDirectory.names(in: phone.directory.path).contains("offer"))
        }
        let declined = try give("Declining Pear", .declines)
        #expect(declined.offer.state == .declined && declined.heard, "\(declined)")
        let lied = try give("Lying Pear", .lies)
        #expect(lied.offer.state == .failed && lied.offer.problem == .keyChanged && !lied.heard, "\(lied)")
        let withdrawn = try give("Patient Pear", .waits) { answer in
            try anna.call("guest.decline", ["offer": answer["id"] ?? .null])
        }
        #expect(withdrawn.offer.state == .withdrawn, "\(withdrawn)")
        #expect(throws: ClientError.self) {
            try anna.call("guest.give", ["device": "0123456789abcdef", "files": .array([path])])
        }
        #expect(try notes(anna).isEmpty)
        try anna.stop()
    }

    @Test(
        "An upload is kept as long as it is needed, and can be given up when it was not taken",
        .enabled(if: unavailable == nil, "\(unavailable ?? "")"))
    func uploads() throws {
        let anna = try launch()
        func upload(_ name: String) throws -> String {
            let put = try anna.call("upload.put", ["paths": [.string(name)], "contents": ["aGVsbG8="]])
            return try #require(put["ids"]?.array?.first?.string)
        }
        func cancel(_ id: String) -> Reason? {
            do { try anna.call("upload.cancel", ["id": .string(id)]) } catch ClientError.refused(let refusal) {
                return refusal.kind
            } catch { return .internal }
            return nil
        }
        func give(_ upload: String, to phone: TakingDevice) throws -> JSONValue {
            try anna.call(
                "guest.give",
                ["device": .string(try phone.entry(anna).id), "files": .array([.string("upload:" + upload)])])
        }
        let (declined, taken) = (try upload("a.txt"), try upload("b.txt"))
        let patient = try TakingDevice(anna, name: "Patient Pear", .waits)
        defer { patient.end() }
        let answer = try give(declined, to: patient)
        #expect(cancel(declined) == .busy)
        try anna.call("guest.decline", ["offer": answer["id"] ?? .null])
        #expect(try end(anna, answer).state == .withdrawn)
        #expect(cancel(declined) == nil)
        let phone = try TakingDevice(anna, name: "Nice Pear", .takes)
        defer { phone.end() }
        #expect(try end(anna, give(taken, to: phone)).state == .taken)
        #expect(try phone.content("b.txt") == "hello")
        #expect(cancel(taken) == .invalid, "a note names it")
        try anna.stop()
    }
}
