import Basics
import ControlProtocol
import Glibc
import PeerProtocol
import TestSupport
import Testing
import Vocabulary

/// Goal: somebody who asks to be a friend under ever new names keeps no other person out, and is told of, and got rid of, in one.
@Suite("Floods of requests against a real daemon", .serialized)
struct RequestFloodTests {
    /// Asks under a new name.
    /// - Returns: nil if the request was taken, else why not.
    private static func ask(_ daemon: DaemonProcess, _ name: String, from source: IPAddress) throws -> Reason? {
        let link = try TestPeer(name).openSession(with: daemon, from: source)
        let request = Frame(
            kind: .contactRequest, id: freshID(),
            body: try ContactRequestBody(note: String(repeating: "n", count: 500)).encoded())
        link.send(request)
        return try link.refusal(of: request.id)
    }

    private static func waiting(_ daemon: DaemonProcess) throws -> [Contact] {
        try (daemon.call("contact.list", ["relation": "incoming"])["contacts"]?.array ?? []).map {
            try Contact(json: $0)
        }
    }

    @Test(
        "Sixty requests of one address: some wait, the others are put off, a newcomer elsewhere is heard, and all go at once"
    )
    func flood() throws {
        let directory = try TemporaryDirectory()
        let hook = directory.file("hook")
        try TextFile.writeProgram("#!/bin/sh\ncat >> \(directory.file("inputs"))\n".utf8, to: hook)
        func inputs() -> [JSONValue] {
            ((try? TextFile.text(directory.file("inputs"))) ?? "").split(separator: "\n").compactMap {
                try? JSONParser.parse(String($0))
            }
        }
        let anna = try DaemonProcess.launch(
            name: "Anna", options: .init(discoveryPort: try FreePort.udp(), logLevel: .info))
        try anna.set("notifications.hook", to: .string("'\(hook)'"))
        let begin = SystemClocks().now
        let answers = try (0..<60).map { try Self.ask(anna, "Mallory \($0)", from: .v4(0x7F00_0005)) }
        let taken = answers.count { $0 == nil }
        let seconds = Int((SystemClocks().now - begin).milliseconds / 1_000)
        #expect(taken >= 20 && taken <= 21 + seconds / 30, "\(taken) in \(seconds) s")
        #expect(answers.allSatisfy { $0 == nil || $0 == .busy })
        #expect(try Self.ask(anna, "Honest", from: .v4(0x7F00_0002)) == nil)
        var rows = try Self.waiting(anna)
        #expect(rows.count == taken + 1)
        #expect(rows.first { $0.displayName == "Honest" }?.requestSource == "127.0.0.2")
        #expect(rows.count { $0.requestSource == "127.0.0.5" } == taken)
        // The hook hears of five, and then of all others in one.
        try Patience.until("the sum", within: .seconds(60), report: anna.logTail) {
            inputs().contains { $0["event"] == "requests" }
        }
        #expect(inputs().count { $0["event"] == "request" } <= 6)
        let sums = inputs().filter { $0["event"] == "requests" }.compactMap { $0["count"]?.integer }
        #expect(sums.count == 1 && sums.first.map { $0 >= 14 } == true, "\(sums)")

        // A restart loses none of it.
        anna.kill()
        try anna.start()
        rows = try Self.waiting(anna)
        #expect(rows.count == taken + 1 && rows.count { $0.requestSource == "127.0.0.5" } == taken)
        #expect(try anna.kibo("decline", "--like", "Mallory 0").text.contains("Declined: \(taken) requests."))
        #expect(try Self.waiting(anna).map(\.displayName) == ["Honest"])
        #expect(try anna.kibo("decline", "--all").text.contains("Declined: one request."))
        #expect(try anna.kibo("decline", "--all").text.contains("There are no requests."))
    }
}
