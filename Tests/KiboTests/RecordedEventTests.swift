import Basics
import ControlProtocol
import TestSupport
import Testing

@testable import Arguments
@testable import Media
@testable import kibo

struct RecordedEventTests {
    @Test("The recording has every event of the catalogue, each as it is declared today")
    func recording() {
        #expect(Set(Recorded.events.map(\.type)) == Set(EventType.allCases.map(\.rawValue)))
        for event in Recorded.events {
            #expect(throws: Never.self, "\(event.json.text)") { try ContractCheck.check(event: event.json) }
        }
    }

    @Test("Watching tells what a real daemon has sent: every person has a name, and all that matters has its line")
    func watch() throws {
        let daemon = FakeDaemon()
        let own = try #require(Recorded.events.first { $0.isOf(.accountChanged) }?.data["id"]?.string)
        daemon.answer("system.hello") { _, _ in DaemonHello(version: "9.9", protocol: 1, account: own).json }
        for method in ["contact.list": "contacts", "peer.list": "peers", "group.list": "groups"] {
            daemon.answer(method.key) { _, _ in [method.value: []] }
        }
        daemon.answer("conversation.get") { params, _ in
            let id = params.string("id")
            let found = Recorded.events.first { $0.isOf(.conversationChanged) && $0.data["id"]?.string == id }
            return try #require(found).data
        }
        daemon.answer("group.get") { params, _ in
            let id = params.string("id")
            return try #require(Recorded.events.first { $0.isOf(.groupChanged) && $0.data["id"]?.string == id }).data
        }
        daemon.answer("events.subscribe") { _, connection in
            for event in Recorded.events { connection.push(event) }
            return FakeDaemon.subscribed
        }
        daemon.answer("events.ack") { _, _ in throw RPCError(ControlError(.internal, "enough")) }
        let run = CommandRun("watch", "--consumer", "me", daemon: daemon)
        #expect(run.errors.contains("enough"))
        let lines = run.output.split(separator: "\n").map { String($0.drop { $0 != " " }.dropFirst(2)) }
        for line in [
            "files.autoDownload is never now", "your account has changed", "Ben is your friend, offline",
            "Ben is away", "your address book has changed", "Ben Adler from your address book is on Kibo",
            "Ben is typing", "Ben: Are you coming along on Sunday?", "Ben edited: Are you coming along on Saturday?",
            "a message was deleted on this computer: Are you coming along on Saturday?", "the group Hikers was made",
            "Ben has left", "some events are missing: there were too many, or they are too old",
        ] {
            #expect(lines.contains(line), "\(run.output)")
        }
        #expect(lines.contains { $0.hasPrefix("Ben is here, at 127.0.0.1:") }, "\(run.output)")
        #expect(lines.contains { $0.hasPrefix("Ben reacted 👍") }, "\(run.output)")
        #expect(lines.contains { $0.hasPrefix("song.wav (4.0 MiB) from Ben: done") }, "\(run.output)")
        #expect(!run.output.contains("kibo1"), "\(run.output)")
    }

    @Test("The line about a deleted contact says what is known of it")
    func deletedContact() {
        var people = People(own: Cast.own)
        for contact in Cast.contacts { people.update(contact) }
        let console = Console(
            output: { _ in }, errors: { _ in }, isTerminal: false, hasColor: false, clocks: SystemClocks(),
            size: { nil })
        let context = Context(
            console: console, command: "watch", arguments: ParsedArguments(), json: false, socket: nil)
        let event = Event(
            subscription: 1, seq: 1, at: Cast.noon, type: "contact.changed", change: .delete,
            data: ["id": .string(Cast.anna)])
        #expect(throws: Never.self) { try ContractCheck.check(event: event.json) }
        #expect(EventSentence.text(event, people, context)?.hasSuffix("Anna is not a contact any more") == true)
    }
}
