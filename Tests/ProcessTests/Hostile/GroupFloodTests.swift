import Basics
import ControlProtocol
import Crypto
import PeerProtocol
import TestSupport
import Testing
import Vocabulary

/// Goal: what a friend makes of groups costs the daemon little, and nobody waits for it.
@Suite("Floods of groups", .serialized)
struct GroupFloodTests {
    /// Waits until the daemon has read what was sent, and its store has done what came of it.
    private static func settle(_ link: PeerLink, _ daemon: DaemonProcess) throws {
        try link.roundTrip()
        _ = try daemon.status
    }

    private static func graphsRead(_ daemon: DaemonProcess) throws -> Int {
        try daemon.metric("kibo_group_graphs_read_total")
    }

    /// Takes the daemon's heads of these groups and gives them back: both sides have the same.
    private static func agree(_ roots: Set<EntryHash>, _ link: PeerLink) throws {
        var awaited = roots
        while !awaited.isEmpty {
            let heads = try GroupHeadsBody(decoding: link.frame(.groupHeads).body)
            #expect(heads.heads == [heads.root])
            awaited.remove(heads.root)
            link.send(Frame(kind: .groupHeads, body: try heads.encoded()))
        }
    }

    @Test("Of sixty groups of 256 that a friend makes up few are taken, and session after session reads no membership")
    func sessions() throws {
        let scene = try Scene()
        let mallory = try TestPeer()
        let crowd = try GroupCrowd(founder: mallory)
        let me = try crowd.certificate(of: scene.anna)
        // Signing so many entries takes a while; nobody answers pings meanwhile.
        let groups = try (0..<60).map { try crowd.group($0, with: [me], members: 256) }
        let link = try mallory.befriend(scene.anna)
        var taken: Set<EntryHash> = []
        for group in groups {
            let frame = try GroupCrowd.change([group])
            link.send(frame)
            switch try link.refusal(of: frame.id) {
            case nil: taken.insert(group.root)
            case .busy: continue
            case let reason?: Issue.record("refused: \(reason)")
            }
        }
        #expect(taken == Set(groups.prefix(8).map(\.root)))
        try Self.settle(link, scene.anna)
        let before = try Self.graphsRead(scene.anna)
        for _ in 0..<5 {
            let again = try mallory.openSession(with: scene.anna)
            try Self.agree(taken, again)
            // It speaks of the groups that were put off, and tells of them again.
            for group in groups {
                let heads = GroupHeadsBody(root: group.root, heads: [group.root], digest: group.root)
                again.send(Frame(kind: .groupHeads, body: try heads.encoded()), try GroupCrowd.change([group]))
            }
            try Self.settle(again, scene.anna)
            #expect(again.counts[.groupWant] == nil)
        }
        // Their digests are wrong, so the ends of chains were compared.
        #expect(try Self.graphsRead(scene.anna) == before)
        try scene.expectUnharmed()
    }

    @Test(
        "Ten sessions at once with a friend and sixty large, honest groups read no membership, before and after a start"
    )
    func honest() throws {
        let scene = try Scene()
        let frieda = try TestPeer("Frieda")
        let crowd = try GroupCrowd(founder: frieda)
        let me = try crowd.certificate(of: scene.anna)
        let link = try frieda.befriend(scene.anna)
        var roots: Set<EntryHash> = []
        for number in 0..<60 {
            let group = try crowd.group(number, with: [me], members: 256)
            let frame = try GroupCrowd.change([group])
            link.send(frame)
            #expect(try link.refusal(of: frame.id) == nil)
            // The user has a look.
            let shown = try scene.anna.call("group.get", ["id": .string("\(group.group)")])
            let conversation = try #require(shown["conversation"]?.string)
            let page = try scene.anna.call(
                "message.list", ["conversation": .string(conversation), "limit": 1])
            let last = try #require(page["messages"]?.array?.first?["id"]?.string)
            _ = try scene.anna.call(
                "conversation.markRead", ["id": .string(conversation), "upTo": .string(last)])
            roots.insert(group.root)
        }
        try Self.settle(link, scene.anna)
        func meet(_ count: Int) throws {
            let before = try Self.graphsRead(scene.anna)
            let links = try (0..<count).map { _ in
                try TestPeer("Frieda", account: frieda.accountKey).openSession(with: scene.anna)
            }
            for link in links { try Self.agree(roots, link) }
            for link in links { try Self.settle(link, scene.anna) }
            #expect(try Self.graphsRead(scene.anna) == before)
        }
        try meet(10)
        try scene.expectUnharmed(memory: 40 << 20)
        scene.anna.kill()
        try scene.anna.start()
        try meet(3)
    }
}
