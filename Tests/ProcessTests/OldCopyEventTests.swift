import Basics
import ControlProtocol
import Glibc
import TestSupport
import Testing

/// An old copy of the data directory is put back, and clients come with positions in the event log that was lost.
@Suite("Event cursors after an old copy was put back", .serialized)
struct OldCopyEventTests {
    /// Makes this many events.
    private func change(_ daemon: DaemonProcess, _ count: Int, from first: Int64) throws {
        for number in 0..<Int64(count) { try daemon.set("messages.keepDays", to: .integer(first + number)) }
    }

    /// Returns what a client with that position gets first: the reply, and the first event about a setting or a gap.
    private func come(
        to daemon: DaemonProcess, since: Int64, epoch: String?
    ) throws -> (reply: JSONValue, event: Event) {
        let client = try daemon.connect()
        var cursor: JSONObject = ["since": .integer(since), "types": ["settings.changed"], "ephemeral": false]
        if let epoch { cursor["epoch"] = .string(epoch) }
        let reply = try client.call("events.subscribe", cursor)
        try daemon.set("messages.keepDays", to: 9999)
        return (reply, try #require(try client.nextEvent(timeout: Patience.usual)))
    }

    @Test(
        "A position in the lost log gets a gap, also with equal numbers; a position of both logs goes on"
    )
    func oldCopy() throws {
        let daemon = try DaemonProcess.launch(name: "Anna")
        let client = try daemon.connect()
        let shared = try client.call("events.subscribe")
        let sharedEpoch = try #require(shared["epoch"]?.string)
        let sharedSeq = (shared["next"]?.integer ?? 0) - 1
        try daemon.stop()
        let (data, copy) = (daemon.dataPath, daemon.directory.file("copy"))
        func copyFiles(_ from: String, _ to: String) throws {
            let copying = try ChildProcess(
                "/bin/cp", ["-a", from, to], environment: [:], outputPath: daemon.directory.file("cp"))
            #expect(copying.wait(.seconds(20)) == .exited(0))
        }
        try copyFiles(data, copy)
        try daemon.start()
        let lost = try daemon.connect().call("events.subscribe")
        let lostEpoch = try #require(lost["epoch"]?.string)
        try change(daemon, 3, from: 10)
        let lostSeq = (lost["next"]?.integer ?? 0) + 2
        #expect(try come(to: daemon, since: lostSeq, epoch: lostEpoch).event.type == "settings.changed")

        // The disk is lost, and the copy is put back. Soon it has as many events.
        daemon.kill()
        try FileManagement.rename(data, to: daemon.directory.file("lost"))
        try FileManagement.rename(copy, to: data)
        try daemon.start()
        try change(daemon, 9, from: 20)
        let wrong = try come(to: daemon, since: lostSeq, epoch: lostEpoch)
        #expect(wrong.event.type == "gap", "\(wrong.event.type)")
        #expect((wrong.event.data["from"]?.integer ?? .max) <= lostSeq)
        #expect((wrong.event.data["to"]?.integer ?? 0) >= lostSeq)
        // A position that both logs share gets no gap, and a client that knows no epochs is served as before.
        #expect(try come(to: daemon, since: sharedSeq, epoch: sharedEpoch).event.type == "settings.changed")
        #expect(try come(to: daemon, since: lostSeq, epoch: nil).event.type == "settings.changed")
        let refusal = FilePolicyProcessTests.refusal {
            try daemon.call(
                "events.ack", ["consumer": "archive", "seq": .integer(lostSeq), "epoch": .string(lostEpoch)])
        }
        #expect(refusal?.kind == .notFound && refusal?.field == "epoch")
        let epoch = try #require(wrong.reply["epoch"]?.string)
        try daemon.call("events.ack", ["consumer": "archive", "seq": .integer(lostSeq), "epoch": .string(epoch)])
        #expect(try daemon.status.epoch == epoch)
    }

    private enum FileManagement {
        static func rename(_ path: String, to other: String) throws {
            guard Glibc.rename(path, other) == 0 else { throw SystemError("rename") }
        }
    }
}
