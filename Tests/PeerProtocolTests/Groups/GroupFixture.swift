import Basics
import Crypto
import PeerProtocol
import Testing
import Vocabulary

/// An account with some devices, the same in every run.
struct Mate: Sendable {
    let account: AccountID
    let name: String
    let keys: [SigningKey]
    let certificates: [DeviceCertificate]

    /// All mates are made once, because keys and certificates are expensive to make.
    static let all: [Mate] = (0..<80).compactMap { try? Mate($0) }

    init(_ number: Int, devices: Int = 2) throws {
        func key(_ use: UInt8) throws -> SigningKey {
            var seed =
                [UInt8](repeating: UInt8(truncatingIfNeeded: number), count: 15)
                + [UInt8(truncatingIfNeeded: number >> 8)] + [UInt8](repeating: use, count: 16)
            return try SigningKey(seed: SecretBytes(moving: &seed))
        }
        let accountKey = try key(100)
        account = AccountID(accountKey.publicKey)
        name = "mate \(number)"
        keys = try (0..<devices).map { try key(101 + UInt8($0)) }
        certificates = try keys.map {
            try DeviceCertificate.issue(by: accountKey, for: DeviceID($0.publicKey), name: "desk", created: someTime)
        }
    }

    var certificate: DeviceCertificate { certificates[0] }
    var key: SigningKey { keys[0] }
    var device: DeviceID { certificate.device }
    var seed: GroupSeed { GroupSeed(certificate: certificate, name: name) }
}

/// A group that tests build by hand: entries by number of mate, each at the test's own time.
struct Workshop {
    var graph: GroupGraph
    let mates: [Mate]
    private var time: Int64 = someTime.milliseconds

    /// Mate 0 makes the group. `members` join in the first entry; `admins` and `owners` are promoted one by one.
    init(members: Int, admins: [Int] = [], owners: [Int] = [], history: Int = 0) throws {
        mates = Mate.all
        graph = try GroupGraph(
            create: try Workshop.create(mates[0], with: Array(mates[1..<members]), history: history))
        for admin in admins { try commit(.role(mates[admin].account, .admin), by: 0) }
        for owner in owners { try commit(.role(mates[owner].account, .owner), by: 0) }
    }

    static func create(_ founder: Mate, with others: [Mate], history: Int = 0) throws -> MembershipEntry {
        try MembershipEntry.make(
            .create(
                name: "Crew", description: "", history: history, creator: founder.name, members: others.map(\.seed)),
            group: nil, parents: [], by: founder.account, certificate: founder.certificate, key: founder.key,
            time: HybridTime(milliseconds: someTime.milliseconds), at: someTime)
    }

    /// Makes an entry that follows `parents` or all heads.
    mutating func entry(
        _ operation: GroupOperation, by author: Int, device: Int = 0, after parents: [EntryHash]? = nil,
        time given: Int64? = nil
    ) throws -> MembershipEntry {
        time += 10
        let at = WallTime(milliseconds: given ?? time)
        return try MembershipEntry.make(
            operation, group: (graph.group, graph.root), parents: parents ?? graph.heads, by: mates[author].account,
            certificate: mates[author].certificates[device], key: mates[author].keys[device],
            time: HybridTime(milliseconds: at.milliseconds), at: at)
    }

    /// Makes an entry and inserts it.
    @discardableResult
    mutating func commit(
        _ operation: GroupOperation, by author: Int, device: Int = 0, after parents: [EntryHash]? = nil,
        time: Int64? = nil, _ location: SourceLocation = #_sourceLocation
    ) throws -> EntryHash {
        let entry = try self.entry(operation, by: author, device: device, after: parents, time: time)
        #expect(graph.insert(entry) == .inserted, sourceLocation: location)
        return entry.hash
    }

    /// Why an entry is refused; nil if it would be taken.
    mutating func refusal(
        _ operation: GroupOperation, by author: Int, device: Int = 0, after parents: [EntryHash]? = nil
    ) throws -> Reason? {
        var copy = graph
        switch copy.insert(try entry(operation, by: author, device: device, after: parents)) {
        case .refused(let refusal): return refusal.reason
        case .inserted: return nil
        case .duplicate, .missing: throw WireError.invalid(field: "test")
        }
    }

    func account(_ number: Int) -> AccountID { mates[number].account }
    func role(_ number: Int) -> GroupRole? { graph.state.role(of: mates[number].account) }
    /// The numbers of the members, ascending.
    var members: [Int] { mates.indices.filter { graph.state.has(mates[$0].account) } }
}
