import Basics
import ControlProtocol
import Foundation
import PeerProtocol
import TestSupport
import Testing
import Vocabulary

@Suite("Every event of the catalogue", .serialized)
struct EveryEventProcessTests {
    private struct Missing: Error, CustomStringConvertible {
        let description: String
    }

    /// Anna's daemon, and all events that it has sent since before she had an account.
    private final class Listener {
        let anna: DaemonProcess
        private let client: ControlClient
        private(set) var events: [Event] = []

        init(_ anna: DaemonProcess) throws {
            self.anna = anna
            client = try anna.connect()
            try client.call("events.subscribe")
        }

        /// Asks for events that never existed: the answer is a gap.
        func subscribe(since: Int64) throws { try client.call("events.subscribe", ["since": .integer(since)]) }

        /// Waits for an event, beginning behind the last event that was waited for.
        @discardableResult
        func wait(
            for type: EventType, _ change: ChangeKind? = nil, where isIt: (JSONValue) -> Bool = { _ in true }
        ) throws -> JSONValue {
            while let event = try client.nextEvent(timeout: Patience.usual) {
                events.append(event)
                if event.isOf(type), change.map({ $0 == event.change }) ?? true, isIt(event.data) { return event.data }
            }
            throw Missing(description: "no \(type.rawValue) came\n\(anna.logTail)")
        }
    }

    /// The path where ``KiboTests`` finds the events of the last recording.
    private static var recording: URL {
        URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .appendingPathComponent("Recorded/events.jsonl")
    }

    @Test("A living daemon sends each of them as declared; KIBO_RECORD_EVENTS=1 records them for KiboTests")
    func all() throws {
        let options = DaemonProcess.Options(discoveryPort: try FreePort.udp())
        let anna = try DaemonProcess(name: "Anna", options: options)
        // It is short of room until the floor is lowered. Only root may mount it.
        let disk = SmallDisk(at: anna.dataPath, bytes: 64 << 20)
        defer { withExtendedLifetime(disk) {} }
        try anna.start()
        let heard = try Listener(anna)
        if disk != nil {
            try Patience.until("a disk that is short of room") { try anna.status.disk.room == .short }
            try anna.set("files.freeSpaceFloorBytes", to: 0)
            try heard.wait(for: .diskChanged) { $0["room"] == "enough" }
        }
        try anna.set("files.allowedTypes", to: ["*"])
        try heard.wait(for: .settingsChanged)
        try anna.set("files.autoDownload", to: "never")
        try anna.createAccount()
        try heard.wait(for: .accountChanged, .insert)

        let ben = try DaemonProcess.launch(name: "Ben", options: options)
        let (own, friend) = (try anna.account.id, try ben.account.id)
        try heard.wait(for: .peerAppeared)
        try anna.befriend(ben)
        try heard.wait(for: .contactChanged) { $0["relation"] == "friend" }
        try people(heard, ben, friend)
        try phone(heard)
        let conversation = try talk(heard, ben, own, friend)
        try call(heard, ben, conversation)
        try files(heard, ben, own)
        try group(heard, friend)
        try anna.call("conversation.delete", ["id": .string(conversation)])
        try heard.wait(for: .conversationChanged, .delete)
        try ben.stop()
        try heard.wait(for: .peerVanished)
        try heard.subscribe(since: 1_000_000)
        try heard.wait(for: .gap)

        let expected = EventType.allCases.filter { disk != nil || $0 != .diskChanged }
        #expect(Set(heard.events.map(\.type)) == Set(expected.map(\.rawValue)))
        if ProcessInfo.processInfo.environment["KIBO_RECORD_EVENTS"] == "1" { try record(heard.events, anna, ben) }
    }

    /// The friend is away, types, and is found in the address book.
    private func people(_ heard: Listener, _ ben: DaemonProcess, _ friend: String) throws {
        try heard.anna.call("courier.add", ["contact": .string(friend)])
        try heard.wait(for: .courierChanged)
        try ben.call("presence.set", ["state": "away"])
        try heard.wait(for: .presenceChanged) { $0["presence"] == "away" }
        let card = "BEGIN:VCARD\nVERSION:4.0\nUID:1\nFN:Ben Adler\nEMAIL:ben@example.org\nEND:VCARD\n"
        let path = heard.anna.directory.file("book.vcf")
        try TextFile.write(Array(card.utf8), to: path)
        try heard.anna.call("addressBook.import", ["path": .string(path)])
        try heard.wait(for: .addressBookChanged)
        try ben.call("account.update", ["email": "ben@example.org"])
        try heard.wait(for: .addressBookMatched) { $0["contact"]?.string == friend }
    }

    /// A message comes, is answered and edited, and is removed here.
    private func talk(_ heard: Listener, _ ben: DaemonProcess, _ own: String, _ friend: String) throws -> String {
        let here = try heard.anna.conversation(with: ben)
        let there = try JSONValue.string(ben.conversation(with: heard.anna))
        try ben.call("typing.set", ["conversation": there, "typing": true])
        try heard.wait(for: .typingChanged)
        let sent = try Message(
            json: ben.call("message.send", ["to": .string(own), "text": "Are you coming along on Sunday?"]))
        try heard.wait(for: .messageAdded) { $0["id"]?.string == sent.id }
        try ben.call("message.edit", ["id": .string(sent.id), "text": "Are you coming along on Saturday?"])
        try heard.wait(for: .messageChanged) { $0["editedAt"] != .null }
        // It may come before the edit or after it.
        if !heard.events.contains(where: { $0.isOf(.totalsChanged) }) { try heard.wait(for: .totalsChanged) }
        let answer = try Message(
            json: heard.anna.call(
                "message.send", ["to": .string(friend), "text": "Gladly", "replyTo": .string(sent.id)]))
        try heard.wait(for: .messageChanged) { $0["id"]?.string == answer.id && $0["state"] == "delivered" }
        try ben.call("message.react", ["id": .string(answer.id), "emoji": "👍"])
        try heard.wait(for: .messageChanged) { $0["reactions"] != [] }
        try heard.anna.call("conversation.markRead", ["id": .string(here), "upTo": .string(sent.id)])
        try heard.wait(for: .conversationChanged) { $0["unread"] == 0 }
        try heard.anna.call("message.delete", ["id": .string(sent.id), "for": "me"])
        try heard.wait(for: .messageRemoved, .delete)
        return here
    }

    /// A phone gives a file.
    private func phone(_ heard: Listener) throws {
        try heard.anna.set("localsend.enabled", to: true)
        try heard.wait(for: .guestChanged)
        let phone = try FakePhone(to: heard.anna, ["holiday.txt"])
        try heard.wait(for: .guestChanged) { $0["waiting"] == 1 }
        let offers = try heard.anna.call("guest.list")["offers"]?.array
        try heard.anna.call("guest.take", ["offer": offers?.first?["id"] ?? .null])
        try heard.wait(for: .guestProgress)
        #expect(try phone.answers() == ["200", "id0 200"])
        // The note comes once its file was looked at, which may take a while.
        try heard.wait(for: .messageAdded) { $0["guest"] == "Nice Orange" }
    }

    /// Anna calls where nothing can ring.
    private func call(_ heard: Listener, _ ben: DaemonProcess, _ conversation: String) throws {
        let print = CallFingerprint.text([UInt8](repeating: 7, count: 32))
        try heard.anna.call(
            "call.start",
            [
                "conversation": .string(conversation), "media": "audio", "seat": .string(conversation),
                "fingerprint": .string(print),
            ])
        try heard.wait(for: .callChanged) { $0["state"] == "ended" }
        try heard.wait(for: .messageChanged) { $0["kind"] == "call" && $0["state"] == "delivered" }
    }

    /// A file comes.
    private func files(_ heard: Listener, _ ben: DaemonProcess, _ own: String) throws {
        let path = ben.directory.file("song.wav")
        try TextFile.write([UInt8](repeating: 7, count: 4 << 20), to: path)
        try ben.call("transfer.send", ["to": .string(own), "paths": [.string(path)]])
        let offered = try heard.wait(for: .transferChanged, .insert) { $0["direction"] == "in" }
        try heard.anna.call("transfer.accept", ["id": offered["id"] ?? .null])
        try heard.wait(for: .transferChanged) { $0["state"] == "done" }
        // The last progress may come before this event or after it.
        if !heard.events.contains(where: { $0.isOf(.transferProgress) }) { try heard.wait(for: .transferProgress) }
    }

    /// A group is made, renamed, left, and put away.
    private func group(_ heard: Listener, _ friend: String) throws {
        let group = try heard.anna.call("group.create", ["name": "Hikers", "members": [.string(friend)]])
        let id = group["id"] ?? .null
        try heard.wait(for: .groupChanged, .insert) { $0["id"] == id && $0["members"]?.array?.count == 2 }
        try heard.anna.call("group.update", ["id": id, "name": "Ramblers"])
        let renamed = try heard.wait(for: .groupChanged, .update) { $0["name"] == "Ramblers" }
        #expect(try heard.anna.call("group.get", ["id": id])["epoch"] == renamed["epoch"])
        try heard.anna.call("group.leave", ["id": id])
        let left = try heard.wait(for: .groupChanged, .update) { $0["state"] == "left" }
        try Patience.until("Ben to know that Anna has left", report: heard.anna.logTail) {
            try heard.anna.status.queued == 0
        }
        try heard.anna.call("conversation.delete", ["id": left["conversation"] ?? .null])
        try heard.wait(for: .groupChanged, .delete) { $0["id"] == id }
    }

    /// Writes the parameters of one notification on each line, without the parts that only this host has.
    private func record(_ events: [Event], _ daemons: DaemonProcess...) throws {
        let host = try daemons[0].account.device.name
        var text = ""
        for event in events {
            var line = event.json.text.replacing("\"name\":\"\(host)\"", with: "\"name\":\"laptop\"")
            for daemon in daemons {
                line = line.replacing(daemon.directory.path, with: "/data/\(daemon.name.lowercased())")
            }
            text += line + "\n"
        }
        try text.write(to: Self.recording, atomically: true, encoding: .utf8)
    }
}
