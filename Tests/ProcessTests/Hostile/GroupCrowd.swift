import Basics
import Crypto
import PeerProtocol
import TestSupport
import Testing
import Vocabulary

/// Makes groups of people who don't exist, in the name of a ``TestPeer``. The people are made once and are in all groups.
struct GroupCrowd {
    let founder: TestPeer
    let people: [DeviceCertificate]

    private static let start = WallTime(milliseconds: 1_720_000_000_000)

    init(founder: TestPeer, people count: Int = 255) throws {
        self.founder = founder
        people = try (0..<count).map { _ in
            try DeviceCertificate.issue(
                by: SigningKey(), for: DeviceID(SigningKey().publicKey), name: "nobody", created: Self.start)
        }
    }

    /// The certificate of a daemon's device, as it shows it in a handshake.
    func certificate(of daemon: DaemonProcess) throws -> DeviceCertificate {
        let link = try founder.connect(to: daemon)
        return try #require(link.peer).certificate
    }

    /// The entry that creates a group of the founder.
    /// - Parameter members: all, with the founder and those in `others`.
    func group(_ number: Int, with others: [DeviceCertificate], members: Int) throws -> MembershipEntry {
        let seeds = (others + people).prefix(members - 1).map { GroupSeed(certificate: $0, name: "Nobody") }
        let at = Self.start + .milliseconds(number)
        return try MembershipEntry.make(
            .create(name: "Group \(number)", description: "", history: 0, creator: founder.name, members: seeds),
            group: nil, parents: [], by: founder.certificate.account, certificate: founder.certificate,
            key: founder.deviceKey, time: HybridTime(milliseconds: at.milliseconds), at: at)
    }

    /// A frame that tells of entries of one group.
    static func change(_ entries: [MembershipEntry]) throws -> Frame {
        let root = try #require(entries.first).root
        return Frame(
            kind: .groupChange, id: freshID(),
            body: try GroupChangeBody(root: root, entries: entries.map(\.bytes)).encoded())
    }
}
