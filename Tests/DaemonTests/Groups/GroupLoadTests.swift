import Basics
import Crypto
import Messaging
import PeerProtocol
import Store
import Testing
import Vocabulary

@testable import Daemon

/// Goal: what a peer says of groups at a session's start, and what it makes of them, costs little: graphs are counted, and
/// so are signatures.
@Suite("Groups in the database: what they cost")
struct GroupLoadTests {
    private let own: Penman
    private let friend: Penman
    private let other: Penman
    private let scope: GroupScope

    init() throws {
        (own, friend, other) = (try Penman(1), try Penman(2), try Penman(7))
        scope = own.voice.scope
    }

    /// As a daemon that has just started: no graph is in memory.
    private var fresh: GroupScope { own.voice.scope }

    private func take(
        _ entries: [MembershipEntry], in scene: Scene, from peer: Penman, _ scope: GroupScope
    ) throws -> CommitOutcome {
        let root = try #require(entries.first).root
        let frame = DurableFrame.Content.groupChange(GroupChangeBody(root: root, entries: entries.map(\.bytes)))
        return try scene.hear(frame, from: peer.person.peer, scope: scope)
    }

    /// More groups than there is memory for, each with a message of the friend.
    private func groups(_ count: Int, in scene: Scene) throws -> [MembershipEntry] {
        try (0..<count).map { number in
            let create = try friend.create("\(number)", with: [own, other], at: 1_720_000_000_000 + Int64(number))
            #expect(try take([create], in: scene, from: friend, scope) == .stored)
            try scene.write { try $0.confirm(group: create.group) }
            var friend = friend
            let entry = try friend.write("\(number)", in: create.root, knowing: [create.root])
            let frame = DurableFrame.Content.groupEntry(GroupEntryBody(entry))
            #expect(try scene.hear(frame, from: friend.person.peer, scope: scope) == .stored)
            return create
        }
    }

    @Test("Heads, their comparison and the ends of chains need no graph, where both have the same and where not")
    func comparison() throws {
        let scene = try Scene()
        let scope = fresh
        let unknown = try #require(EntryHash([UInt8](repeating: 9, count: 32)))
        for create in try groups(MessagingLimits.keptGraphs + 8, in: scene) {
            try scene.read { transaction in
                let row = try #require(try transaction.group(root: create.root.bytes))
                let membership = StoredMembership(row, scope: scope, in: transaction)
                let log = GroupLog(root: create.root, storage: SQLiteGroupLog(reading: row, transaction))
                let heads = try log.heads(membership)
                #expect(heads.heads == [create.root])
                let same = try log.compare(heads, membership, own: own.account)
                #expect(same.isSame && same.questions.isEmpty)
                let news = GroupHeadsBody(root: create.root, heads: [unknown], digest: unknown)
                let another = try log.compare(news, membership, own: own.account)
                #expect(!another.isSame && another.questions.map(\.want.heads) == [[create.root]])
                let tops = try log.storage.tops()
                #expect(tops.count == 1)
                #expect(try log.questions(tops: tops, membership, own: own.account).isEmpty)
                // The graph itself says the same.
                let graph = try self.scope.graphs.graph(of: row, in: transaction)
                #expect(try log.heads(graph) == heads)
                #expect(try membership.contains(create.root) && !membership.contains(unknown))
            }
        }
        #expect(scope.graphs.reads == 0)
    }

    @Test("What lies below our floors differs in every session, and is looked up in the graph once")
    func floors() throws {
        let scene = try Scene()
        let create = try friend.create("Boat", with: [other])
        var graph = try GroupGraph(create: create)
        let device = friend.certificate.device
        let floor = LogPlace(device: device, sequence: 7)
        let addition = try friend.change(.add([own.seed], floors: [floor]), in: &graph)
        #expect(try take([create, addition], in: scene, from: friend, scope) == .stored)
        let scope = fresh
        let hash = try #require(EntryHash([UInt8](repeating: 3, count: 32)))
        for sequence in [6, 6, 6, 7] as [UInt64] {
            try scene.read { transaction in
                let row = try #require(try transaction.group(root: create.root.bytes))
                let log = GroupLog(root: create.root, storage: SQLiteGroupLog(reading: row, transaction))
                let top = LogReference(place: LogPlace(device: device, sequence: sequence), hash: hash)
                let questions = try log.questions(
                    tops: [top], StoredMembership(row, scope: scope, in: transaction), own: own.account)
                #expect(questions.isEmpty == (sequence == 6))
            }
        }
        #expect(scope.graphs.reads == 1)
        // A change of the membership is seen.
        let rename = try friend.change(.rename("Ship"), in: &graph)
        #expect(try take([rename], in: scene, from: friend, self.scope) == .stored)
        try scene.read { transaction in
            let row = try #require(try transaction.group(root: create.root.bytes))
            #expect(try scope.graphs.floors(of: own.account, by: row, in: transaction) == [device: 7])
        }
        #expect(scope.graphs.reads == 2)
    }

    @Test("What is said of groups that are not shared needs no graph but to tell a member how it left")
    func offers() throws {
        let scene = try Scene()
        let scope = fresh
        let unknown = try #require(EntryHash([UInt8](repeating: 9, count: 32)))
        func answer(_ root: EntryHash, _ heads: [EntryHash], from peer: Penman) throws -> GroupSyncInput? {
            let body = GroupHeadsBody(root: root, heads: heads, digest: root)
            return try scene.read { try GroupOffer(scope: scope, peer: peer.account).answer(to: body, in: $0) }
        }
        let create = try friend.create("Boat", with: [own, other])
        var graph = try GroupGraph(create: create)
        #expect(try take([create], in: scene, from: friend, self.scope) == .stored)
        #expect(try answer(create.root, [unknown], from: friend) == nil)
        let removal = try friend.change(.remove(own.account), in: &graph)
        #expect(try take([removal], in: scene, from: friend, self.scope) == .stored)
        guard case .departed(create.root, removal.hash)? = try answer(create.root, [create.root], from: friend),
            case .offered(create.root, [removal.hash])? = try answer(create.root, [unknown], from: friend),
            case .offered(unknown, [])? = try answer(unknown, [unknown], from: friend),
            case nil = try answer(unknown, [unknown], from: other)
        else {
            Issue.record("another answer")
            return
        }
        #expect(scope.graphs.reads == 0)
    }

    @Test("The look for entries that have waited too long needs the graphs of groups in which some wait")
    func givingUp() throws {
        let scene = try Scene()
        let creates = try groups(8, in: scene)
        let scope = fresh
        func giveUp() throws {
            try scene.write { transaction in
                for create in creates {
                    let row = try #require(try transaction.group(create.group))
                    var receiver = GroupReceiver(
                        scope: scope, peer: scope.own, transaction: transaction, choices: .stored)
                    try receiver.giveUp(since: WallTime(milliseconds: 0), in: row)
                }
            }
        }
        try giveUp()
        #expect(scope.graphs.reads == 0)
        var other = other
        let unknown = try #require(EntryHash([UInt8](repeating: 9, count: 32)))
        let held = try other.write("held", in: creates[3].root, knowing: [unknown])
        let frame = DurableFrame.Content.groupEntry(GroupEntryBody(held))
        #expect(try scene.hear(frame, from: friend.person.peer, scope: self.scope) == .stored)
        try giveUp()
        #expect(scope.graphs.reads == 1)
    }

    @Test(
        "A chain of additions each of which needs the one before, and many heads, cost a session's start nothing either"
    )
    func costliest() throws {
        let scene = try Scene()
        let create = try friend.create("Boat", with: [own])
        var graph = try GroupGraph(create: create)
        var entries = [create]
        for _ in 0..<100 { entries.append(try friend.change(.add([try Self.nobody()], floors: []), in: &graph)) }
        let base = graph
        for number in 0..<40 {
            var branch = base
            let entry = try friend.change(.rename("\(number)"), in: &branch)
            #expect(graph.insert(entry) == .inserted)
            entries.append(entry)
        }
        #expect(try take(entries, in: scene, from: friend, scope) == .stored)
        let scope = fresh
        try scene.read { transaction in
            let row = try #require(try transaction.group(root: create.root.bytes))
            let membership = StoredMembership(row, scope: scope, in: transaction)
            let log = GroupLog(root: create.root, storage: SQLiteGroupLog(reading: row, transaction))
            #expect(membership.heads == graph.heads && graph.heads.count == 40)
            #expect(try log.heads(membership) == log.heads(graph))
            for entry in entries { #expect(try membership.contains(entry.hash)) }
            #expect(try log.compare(try log.heads(graph), membership, own: own.account).isSame)
            #expect(scope.graphs.reads == 0)
            // What it costs where it must be made is counted.
            let meter = GroupMeter(limit: .max)
            _ = try scope.graphs.graph(of: row, in: transaction, meter)
            let bytes = entries.reduce(0) { $0 + $1.bytes.count }
            #expect(meter.work.bytes == bytes && meter.work.signatures == 0 && scope.graphs.reads == 1)
        }
    }

    @Test("A graph that was made beforehand is not made again where entries are taken")
    func warm() throws {
        let scene = try Scene()
        let create = try #require(try groups(1, in: scene).first)
        var graph = try GroupGraph(create: create)
        let scope = fresh
        let unknown = try #require(EntryHash([UInt8](repeating: 9, count: 32)))
        #expect(!scope.graphs.isKept(create.root))
        scene.read { transaction in
            for root in [create.root, create.root, unknown] { scope.graphs.warm(root, in: transaction) }
        }
        #expect(scope.graphs.isKept(create.root) && !scope.graphs.isKept(unknown) && scope.graphs.reads == 1)
        var other = other
        let body = GroupEntryBody(try other.write("hello", in: create.root, knowing: [create.root]))
        #expect(body.root == create.root)
        #expect(try scene.hear(.groupEntry(body), from: friend.person.peer, scope: scope) == .stored)
        let rename = try friend.change(.rename("Ship"), in: &graph)
        #expect(try take([rename], in: scene, from: friend, scope) == .stored)
        #expect(scope.graphs.reads == 1)
        #expect(GroupEntryBody(header: [1], signature: [], content: nil).root == nil)
    }

    @Test("Entries that come again, and groups that aren't taken, cost no signature; a graph from the disk neither")
    func signatures() throws {
        let scene = try Scene()
        let people = try (0..<255).map { _ in try Self.nobody() }
        let seeds = [own.seed] + people.dropFirst()
        let create = try friend.create("Boat", seeds: seeds)
        let body = GroupChangeBody(root: create.root, entries: [create.bytes])
        func check(_ body: GroupChangeBody) throws -> CheckedEntries? {
            try scene.read { try CheckedEntries.check(body, from: friend.account, in: $0) }
        }
        // The founder's, and those of 255 others, and the entry's own.
        #expect(try check(body)?.signatures == 257)
        #expect(try take([create], in: scene, from: friend, scope) == .stored)
        #expect(try check(body)?.signatures == 0)
        #expect(try take([create], in: scene, from: friend, fresh) == .stored)
        let scope = fresh
        #expect(try take([create], in: scene, from: friend, scope) == .stored)
        #expect(scope.graphs.reads == 0)
        // A fresh group with bad signatures in it counts those that were looked at.
        var bytes = try friend.create("Ship", seeds: seeds).bytes
        bytes[bytes.count - 1] ^= 1
        let bad = try check(GroupChangeBody(root: create.root, entries: [bytes]))
        guard case .failure(.forged)? = bad?.entries else {
            Issue.record("it is taken")
            return
        }
    }

    @Test("Of a frame with more signatures than one turn may check the rest is taken when it comes again")
    func turns() throws {
        let scene = try Scene()
        let create = try friend.create("Boat", with: [own])
        var graph = try GroupGraph(create: create)
        var entries = [create]
        while entries.count < MessagingLimits.signaturesAtOnce + 200 {
            entries.append(try friend.change(.rename("\(entries.count)"), in: &graph))
        }
        var outcomes: [CommitOutcome] = []
        for _ in 0..<8 where outcomes.last != .stored {
            outcomes.append(try take(entries, in: scene, from: friend, scope))
        }
        #expect(outcomes.last == .stored && outcomes.count > 1)
        #expect(try scene.read { try $0.group(create.group)?.name } == "\(entries.count - 1)")
    }

    static func nobody() throws -> GroupSeed {
        let certificate = try DeviceCertificate.issue(
            by: SigningKey(), for: DeviceID(SigningKey().publicKey), name: "nobody",
            created: WallTime(milliseconds: 1_720_000_000_000))
        return GroupSeed(certificate: certificate, name: "Nobody")
    }
}
