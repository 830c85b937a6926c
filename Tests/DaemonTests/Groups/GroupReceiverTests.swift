import Basics
import ControlProtocol
import Messaging
import PeerProtocol
import Store
import Testing
import Vocabulary

@testable import Daemon

/// Goal: what one member can do to the others is bounded, and a removed member can do nothing more.
@Suite("Groups in the database: what group mates can do")
struct GroupReceiverTests {
    /// Ourselves, a friend, and an account that is known through the group only.
    private let own: Penman
    private let friend: Penman
    private var other: Penman
    private let scope: GroupScope

    init() throws {
        (own, friend, other) = (try Penman(1), try Penman(2), try Penman(7))
        scope = own.voice.scope
    }

    private static func change(_ entries: [MembershipEntry]) throws -> DurableFrame.Content {
        .groupChange(GroupChangeBody(root: try #require(entries.first).root, entries: entries.map(\.bytes)))
    }

    private static func reason(_ outcome: CommitOutcome) -> Reason? {
        if case .refused(let refusal) = outcome { refusal.reason } else { nil }
    }

    private func texts(_ scene: Scene, _ group: UUIDv7) throws -> [(text: String, isLate: Bool)] {
        try scene.read { transaction in
            let conversation = try #require(try transaction.group(group)?.conversation)
            return try transaction.messages(in: conversation, limit: 100).messages.filter { $0.kind == .text }
                .map { ($0.text, $0.isLate) }
        }
    }

    @Test("A removed member's own late entries are refused; handed on by a member they are taken and marked late")
    func former() throws {
        let scene = try Scene()
        var other = other
        let create = try friend.create("Boat", with: [own, other])
        var graph = try GroupGraph(create: create)
        #expect(try scene.hear(Self.change([create]), from: friend.person.peer, scope: scope) == .stored)
        let first = try other.write("in time", in: graph.root, knowing: [graph.root])
        #expect(try scene.hear(.groupEntry(GroupEntryBody(first)), from: other.person.peer, scope: scope) == .stored)
        let removal = try friend.change(.remove(other.account), in: &graph)
        #expect(try scene.hear(Self.change([removal]), from: friend.person.peer, scope: scope) == .stored)
        // By heads from before the removal its author was a member.
        let second = try other.write("from before, as I say", in: graph.root, knowing: [graph.root])
        let direct = try scene.hear(.groupEntry(GroupEntryBody(second)), from: other.person.peer, scope: scope)
        #expect(Self.reason(direct) == .notAllowed)
        let seen = GroupSeenBody(root: graph.root, messages: [first.id])
        #expect(Self.reason(try scene.hear(.groupSeen(seen), from: other.person.peer, scope: scope)) == .notAllowed)
        #expect(try texts(scene, graph.group).map(\.text) == ["in time"])
        // Perhaps the author was added again, by an entry that is not here.
        let unknown = try #require(EntryHash([UInt8](repeating: 9, count: 32)))
        var again = other
        let third = try again.write("back", in: graph.root, knowing: [unknown])
        let early = try scene.hear(.groupEntry(GroupEntryBody(third)), from: other.person.peer, scope: scope)
        #expect(Self.reason(early) == .busy)
        // An entry that a member hands on is kept and marked as late.
        let handed = try scene.hear(.groupEntry(GroupEntryBody(second)), from: friend.person.peer, scope: scope)
        #expect(handed == .stored)
        #expect(try texts(scene, graph.group).map(\.text) == ["in time", "from before, as I say"])
        #expect(try texts(scene, graph.group).map(\.isLate) == [false, true])
        // Membership entries are taken from a removed member all the same.
        let word = try other.leave(graph)
        #expect(try scene.hear(Self.change([word]), from: other.person.peer, scope: scope) == .stored)
    }

    @Test("A removed member tells members that believe it to be in the group what took it out")
    func removalThatOthersLack() throws {
        let scene = try Scene()
        let create = try friend.create("Boat", with: [own, other])
        var graph = try GroupGraph(create: create)
        #expect(try scene.hear(Self.change([create]), from: friend.person.peer, scope: scope) == .stored)
        func answer(to heads: [EntryHash], from peer: Penman) throws -> GroupSyncInput? {
            let body = GroupHeadsBody(root: graph.root, heads: heads, digest: graph.root)
            return try scene.read { try GroupOffer(scope: scope, peer: peer.account).answer(to: body, in: $0) }
        }
        if case .some = try answer(to: [graph.root], from: other) { Issue.record("all are members") }
        let removal = try friend.change(.remove(own.account), in: &graph)
        #expect(try scene.hear(Self.change([removal]), from: friend.person.peer, scope: scope) == .stored)
        for peer in [friend, other] {
            guard case .departed(graph.root, removal.hash)? = try answer(to: [graph.root], from: peer) else {
                Issue.record("the removal is not told")
                continue
            }
        }
        // Heads with something new may say that we are in the group again.
        let unknown = try #require(EntryHash([UInt8](repeating: 9, count: 32)))
        guard case .offered(graph.root, [removal.hash])? = try answer(to: [unknown], from: friend) else {
            Issue.record("what a friend has is not asked for")
            return
        }
    }

    @Test("An entry at the last place of a chain, or two thousand chains, don't keep an account from being added")
    func floors() throws {
        let scene = try Scene()
        var friend = friend
        let (voice, newcomer) = (own.voice, other)
        let members = [friend.account]
        try scene.write { transaction in
            for penman in [friend, newcomer] {
                var row =
                    try transaction.contact(penman.account)
                    ?? ContactRow(account: penman.account, displayName: "New", createdAt: transaction.wallTime)
                (row.relation, row.card, row.device) = (
                    .friend, penman.person.card.encoded, penman.person.peer.device
                )
                try transaction.save(row)
            }
        }
        let group = try scene.write { transaction in
            try GroupCommands(voice, transaction).create(GroupFounding(name: "Boat"), members: members)
        }
        let root = try #require(EntryHash(group.root))
        let heads = try group.heads.map { try #require(EntryHash($0)) }
        let last = try friend.write("the last word", in: root, knowing: heads, at: PeerLimits.logSequence)
        #expect(
            try scene.hear(.groupEntry(GroupEntryBody(last)), from: friend.person.peer, scope: voice.scope) == .stored)
        // No member has the entries before it.
        try scene.write { transaction in
            let row = try #require(try transaction.group(group.id))
            var receiver = GroupReceiver(
                scope: voice.scope, peer: voice.account.id, transaction: transaction, choices: .stored)
            try receiver.giveUp(since: transaction.wallTime + .seconds(1), in: row)
        }
        #expect(try texts(scene, group.id).map(\.text) == ["the last word"])
        let added = [newcomer.account]
        let grown = try scene.write { try GroupCommands(voice, $0).add(added, to: group.id) }
        #expect(grown.entries == 2)
        let graph = try scene.write { transaction in
            try voice.graphs.graph(of: try #require(try transaction.group(group.id)), in: transaction)
        }
        #expect(graph.state.members[newcomer.account]?.floors == [friend.person.peer.device: PeerLimits.logSequence])

        // There are more chains than an entry can name.
        var floors: [DeviceID: UInt64] = [:]
        var devices: [DeviceID] = []
        for number in 0..<2000 {
            let bytes = [UInt8(number >> 8), UInt8(number & 0xFF)] + [UInt8](repeating: 1, count: 30)
            let device = try #require(DeviceID(bytes: bytes))
            devices.append(device)
            floors[device] = number < 500 ? PeerLimits.logSequence : UInt64(number + 2)
        }
        let named = GroupCommands.named(floors, of: Set(devices[500..<510]))
        #expect(named.count == PeerLimits.groupFloors && named == named.sorted())
        #expect(Set(devices[500..<510]).isSubset(of: named.map(\.device)))
        #expect(named.allSatisfy { $0.sequence < PeerLimits.logSequence })
    }

    @Test(
        "While only the user's part of the disk is left, frames that need room are put off; those that need none are taken"
    )
    func fullDisk() throws {
        let scene = try Scene()
        let full = DataSpace { 60 << 20 }
        let at = WallTime(milliseconds: 1_720_000_000_000)
        let message = MessageBody(
            kind: .text, text: "hello", time: HybridTime(milliseconds: at.milliseconds), sentAt: at)
        let create = try Self.change([friend.create("Boat", with: [own])])
        for content in [DurableFrame.Content.message(message), create] {
            let outcome = try scene.hear(content, from: friend.person.peer, scope: scope, space: full)
            #expect(Self.reason(outcome) == .noSpace && Self.reason(outcome)?.isPassing == true)
        }
        #expect(try scene.read { try $0.groups().isEmpty && $0.message(UUIDv7(high: 5, low: 5)) == nil })
        let seen = DurableFrame.Content.seen(SeenBody(messages: [UUIDv7(high: 1, low: 1)]))
        #expect(try scene.hear(seen, from: friend.person.peer, scope: scope, space: full) == .stored)
        // The user's setting is the bound, up to the usual one.
        try scene.write { try $0.setSetting("files.freeSpaceFloorBytes", to: "\(50 << 20)") }
        #expect(try scene.hear(.message(message), from: friend.person.peer, scope: scope, space: full) == .stored)
        try scene.write { try $0.setSetting("files.freeSpaceFloorBytes", to: "\(4 << 40)") }
        let roomy = DataSpace { 300 << 20 }
        #expect(try scene.hear(create, from: friend.person.peer, scope: scope, space: roomy) == .stored)
    }

    @Test("A membership entry that is refused for good ends the catch-up, however many entries follow it")
    func refusedForGood() throws {
        let scene = try Scene()
        let (friend, scope) = (friend, scope)
        let create = try friend.create("Boat", with: [own])
        var graph = try GroupGraph(create: create)
        #expect(try scene.hear(Self.change([create]), from: friend.person.peer, scope: scope) == .stored)
        let root = graph.root
        var refused = try friend.change(.rename("A"), in: &graph).bytes
        refused[refused.count - 1] ^= 1
        let behind = try friend.change(.rename("B"), in: &graph).bytes
        let someInstant = Instant(nanoseconds: 1)
        var sync = GroupSync()
        _ = sync.receive(.shared(root), now: someInstant)
        let first = GroupQuestion(GroupWantBody(root: root, heads: [root]), settles: false)
        var effects = sync.receive(.lacking(root, [first]), now: someInstant)
        var wants = 0
        while wants < 20, let effect = effects.first {
            effects = []
            switch effect {
            case .send(.want(let want)):
                wants += 1
                let page = GroupEntriesBody(
                    root: root, membership: [want.after == nil ? refused : behind], hasMore: want.after == nil)
                effects = sync.receive(.heard(.entries(page)), now: someInstant)
            case .commit(let body, let question):
                let commit = try scene.write { transaction in
                    var receiver = GroupReceiver(
                        scope: scope, peer: friend.account, transaction: transaction, choices: .stored)
                    return try #require(try receiver.page(CheckedGroupPage(body, asked: question, in: transaction)))
                }
                effects = sync.receive(.committed(root, commit), now: someInstant)
            default: break
            }
        }
        #expect(wants == 1)
    }

    @Test("All groups of one friend together have a bound, and each counts at least a fixed amount")
    func friendsGroups() throws {
        let scene = try Scene()
        let most = MessagingLimits.groupBytesOfFriend / MessagingLimits.groupBytesAtLeast
        let (friend, own, scope) = (friend, own, scope)
        let outcomes = try scene.write { transaction in
            var outcomes: [CommitOutcome] = []
            for number in 0...most {
                let create = try friend.create("\(number)", with: [own], at: 1_720_000_000_000 + Int64(number))
                var receiver = GroupReceiver(
                    scope: scope, peer: friend.account, transaction: transaction, choices: .stored)
                outcomes.append(try receiver.membership(create.root, [create.bytes]))
                try transaction.confirm(group: create.group)
            }
            return outcomes
        }
        #expect(outcomes.dropLast().allSatisfy { $0 == .stored })
        #expect(outcomes.last.flatMap(Self.reason) == .tooLarge)
        // The bound doesn't apply to groups that we make ourselves.
        let voice = own.voice
        let row = try scene.write { try GroupCommands(voice, $0).create(GroupFounding(name: "mine"), members: []) }
        #expect(row.state == .member)
    }
}

extension Penman {
    fileprivate func leave(_ graph: GroupGraph) throws -> MembershipEntry {
        try MembershipEntry.make(
            .leave, group: (graph.group, graph.root), parents: [graph.root], by: account, certificate: certificate,
            key: deviceKey, time: HybridTime(milliseconds: 1_720_000_000_001),
            at: WallTime(milliseconds: 1_720_000_000_001))
    }
}
