import Basics
import Crypto
import Messaging
import PeerProtocol
import Store
import Testing
import Vocabulary

@testable import Daemon

/// The keys of a simulated person, with which a test writes entries by hand.
struct Penman {
    let person: SimulatedPerson
    let accountKey: SigningKey
    let deviceKey: SigningKey
    private(set) var sequence: UInt64 = 0
    private(set) var previous: EntryHash?

    init(_ number: UInt8) throws {
        func secret(_ use: UInt8) -> SecretBytes {
            var bytes = [UInt8](repeating: number, count: 16) + [UInt8](repeating: use, count: 16)
            return SecretBytes(moving: &bytes)
        }
        person = try SimulatedPerson(number)
        (accountKey, deviceKey) = (try SigningKey(seed: secret(1)), try SigningKey(seed: secret(2)))
    }

    var account: AccountID { person.peer.account }
    var certificate: DeviceCertificate { person.peer.certificate }
    var seed: GroupSeed { GroupSeed(certificate: certificate, name: "somebody") }
    var voice: GroupVoice {
        GroupVoice(
            account: LocalAccount(accountKey: accountKey, deviceKey: deviceKey, certificate: certificate),
            graphs: GroupGraphs(), settled: SettledGroups())
    }

    /// Makes the entry that creates a group of this person.
    func create(
        _ name: String, with others: [Penman], at milliseconds: Int64 = 1_720_000_000_000
    ) throws -> MembershipEntry {
        try create(name, seeds: others.map(\.seed), at: milliseconds)
    }

    func create(
        _ name: String, seeds: [GroupSeed], at milliseconds: Int64 = 1_720_000_000_000
    ) throws -> MembershipEntry {
        let at = WallTime(milliseconds: milliseconds)
        return try MembershipEntry.make(
            .create(name: name, description: "", history: 0, creator: "somebody", members: seeds),
            group: nil, parents: [], by: account, certificate: certificate, key: deviceKey,
            time: HybridTime(milliseconds: milliseconds), at: at)
    }

    /// Makes the next membership entry of a graph and adds it to the graph.
    func change(_ operation: GroupOperation, in graph: inout GroupGraph) throws -> MembershipEntry {
        let entry = try graph.make(
            operation, certificate: certificate, key: deviceKey,
            time: HybridTime(milliseconds: 1_720_000_000_000), at: WallTime(milliseconds: 1_720_000_000_000))
        #expect(graph.insert(entry) == .inserted)
        return entry
    }

    /// Makes any entry of the log, under any id.
    mutating func say(
        _ content: LogContent, _ kind: LogKind = .message, id: UUIDv7, in root: EntryHash, knowing heads: [EntryHash]
    ) throws -> LogEntry {
        let at = WallTime(milliseconds: 1_720_000_000_000 + Int64(sequence))
        let position = LogEntry.Position(
            root: root, sequence: sequence + 1, previous: previous, heads: heads, dependencies: [])
        let entry = try LogEntry.make(
            kind, id: id, content: content.encoded(), at: position, key: deviceKey,
            time: HybridTime(milliseconds: at.milliseconds), at: at)
        (sequence, previous) = (sequence + 1, entry.hash)
        return entry
    }

    /// Makes a message entry with the heads that its author knew.
    mutating func write(
        _ text: String, in root: EntryHash, knowing heads: [EntryHash], at place: UInt64? = nil
    ) throws -> LogEntry {
        let at = WallTime(milliseconds: 1_720_000_000_000)
        let sequence = place ?? self.sequence + 1
        let position = LogEntry.Position(
            root: root, sequence: sequence, previous: sequence > 1 ? previous ?? root : nil, heads: heads,
            dependencies: [])
        let body = MessageBody(kind: .text, text: text, time: HybridTime(milliseconds: at.milliseconds), sentAt: at)
        let entry = try LogEntry.make(
            .message,
            id: UUIDv7(
                high: 0x0190_0000_0000_7000 | sequence & 0xFF,
                low: 1 << 63 | UInt64(account.bytes[0]) << 32 | sequence & 0xFFFF),
            content: LogContent.message(body).encoded(), at: position, key: deviceKey,
            time: HybridTime(milliseconds: at.milliseconds), at: at)
        (self.sequence, previous) = (sequence, entry.hash)
        return entry
    }
}

extension Scene {
    /// Commits a frame of a peer that may be no friend.
    @discardableResult
    func hear(
        _ content: DurableFrame.Content, from peer: PeerIdentity, scope: GroupScope, space: DataSpace = DataSpace(),
        id: UUIDv7 = UUIDv7(high: 5, low: 5)
    ) throws -> CommitOutcome {
        var committer = IncomingCommitter(peer: peer, name: nil, choices: .stored)
        committer.groups = scope
        committer.space = space
        let done = committer
        var id = id
        if case .groupEntry(let body) = content {
            id = try LogEntry(trusting: body.header, signature: body.signature, content: body.content).id
        }
        let frame = DurableFrame(id: id, content: content)
        let result = try write { try done.commit([frame], in: $0) }
        return try #require(result.outcomes.first?.outcome)
    }
}
