import Basics
import Crypto
import Messaging
import PeerProtocol
import Store
import Testing
import Vocabulary

@testable import Daemon

/// Goal: a member who knows the ids of another one's message and file, and uses them first or later, takes nothing from them.
@Suite("A member who uses another one's ids")
struct TakenIDTests {
    /// By which a member uses ids of another one.
    enum Road: CaseIterable {
        /// A message to us alone, with the same transfer.
        case offer
        /// A message to us alone, under the message's id, with the same transfer.
        case message
        /// A message in the group with the same transfer, of another root.
        case entry
        /// A message in the group, under the message's id.
        case samePlace
        /// An edit, a deletion and a reaction of what has not come yet.
        case changes
    }

    private static let message = UUIDv7(high: 0x0190_0000_0000_7001, low: 1 << 63 | 77)
    private static let transfer = UUIDv7(high: 0x0190_0000_0000_7002, low: 1 << 63 | 78)
    private static let at = WallTime(milliseconds: 1_720_000_000_000)
    private static let time = HybridTime(milliseconds: at.milliseconds)
    private let own: Penman
    private let mallory: Penman
    private let author: Penman

    init() throws { (own, mallory, author) = (try Penman(1), try Penman(2), try Penman(7)) }

    private static func body(_ text: String, offering name: String? = nil, root: UInt8? = nil) -> MessageBody {
        let offers = name.map {
            [
                AttachmentBody(
                    transfer: transfer, name: $0, size: 5, kind: .document, mediaType: "", fileCount: 1,
                    fileRoot: root.map { [UInt8](repeating: $0, count: 32) })
            ]
        }
        return MessageBody(
            kind: offers == nil ? .text : .file, text: text, time: time, sentAt: at, attachments: offers ?? [])
    }

    private static func fresh(_ number: UInt64) -> UUIDv7 { UUIDv7(high: 0x0190_0000_0000_7003, low: 1 << 63 | number) }

    /// What the member says along a road.
    private static func frames(
        _ road: Road, by penman: inout Penman, in root: EntryHash
    ) throws -> [(id: UUIDv7, content: DurableFrame.Content)] {
        switch road {
        case .offer: return [(fresh(1), .message(body("mine", offering: "mine.pdf")))]
        case .message: return [(message, .message(body("mine", offering: "mine.pdf")))]
        case .entry:
            let said = LogContent.message(body("mine", offering: "mine.pdf", root: 2))
            return [
                (fresh(1), .groupEntry(GroupEntryBody(try penman.say(said, id: fresh(1), in: root, knowing: [root]))))
            ]
        case .samePlace:
            let said = LogContent.message(body("mine", offering: "mine.pdf", root: 2))
            return [
                (message, .groupEntry(GroupEntryBody(try penman.say(said, id: message, in: root, knowing: [root]))))
            ]
        case .changes:
            return [
                (fresh(1), .edit(EditBody(message: message, text: "changed", time: time, editedAt: at))),
                (fresh(2), .deletion(DeletionBody(message: message, time: time, sentAt: at))),
                (fresh(3), .reaction(ReactionBody(message: message, emoji: "👎", time: time, removed: false))),
                (fresh(4), .fileStatus(FileStatusBody(transfer: transfer, status: .cancelled))),
            ]
        }
    }

    @Test(
        "Used before or after, by each road: the message has its file, and both can be named", arguments: Road.allCases)
    func roads(_ road: Road) throws {
        for comesFirst in [true, false] {
            let scene = try Scene()
            var (mallory, author) = (mallory, author)
            let create = try mallory.create("Boat", with: [own, author])
            let root = create.root
            let scope = own.voice.scope
            let peer = mallory.person.peer
            #expect(
                try scene.hear(
                    .groupChange(GroupChangeBody(root: root, entries: [create.bytes])), from: peer, scope: scope)
                    == .stored)
            let hostile = try Self.frames(road, by: &mallory, in: root)
            let said = try author.say(
                .message(Self.body("look", offering: "plan.pdf", root: 1)), id: Self.message, in: root, knowing: [root])
            func attack() throws {
                for frame in hostile { try scene.hear(frame.content, from: peer, scope: scope, id: frame.id) }
            }
            if comesFirst { try attack() }
            #expect(
                try scene.hear(.groupEntry(GroupEntryBody(said)), from: author.person.peer, scope: scope) == .stored)
            if !comesFirst { try attack() }
            let account = author.account
            func find() throws -> (row: MessageRow, files: [TransferRow]) {
                try scene.read { transaction in
                    let row = try #require(try transaction.message(Self.message, by: account))
                    return (row, try transaction.transfers(of: row.id))
                }
            }
            let found = try find()
            let direct = try scene.direct(peer.account)
            #expect(found.row.text == "look" && !found.row.deleted && found.row.conversation != direct)
            #expect(found.files.map(\.name) == ["plan.pdf"], "\(road), first: \(comesFirst)")
            #expect(found.files.first?.state == .offered && found.files.first?.wireID == Self.transfer)
            #expect(found.files.first?.fileRoot == [UInt8](repeating: 1, count: 32))
            #expect(try scene.read { try $0.reactions(to: found.row.id) }.isEmpty)
            // What the member has said is there, too.
            if road != .changes {
                let names = try scene.read { transaction in
                    try transaction.transfers(limit: 9).filter { $0.peer == peer.account }.map(\.name)
                }
                #expect(names == ["mine.pdf"])
            }
            // A repeat is a repeat.
            #expect(
                try scene.hear(.groupEntry(GroupEntryBody(said)), from: author.person.peer, scope: scope) == .stored)
            try attack()
            #expect(try find().files.count == 1)

            // The author edits it, we react to it; the member takes its own back.
            let edit = try author.say(
                .edit(EditBody(message: Self.message, text: "look here", time: Self.time, editedAt: Self.at)), .edit,
                id: Self.fresh(20), in: root, knowing: [root])
            #expect(
                try scene.hear(.groupEntry(GroupEntryBody(edit)), from: author.person.peer, scope: scope) == .stored)
            let deletion = DeletionBody(message: Self.message, time: Self.time, sentAt: Self.at)
            let taken = try mallory.say(.deletion(deletion), .deletion, id: Self.fresh(21), in: root, knowing: [root])
            #expect(try scene.hear(.groupEntry(GroupEntryBody(taken)), from: peer, scope: scope) == .stored)
            try scene.hear(.deletion(deletion), from: peer, scope: scope, id: Self.fresh(22))
            #expect(try find().row.text == "look here" && find().files.first?.state == .offered)
            let voice = own.voice
            let group = create.group
            let drafts = try scene.write { transaction in
                let amendments = Amendments(own: voice.account.id, transaction: transaction, voice: voice)
                _ = try amendments.react(found.row.id, emoji: "👍", removed: false)
                return try transaction.logDrafts(of: group, limit: 9)
            }
            let told = try ReactionBody(decoding: try #require(drafts.last).content)
            #expect(told.message == Self.message && told.author == account)

            // The content of what stays is still there for others.
            let kept = try scene.read { try $0.log.logEntry(said.hash, of: group)?.content }
            #expect(kept == said.content)
            // In the end the author takes it back.
            let end = try author.say(.deletion(deletion), .deletion, id: Self.fresh(23), in: root, knowing: [root])
            #expect(try scene.hear(.groupEntry(GroupEntryBody(end)), from: author.person.peer, scope: scope) == .stored)
            #expect(try find().row.deleted)
        }
    }

    @Test("A status of a transfer is about what its sender and we have offered each other, and nobody else's")
    func statuses() throws {
        let scene = try Scene()
        let peer = mallory.person.peer
        let offer = Self.body("mine", offering: "mine.pdf")
        #expect(try scene.hear(.message(offer), from: peer, scope: own.voice.scope, id: Self.fresh(1)) == .stored)
        let stranger = author.account
        let theirs = try scene.write { transaction in
            var row = TransferRow(
                id: Self.transfer, direction: .incoming, peer: stranger, name: "theirs", size: 5, createdAt: Self.at)
            _ = try transaction.place(&row)
            return row
        }
        let status = DurableFrame.Content.fileStatus(FileStatusBody(transfer: Self.transfer, status: .cancelled))
        #expect(try scene.hear(status, from: peer, scope: own.voice.scope, id: Self.fresh(2)) == .stored)
        try scene.read { transaction throws in
            #expect(try transaction.transfer(theirs.id)?.state == .offered)
            #expect(try transaction.transfer(Self.transfer, from: peer.account)?.state == .cancelled)
        }
    }

    @Test("A message that another device of its author sends again is a repeat")
    func devices() throws {
        let scene = try Scene()
        let peer = mallory.person.peer
        #expect(try scene.hear(DurableFrame(id: Self.message, content: .message(Self.body("once")))) == [.stored])
        let certificate = try DeviceCertificate.issue(
            by: mallory.accountKey, for: DeviceID(SigningKey().publicKey), name: "other", created: Self.at)
        let other = PeerIdentity(
            certificate: certificate, staticKey: peer.staticKey, listenPort: nil, capabilities: [],
            softwareVersion: "test")
        #expect(
            try scene.hear(.message(Self.body("twice")), from: other, scope: own.voice.scope, id: Self.message)
                == .stored)
        #expect(try scene.read { try $0.message(Self.message)?.text } == "once")
    }
}

extension Scene {
    /// The conversation with an account.
    fileprivate func direct(_ account: AccountID) throws -> UUIDv7? {
        try read { try $0.conversation(with: account)?.id }
    }
}
