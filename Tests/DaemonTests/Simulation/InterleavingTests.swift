import Basics
import Messaging
import PeerProtocol
import Store
import TestSupport
import Testing

@testable import Daemon
@testable import Runtime

/// A peer's frames about messages may come in any order and any number of times: the end is always the same.
@Suite("Interleavings: any order and any repetition of a peer's frames")
struct InterleavingTests {
    private static let emoji = ["👍", "👍🏽", "🎉"]

    /// Frames that a peer with a working clock might send about two messages, in the order in which things happened.
    private func story(_ random: SharedRandom) -> [DurableFrame] {
        let sentAt = WallTime(milliseconds: 1_735_689_600_000)
        var time = HybridTime(milliseconds: sentAt.milliseconds)
        func tick() -> HybridTime {
            time = HybridTime(rawValue: time.rawValue + UInt64(random.int(1...3)))
            return time
        }
        func id() -> UUIDv7 { UUIDv7(high: 9, low: random.next()) }
        let messages = [id(), id()]
        var frames: [DurableFrame] = []
        for (number, message) in messages.enumerated() {
            let name = "secret\(number)"
            let attachments =
                random.chance(40)
                ? [
                    AttachmentBody(
                        transfer: id(), name: "a.txt", size: 5, kind: .document, mediaType: "text/plain", fileCount: 1)
                ] : []
            let place = tick()
            frames.append(
                DurableFrame(
                    id: message,
                    content: .message(
                        MessageBody(
                            kind: attachments.isEmpty ? .text : .file, text: name, time: place, sentAt: sentAt,
                            replyTo: number == 1 ? messages[0] : nil, attachments: attachments))))
            for version in 0..<random.int(0...3) {
                let body = EditBody(
                    message: message, text: "\(name) \(version)", time: tick(), editedAt: sentAt + .seconds(1))
                frames.append(DurableFrame(id: id(), content: .edit(body)))
            }
            for _ in 0..<random.int(0...4) {
                let body = ReactionBody(
                    message: message, emoji: random.pick(Self.emoji) ?? "👍", time: tick(), removed: random.chance(40))
                frames.append(DurableFrame(id: id(), content: .reaction(body)))
            }
            if random.chance(40) {
                let body = DeletionBody(message: message, time: place, sentAt: sentAt)
                frames.append(DurableFrame(id: id(), content: .deletion(body)))
            }
        }
        return frames
    }

    /// Everything that a client can see, except for the order of arrival.
    private func outcome(_ frames: [DurableFrame], _ random: SharedRandom) throws -> String {
        let timeline = Timeline()
        let people = try Simulation.people.get()
        let peer = try SimulatedPeer(0, people[0], skew: .zero, timeline: timeline, random: random)
        try peer.database.start()
        let (own, other) = (people[0].peer, people[1].peer)
        let committer = IncomingCommitter(peer: other, name: nil, choices: .stored, random: random)
        var failure: (any Error)?
        peer.database.submit { transaction in
            try transaction.saveOwnAccount(
                AccountRow(
                    account: own.account, device: own.device, deviceName: "", displayName: "",
                    createdAt: transaction.wallTime))
            try transaction.save(
                ContactRow(account: other.account, displayName: "", relation: .friend, createdAt: transaction.wallTime))
        } done: {
            if case .failure(let error) = $0 { failure = error }
        }
        var rest = frames[...]
        while !rest.isEmpty {
            let group = Array(rest.prefix(random.int(1...4)))
            rest = rest.dropFirst(group.count)
            peer.database.submit {
                try committer.commit(group, in: $0)
            } done: { result in
                switch result {
                case .success(let value):
                    for (outcome, _) in value.outcomes where outcome != .stored { failure = Refused(outcome: outcome) }
                case .failure(let error): failure = error
                }
            }
            if random.chance(60) { peer.database.runGroup(100) }
        }
        peer.database.runGroup(1000)
        if let failure { throw failure }
        return try peer.database.read { try describe(other.account, $0) }
    }

    private struct Refused: Error { let outcome: CommitOutcome }

    private func describe(_ account: AccountID, _ transaction: ReadTransaction) throws -> String {
        let conversation = try #require(try transaction.conversation(with: account))
        var lines: [String] = []
        for row in try transaction.messages(in: conversation.id, limit: 100).messages {
            let reactions = try transaction.reactions(to: row.id).map(\.emoji)
            let attachments =
                row.kind == .file ? try transaction.transfers(of: row.id).map { "\($0.id) \($0.name) \($0.state)" } : []
            lines.append(
                "\(row.id) \(row.kind) \(row.text) \(row.deleted) \(row.hlc.rawValue) \(row.unread)"
                    + " \(row.replyTo.map { "\($0)" } ?? "-") \(row.editedAt?.milliseconds ?? 0)"
                    + " \(row.editTime?.rawValue ?? 0) \(reactions) \(attachments)")
            if row.deleted {
                let tables = try transaction.tables(holding: "secret\(lines.count - 1)")
                #expect(tables.isEmpty, "the content of a deleted message is in \(tables)")
                #expect(try transaction.transfers(of: row.id).isEmpty)
            }
        }
        let truth = try transaction.truth(of: conversation.id)
        #expect(truth.last == conversation.lastMessage && truth.unread == conversation.unread)
        #expect(try transaction.strays() == [], "something waits for a message that is here")
        lines.append("\(conversation.unread) \(conversation.lastMessage.map { "\($0)" } ?? "-")")
        return lines.joined(separator: "\n")
    }

    @Test("All orders end in the same state", arguments: 0..<(Thorough.isWanted ? 20 : 8) as Range<UInt64>)
    func permutations(seed: UInt64) throws {
        let random = SharedRandom(seed: seed)
        let frames = story(random)
        let expected = try outcome(frames, random)
        for round in 0..<12 {
            var mixed = frames
            for _ in 0..<random.int(0...4) { mixed.append(frames[random.int(0...frames.count - 1)]) }
            for place in stride(from: mixed.count - 1, to: 0, by: -1) { mixed.swapAt(place, random.int(0...place)) }
            #expect(try outcome(mixed, random) == expected, "round \(round)")
        }
    }
}
