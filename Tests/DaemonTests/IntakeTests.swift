import Basics
import ControlProtocol
import Messaging
import PeerProtocol
import Store
import Testing
import Vocabulary

@testable import Daemon

/// Goal: what one account says unasked is bounded for each day, and the last part of the disk is for those who have said
/// little, and then for the user alone.
@Suite("How much is taken unasked")
struct IntakeTests {
    /// Ourselves, two friends, and somebody who is known through a group only.
    private let own: Penman
    private let friend: Penman
    private let second: Penman
    private let stranger: Penman
    private let scope: GroupScope

    init() throws {
        (own, friend, second, stranger) = (try Penman(1), try Penman(2), try Penman(3), try Penman(7))
        scope = own.voice.scope
    }

    private static let at = WallTime(milliseconds: 1_720_000_000_000)

    private static func text(_ text: String = "hello") -> DurableFrame.Content {
        .message(MessageBody(kind: .text, text: text, time: HybridTime(milliseconds: at.milliseconds), sentAt: at))
    }

    private static func id(_ number: UInt64) -> UUIDv7 { UUIDv7(high: 0x0190_0000_0000_7000, low: 1 << 63 | number) }

    private static func reason(_ outcome: CommitOutcome) -> Reason? {
        if case .refused(let refusal) = outcome { refusal.reason } else { nil }
    }

    private static let limit = Int64(1 << 20)

    /// A scene in which one account may say a mebibyte a day.
    private func scene() throws -> Scene {
        let scene = try Scene()
        try scene.write { try $0.setSetting(SettingsCatalogue.messagesDailyBytes.spec.key, to: "\(Self.limit)") }
        return scene
    }

    private func spend(_ bytes: Int64, of penman: Penman, in scene: Scene, _ kind: UnaskedKind = .words) throws {
        try scene.write { $0.countUnasked(bytes, kind, of: penman.account) }
    }

    private func spent(_ penman: Penman, in scene: Scene, _ kind: UnaskedKind = .words) throws -> Int64 {
        try scene.write { $0.unasked(kind, of: penman.account) }
    }

    @Test("An account that has said enough today is put off; what is here is confirmed, and what makes room is taken")
    func words() throws {
        let scene = try scene()
        let text = String(repeating: "a", count: 8000)
        var taken = 0
        while try scene.hear(Self.text(text), from: friend.person.peer, scope: scope, id: Self.id(UInt64(taken)))
            == .stored
        {
            taken += 1
        }
        // What is counted is about what it takes on the disk.
        #expect((60...70).contains(taken))
        let late = try scene.hear(Self.text(text), from: friend.person.peer, scope: scope, id: Self.id(1000))
        #expect(Self.reason(late) == .busy && Self.reason(late)?.isPassing == true)
        // A receipt may have been lost.
        #expect(try scene.hear(Self.text(text), from: friend.person.peer, scope: scope, id: Self.id(0)) == .stored)
        let time = HybridTime(milliseconds: Self.at.milliseconds + 1)
        func deletion(_ number: UInt64) -> DurableFrame.Content {
            .deletion(DeletionBody(message: Self.id(number), time: time, sentAt: Self.at))
        }
        // What was never here leaves a row behind, and is no way around the bound.
        let unknown = try scene.hear(deletion(5000), from: friend.person.peer, scope: scope, id: Self.id(6000))
        #expect(Self.reason(unknown) == .busy)
        #expect(try scene.hear(deletion(0), from: friend.person.peer, scope: scope, id: Self.id(6001)) == .stored)
        for content in [
            DurableFrame.Content.reaction(ReactionBody(message: Self.id(1), emoji: "👍", time: time, removed: false)),
            .edit(EditBody(message: Self.id(1), text: "b", time: time, editedAt: Self.at)),
        ] {
            let outcome = try scene.hear(content, from: friend.person.peer, scope: scope, id: Self.id(7000))
            #expect(Self.reason(outcome) == .busy)
        }
        #expect(
            try scene.hear(.seen(SeenBody(messages: [Self.id(1)])), from: friend.person.peer, scope: scope) == .stored)
        // Nobody else is touched, the user least of all.
        let other = try scene.hear(Self.text(), from: second.person.peer, scope: scope, id: Self.id(8000))
        #expect(other == .stored || Self.reason(other) == .notFriends)
        try scene.send("mine")
    }

    @Test("The day of an account ends by the trusted clock; then everything is taken once")
    func nextDay() throws {
        let scene = try scene()
        try spend(Self.limit, of: friend, in: scene)
        #expect(
            Self.reason(try scene.hear(Self.text(), from: friend.person.peer, scope: scope, id: Self.id(1))) == .busy)
        let timeline = scene.simulation.timeline
        timeline.end()
        for _ in 0..<(24 * 6 + 1) {
            try timeline.run(until: timeline.now + .seconds(600))
            try scene.write { _ in }
        }
        for _ in 0..<2 {
            #expect(try scene.hear(Self.text(), from: friend.person.peer, scope: scope, id: Self.id(1)) == .stored)
        }
        #expect(try scene.read { try $0.message(Self.id(1))?.text } == "hello")
    }

    @Test("Where room is short, those who have said most are put off first; the last quarter is the user's")
    func room() throws {
        let scene = try Scene()
        func outcome(free: UInt64, after bytes: Int64, id: UInt64) throws -> Reason? {
            let space = DataSpace { free }
            let before = try spent(friend, in: scene)
            try spend(max(0, bytes - before), of: friend, in: scene)
            return Self.reason(
                try scene.hear(Self.text(), from: friend.person.peer, scope: scope, space: space, id: Self.id(id)))
        }
        #expect(try outcome(free: 255 << 20, after: 1 << 20, id: 1) == nil)
        #expect(try outcome(free: 100 << 20, after: 2 << 20, id: 2) == nil)
        #expect(try outcome(free: 80 << 20, after: 2 << 20, id: 3) == .noSpace)
        #expect(try outcome(free: 256 << 20, after: 100 << 20, id: 4) == nil)
        #expect(try outcome(free: 255 << 20, after: 100 << 20, id: 5) == .noSpace)
        #expect(try outcome(free: 64 << 20, after: 0, id: 6) == .noSpace)
        try scene.send("mine")
    }

    @Test("Nobody who has said little is put off before the last quarter, and empty pages of the database are room")
    func quiet() throws {
        let scene = try Scene()
        let space = DataSpace { 65 << 20 }
        #expect(
            try scene.hear(Self.text(), from: friend.person.peer, scope: scope, space: space, id: Self.id(1)) == .stored
        )
        let full = DataSpace { 60 << 20 }
        #expect(
            Self.reason(
                try scene.hear(Self.text(), from: friend.person.peer, scope: scope, space: full, id: Self.id(2)))
                == .noSpace)
        // The user deletes a long conversation: the file doesn't shrink at once, and has room.
        try scene.write { transaction in
            let open = try #require(try transaction.conversation(with: scene.friend))
            for number in 100..<1000 as Range<UInt64> {
                let row = MessageRow(
                    id: Self.id(number), conversation: open.id, sender: scene.friend,
                    senderDevice: friend.person.peer.device, text: String(repeating: "a", count: 8000), sentAt: Self.at,
                    receivedAt: Self.at, hlc: HybridTime(milliseconds: Self.at.milliseconds), state: .received)
                _ = try transaction.insertIncoming(row)
            }
        }
        try scene.deleteConversation()
        #expect(try scene.read { try $0.emptyBytes() } > 6 << 20)
        #expect(
            try scene.hear(Self.text(), from: friend.person.peer, scope: scope, space: full, id: Self.id(3)) == .stored)
    }

    @Test("Files are taken without asking up to a bound for each day; then the user is asked")
    func files() throws {
        let scene = try Scene()
        try scene.write { try $0.setSetting("files.autoDownloadDailyBytes", to: "\(20 << 20)") }
        var committer = IncomingCommitter(peer: friend.person.peer, name: nil, choices: .stored)
        committer.destination = Destination(freeBytes: 100 << 30, isWritable: true)
        let done = committer
        func states(_ numbers: Range<UInt64>) throws -> [TransferState] {
            try numbers.map { number in
                let offer = AttachmentBody(
                    transfer: Self.id(100 + number), name: "a.pdf", size: 8 << 20, kind: .document, mediaType: "",
                    fileCount: 1)
                let body = MessageBody(
                    kind: .file, text: "", time: HybridTime(milliseconds: Self.at.milliseconds), sentAt: Self.at,
                    attachments: [offer])
                let frame = DurableFrame(id: Self.id(number), content: .message(body))
                #expect(try scene.write { try done.commit([frame], in: $0).outcomes.first?.outcome } == .stored)
                return try #require(try scene.read { try $0.transfer(Self.id(100 + number))?.state })
            }
        }
        #expect(try states(1..<5) == [.queued, .queued, .offered, .offered])
        // What the user takes was asked for, and doesn't count.
        try scene.write { transaction in
            var row = try #require(try transaction.transfer(Self.id(103)))
            row.queue()
            try transaction.update(row)
        }
        #expect(try spent(friend, in: scene, .files) == 16 << 20)
        // From a friend whose files the user always takes they are taken.
        try scene.write { transaction in
            var row = try #require(try transaction.contact(scene.friend))
            row.autoDownload = .always
            try transaction.save(row)
        }
        #expect(try states(5..<6) == [.queued])
    }

    // MARK: Groups

    private func group(_ members: [Penman], in scene: Scene) throws -> GroupGraph {
        let create = try friend.create("Boat", with: members)
        let content = DurableFrame.Content.groupChange(GroupChangeBody(root: create.root, entries: [create.bytes]))
        #expect(try scene.hear(content, from: friend.person.peer, scope: scope) == .stored)
        return try GroupGraph(create: create)
    }

    @Test("In a group an author answers for their own words, also where other members hand them on")
    func author() throws {
        let scene = try scene()
        var friend = friend
        let graph = try group([own, stranger], in: scene)
        let entry = try friend.write("one", in: graph.root, knowing: [graph.root])
        let before = try spent(friend, in: scene)
        #expect(try scene.hear(.groupEntry(GroupEntryBody(entry)), from: stranger.person.peer, scope: scope) == .stored)
        let once = try spent(friend, in: scene)
        let strangers = try spent(stranger, in: scene)
        #expect(once > before && strangers == 0)
        // Handed on once more, it counts no more.
        #expect(try scene.hear(.groupEntry(GroupEntryBody(entry)), from: stranger.person.peer, scope: scope) == .stored)
        #expect(try spent(friend, in: scene) == once)
        try spend(Self.limit, of: friend, in: scene)
        let late = try friend.write("two", in: graph.root, knowing: [graph.root])
        let outcome = try scene.hear(.groupEntry(GroupEntryBody(late)), from: stranger.person.peer, scope: scope)
        #expect(Self.reason(outcome) == .busy)
        #expect(try scene.hear(.groupEntry(GroupEntryBody(entry)), from: friend.person.peer, scope: scope) == .stored)
        // The member that hands on what is put off is heard all the same.
        var stranger = stranger
        let theirs = try stranger.write("three", in: graph.root, knowing: [graph.root])
        #expect(
            try scene.hear(.groupEntry(GroupEntryBody(theirs)), from: stranger.person.peer, scope: scope) == .stored)
    }

    @Test("A friend answers for people that are no contacts and that they have brought in, and these for themselves")
    func brought() throws {
        let scene = try scene()
        let graph = try group([own, stranger], in: scene)
        var stranger = stranger
        let words = try spent(friend, in: scene)
        let entry = try stranger.write("one", in: graph.root, knowing: [graph.root])
        #expect(try scene.hear(.groupEntry(GroupEntryBody(entry)), from: stranger.person.peer, scope: scope) == .stored)
        #expect(try spent(friend, in: scene, .brought) > 0)
        // The friend may say as much as before.
        #expect(try spent(friend, in: scene) == words)
        try spend(Self.limit / 4, of: stranger, in: scene)
        let second = try stranger.write("two", in: graph.root, knowing: [graph.root])
        let one = try scene.hear(.groupEntry(GroupEntryBody(second)), from: stranger.person.peer, scope: scope)
        #expect(Self.reason(one) == .busy)
        #expect(
            try scene.hear(Self.text(), from: friend.person.peer, scope: scope, id: Self.id(1)) == .stored)
    }

    @Test("A page of catch-up brings what is not put off, and what waits for the rest is shown without it")
    func page() throws {
        let scene = try scene()
        let graph = try group([own, stranger], in: scene)
        var (friend, stranger) = (friend, stranger)
        try spend(Self.limit, of: friend, in: scene)
        let mine = try friend.write("flood", in: graph.root, knowing: [graph.root])
        let theirs = try stranger.write("hello", in: graph.root, knowing: [graph.root])
        let body = GroupEntriesBody(
            root: graph.root, entries: [GroupEntryBody(mine), GroupEntryBody(theirs)], hasMore: false)
        let question = GroupQuestion(GroupWantBody(root: graph.root, hashes: [mine.hash, theirs.hash]), settles: false)
        let (scope, account) = (scope, stranger.account)
        func take() throws -> (GroupCommit?, IntakeNews) {
            try scene.write { transaction in
                var receiver = GroupReceiver(
                    scope: scope, peer: account, transaction: transaction, choices: .stored,
                    intake: try Intake(DataSpace(), by: .stored, in: transaction))
                return (try receiver.page(CheckedGroupPage(body, asked: question, in: transaction)), receiver.news)
            }
        }
        func texts() throws -> [String] {
            try scene.read { transaction in
                let conversation = try #require(try transaction.group(graph.group)?.conversation)
                return try transaction.messages(in: conversation, limit: 100).messages.filter { $0.kind == .text }
                    .map(\.text)
            }
        }
        let (commit, news) = try take()
        #expect(commit != nil && news.putOff == [friend.account: .day])
        #expect(try texts() == ["hello"])
        try scene.write { try $0.setSetting("messages.dailyBytes", to: "\(Self.limit * 100)") }
        #expect(try take().1.putOff.isEmpty)
        #expect(try Set(texts()) == ["hello", "flood"])
    }
}
