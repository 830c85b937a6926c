import Basics
import Crypto
import PeerProtocol
import Vocabulary

/// Groups of 256 people who don't exist, but for their founder and the attacked account. The people are made once.
struct AttackCrowd {
    private let founder: AttackPeer
    private let seeds: [GroupSeed]

    private static let start = WallTime(milliseconds: 1_720_000_000_000)

    init(founder: AttackPeer, with attacked: DeviceCertificate) throws {
        self.founder = founder
        let people = try (0..<254).map { _ in
            try DeviceCertificate.issue(
                by: SigningKey(), for: DeviceID(SigningKey().publicKey), name: "nobody", created: Self.start)
        }
        seeds = ([attacked] + people).map { GroupSeed(certificate: $0, name: "Nobody") }
    }

    /// The entry that creates a group.
    func group(_ number: Int) throws -> MembershipEntry {
        let at = WallTime(milliseconds: Self.start.milliseconds + Int64(number))
        return try MembershipEntry.make(
            .create(name: "Group \(number)", description: "", history: 0, creator: "Nobody", members: seeds),
            group: nil, parents: [], by: founder.certificate.account, certificate: founder.certificate,
            key: founder.deviceKey, time: HybridTime(milliseconds: at.milliseconds), at: at)
    }

    /// The frame that announces a group.
    func change(_ create: MembershipEntry) throws -> Frame {
        var random = SystemRandomNumberGenerator()
        return Frame(
            kind: .groupChange, id: UUIDv7(at: SystemClocks().wallTime, using: &random),
            body: try GroupChangeBody(root: create.root, entries: [create.bytes]).encoded())
    }

    /// Heads that say that there is more of a group, in its membership and in its log.
    func news(of create: MembershipEntry) throws -> Frame {
        let unknown = EntryHash(hashing: create.root.bytes)
        return Frame(
            kind: .groupHeads,
            body: try GroupHeadsBody(root: create.root, heads: [unknown], digest: unknown).encoded())
    }
}
