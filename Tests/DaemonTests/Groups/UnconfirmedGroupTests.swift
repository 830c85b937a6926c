import Basics
import Crypto
import Messaging
import PeerProtocol
import Store
import Testing
import Vocabulary

@testable import Daemon

/// Goal: groups that a friend alone has told of are few and small until the user or another friend takes part in them.
@Suite("Groups that nobody has confirmed")
struct UnconfirmedGroupTests {
    private let own: Penman
    private let friend: Penman
    private let second: Penman
    private let scope: GroupScope

    init() throws {
        (own, friend, second) = (try Penman(1), try Penman(2), try Penman(7))
        scope = own.voice.scope
    }

    private func take(
        _ entries: [MembershipEntry], in scene: Scene, from peer: Penman? = nil
    ) throws -> CommitOutcome {
        let root = try #require(entries.first).root
        let frame = DurableFrame.Content.groupChange(GroupChangeBody(root: root, entries: entries.map(\.bytes)))
        return try scene.hear(frame, from: (peer ?? friend).person.peer, scope: scope)
    }

    private func create(_ number: Int, with seeds: [GroupSeed]) throws -> MembershipEntry {
        try friend.create("\(number)", seeds: seeds, at: 1_720_000_000_000 + Int64(number))
    }

    private func isBusy(_ outcome: CommitOutcome) -> Bool {
        if case .refused(let refusal) = outcome { refusal.reason == .busy } else { false }
    }

    /// Groups, and members in all of them.
    private func load(_ scene: Scene) throws -> [Int] {
        let load = try scene.read { try $0.unconfirmedLoad(of: friend.account, but: nil) }
        return [load.groups, load.members]
    }

    private func befriend(_ penman: Penman, _ scene: Scene) throws {
        try scene.write { transaction in
            var row =
                try transaction.contact(penman.account)
                ?? ContactRow(account: penman.account, displayName: "Second", createdAt: transaction.wallTime)
            (row.relation, row.card, row.device) = (.friend, penman.person.card.encoded, penman.person.peer.device)
            try transaction.save(row)
        }
    }

    @Test("A friend may tell of so many groups, the others are put off; what the user takes part in makes room")
    func groups() throws {
        let scene = try Scene()
        let creates = try (0..<(MessagingLimits.unconfirmedGroups + 3)).map { try create($0, with: [own.seed]) }
        let outcomes = try creates.map { try take([$0], in: scene) }
        let most = MessagingLimits.unconfirmedGroups
        #expect(outcomes.prefix(most).allSatisfy { $0 == .stored } && outcomes.dropFirst(most).allSatisfy(isBusy))
        #expect(try load(scene) == [most, 2 * most])
        // What is here goes on as ever, and one that is put off costs no signature.
        var graph = try GroupGraph(create: creates[0])
        let rename = try friend.change(.rename("New"), in: &graph)
        #expect(try take([rename], in: scene) == .stored)
        let body = GroupChangeBody(root: creates[most].root, entries: [creates[most].bytes])
        #expect(try scene.read { try CheckedEntries.check(body, from: friend.account, in: $0) } == nil)
        // The user writes in one, reads another and renames a third; each makes room. To leave one doesn't.
        let voice = own.voice
        let conversations = try (0..<4).map { number in
            try scene.read { try #require(try $0.group(creates[number].group)?.conversation) }
        }
        try scene.write { transaction in
            _ = try GroupCommands(voice, transaction).change([.leave], in: creates[3].group)
        }
        #expect(isBusy(try take([creates[most]], in: scene)))
        try scene.write { transaction in
            let row = try #require(try transaction.group(creates[0].group))
            try GroupCommands(voice, transaction).say(
                .message, id: UUIDv7(high: 0x0190_0000_0000_7001, low: 1 << 63 | 1), [1], in: row, about: nil)
        }
        #expect(try take([creates[most]], in: scene) == .stored)
        #expect(isBusy(try take([creates[most + 1]], in: scene)))
        let owner = own.account
        try scene.write { transaction in
            let last = try #require(try transaction.messages(in: conversations[1], limit: 1).messages.first)
            _ = try Amendments(own: owner, transaction: transaction).markRead(
                conversations[1], upTo: last.id, arrival: nil, tells: false)
        }
        #expect(try take([creates[most + 1]], in: scene) == .stored)
        #expect(isBusy(try take([creates[most + 2]], in: scene)))
    }

    @Test("All of them together have so many members; the first one may have any size")
    func members() throws {
        let scene = try Scene()
        let people = try (0..<254).map { _ in try GroupLoadTests.nobody() }
        let full = [own.seed] + people
        let first = try create(0, with: full)
        let room = try scene.read { try GroupBounds($0).room(for: first.group, nil, from: friend.account) }
        #expect(room.members == .max && room.bytes == MessagingLimits.unconfirmedBytes)
        #expect(try take([first], in: scene) == .stored)
        for number in 1..<8 { #expect(try take([try create(number, with: full)], in: scene) == .stored) }
        // Another is too much, of whatever size, until the user takes part in one; then it doesn't grow by so many.
        #expect(isBusy(try take([try create(8, with: full)], in: scene)))
        let small = try create(10, with: [own.seed])
        #expect(isBusy(try take([small], in: scene)))
        try scene.write { try $0.confirm(group: first.group) }
        #expect(try take([small], in: scene) == .stored)
        #expect(try take([try create(11, with: Array(full.prefix(200)))], in: scene) == .stored)
        var grown = try GroupGraph(create: small)
        let addition = try friend.change(.add(people, floors: []), in: &grown)
        #expect(isBusy(try take([addition], in: scene)))
        try scene.write { try $0.confirm(group: small.group) }
        #expect(try take([addition], in: scene) == .stored)
    }

    @Test("Another friend's word confirms a group; a stranger's doesn't, nor that of the friend who told of it")
    func confirmation() throws {
        let scene = try Scene()
        var (second, friend) = (second, friend)
        let group = try create(0, with: [own.seed, second.seed])
        #expect(try take([group], in: scene) == .stored)
        func hear(_ entry: LogEntry, from peer: Penman) throws {
            let frame = DurableFrame.Content.groupEntry(GroupEntryBody(entry))
            #expect(try scene.hear(frame, from: peer.person.peer, scope: scope) == .stored)
        }
        func giver() throws -> AccountID? { try scene.read { try $0.unconfirmedGiver(of: group.group) } }
        try hear(try friend.write("one", in: group.root, knowing: [group.root]), from: friend)
        try hear(try second.write("two", in: group.root, knowing: [group.root]), from: second)
        #expect(try take([group], in: scene, from: second) == .stored)
        #expect(try giver() == friend.account)
        try befriend(second, scene)
        // The friend who told of it hands on what the second one has written.
        try hear(try second.write("three", in: group.root, knowing: [group.root]), from: friend)
        #expect(try giver() == nil)
    }

    @Test("A group that another friend has made, too, or that the second friend tells of again, is confirmed")
    func hearsay() throws {
        let scene = try Scene()
        try befriend(second, scene)
        let theirs = try second.create("Theirs", with: [own, friend])
        #expect(try take([theirs], in: scene) == .stored)
        let ours = try create(0, with: [own.seed, second.seed])
        #expect(try take([ours], in: scene) == .stored)
        #expect(try load(scene) == [1, 3])
        #expect(try take([ours], in: scene, from: second) == .stored)
        #expect(try load(scene) == [0, 0])
    }
}
