import Basics
import ControlProtocol
import Testing
import Vocabulary

@testable import kibo

/// Goal: a list fits the terminal whatever people call themselves, and what stands in it of their state can be read.
@Suite("Lists on narrow terminals")
struct NarrowListTests {
    /// Fifty letters of two columns each.
    private static let long = String(repeating: "李", count: 50)

    private static let transfers: [Transfer] = {
        let states: [TransferState] = [
            .offered, .offered, .queued, .active, .paused, .paused, .done, .declined, .cancelled, .failed,
        ]
        return states.enumerated().map { index, state in
            var transfer = Cast.transfer(
                "019ac0d\(index)-1111-7000-8000-000000000001", long, index == 1 ? .incoming : .outgoing, state,
                done: 512)
            transfer.peer = index == 3 ? Cast.annabel : Cast.anna
            transfer.pausedBy = index == 4 ? .both : index == 5 ? .peer : nil
            if index == 1 { (transfer.heldBack, transfer.unlisted) = (.type, ["zip", "exe"]) }
            if [.declined, .failed].contains(state) { transfer.detail = long }
            return transfer
        }
    }()

    private static func daemon() -> FakeDaemon {
        var contacts = [
            Contact(id: Cast.anna, displayName: long, relation: .friend, presence: .online, conversation: Cast.chat),
            Contact(id: Cast.annabel, displayName: long, relation: .friend, lastSeen: Cast.noon - 300_000),
            Contact(id: Cast.bob, displayName: long, relation: .requested, note: long),
            Contact(id: Cast.hostile, displayName: long, relation: .incoming, note: long),
        ]
        contacts[0].trust = .verified
        for index in contacts.indices { contacts[index].statusText = long }
        (contacts[2].reason, contacts[2].detail) = (.busy, long)
        var group = Cast.group()
        (group.name, group.description) = (long, long)
        for index in group.members.indices { group.members[index].displayName = long }
        let daemon = FakeDaemon.withGroup(group)
        daemon.answer("contact.list") { params, _ in
            let relation = params.optionalString("relation")
            return [
                "contacts": .array(contacts.filter { relation == nil || $0.relation.rawValue == relation }.map(\.json))
            ]
        }
        daemon.answer("transfer.list") { _, _ in ["transfers": .array(transfers.map(\.json))] }
        daemon.answer("peer.list") { _, _ in
            [
                "peers": .array(
                    [Relation.friend, .incoming].map {
                        Peer(
                            account: Cast.anna, device: "kibodev1a", displayName: long,
                            address: "[2001:0db8:1234:5678:9abc:def0:1234:5678]:65535", relation: $0,
                            lastHeard: Cast.noon - 2_000
                        ).json
                    })
            ]
        }
        var chat = Cast.conversations[0]
        (chat.title, chat.muted, chat.pinned) = (long, true, true)
        chat.lastMessage = Cast.message(long, .delivered)
        daemon.answer("conversation.list") { _, _ in ["conversations": [chat.json]] }
        var entry = AddressBookEntry()
        (entry.id, entry.name, entry.emails) = (Cast.report, long, [long + "@example.org"])
        entry.phones = [.init(number: "ask my office for the number please, it changes")]
        daemon.answer("addressBook.list") { _, _ in ["entries": [entry.json], "total": 1] }
        daemon.answer("settings.list") { _, _ in
            ["settings": .array(SettingsCatalogue.all.map { $0.setting(nil).json })]
        }
        return daemon
    }

    @Test("No line is wider than the terminal, and no state is cut", arguments: [40, 60, 80])
    func lists(columns: Int) {
        let daemon = Self.daemon()
        for (command, states) in [
            (
                "transfers",
                [
                    "offered|waits for an answer", "held back", "queued", "50 %", "paused by both", "paused by them",
                    "done", "declined",
                    "cancelled", "failed",
                ]
            ),
            ("contacts", ["friend", "asked", "asks you", "online", "seen 5 min ago"]),
            ("requests", ["refused", "asks you"]), ("peers", ["friend", "asks you"]), ("chats", ["2"]),
            ("group list", ["owner", "4"]),
            ("group show \(Self.long)", ["owner", "admin", "member", "online", "offline"]),
            ("addressbook list", ["no"]), ("settings", ["messages.keepDays"]),
        ] {
            let run = CommandRun(
                words: command.split(separator: " ").map(String.init), daemon: daemon, columns: columns)
            #expect(run.code == .done, "\(command): \(run.errors)")
            let lines = run.output.split(separator: "\n").map(String.init)
            // Above the members of a group stand sentences, which the terminal wraps.
            let table = command.hasPrefix("group show") ? Array(lines.suffix(6).prefix(5)) : lines
            for line in table { #expect(DisplayWidth.of(line) <= columns, "\(command): \(line)") }
            for state in states {
                // The whole words where they fit.
                let isThere = state.split(separator: "|").contains { run.output.contains($0) }
                #expect(isThere, "\(command) lacks \(state):\n\(run.output)")
            }
        }
    }

    @Test("A transfer that is under way says that the other side is offline, in the list and in the bar")
    func offline() {
        let run = CommandRun("transfers", daemon: Self.daemon())
        #expect(run.output.contains("50 %, \(Self.long) is offline"))
        var transfer = Cast.transfer(Cast.song, "song.mp3", .incoming, .active, done: 512)
        transfer.peer = Cast.annabel
        let console = Console(output: { _ in }, errors: { _ in })
        let line = ProgressLine.text(transfer, on: console, peer: "Bella", isPeerOffline: true)
        #expect(line.contains("Bella is offline") && !line.contains("/s"), "\(line)")
        #expect(ProgressLine.text(transfer, on: console, peer: "Bella").contains("256 B/s"))
    }
}
