import Basics
import Crypto
import Vocabulary

@testable import PeerProtocol

/// Membership entries, as if their signatures were right. The graph takes or refuses any of them, and is the same in
/// another order.
enum FuzzTarget {
    private static let founder = Identities.certificate(1)
    private static let create: MembershipEntry = {
        guard
            let entry = try? MembershipEntry.make(
                .create(
                    name: "Crew", description: "", history: 5, creator: "Anna",
                    members: [GroupSeed(certificate: Identities.certificate(2), name: "Bob")]),
                group: nil, parents: [], by: founder.account, certificate: founder, key: Identities.key(101),
                time: HybridTime(rawValue: 77), at: Identities.wallTime)
        else { fatalError("no group") }
        return entry
    }()
    private static let graph: GroupGraph = {
        guard let graph = try? GroupGraph(create: create) else { fatalError("no graph") }
        return graph
    }()

    static let seeds: [[UInt8]] = {
        let other = Identities.certificate(2)
        let operations: [GroupOperation] = [
            .add(
                [GroupSeed(certificate: Identities.certificate(3), name: "Eve")],
                floors: [LogPlace(device: founder.device, sequence: 9)]),
            .remove(other.account), .role(other.account, .owner), .leave, .rename("Boat"), .describe("a\nb"),
            .avatar([UInt8](repeating: 7, count: 32)), .avatar(nil), .history(100), .device,
        ]
        return [create.bytes]
            + operations.compactMap {
                try? graph.make(
                    $0, certificate: founder, key: Identities.key(101), time: HybridTime(rawValue: 99),
                    at: Identities.wallTime
                ).bytes
            }
    }()

    static func run(_ bytes: [UInt8]) {
        _ = try? MembershipEntry(decoding: bytes)
        var certificates = CertificateReader(isTrusted: true)
        guard let entry = try? MembershipEntry(decoding: bytes, certificates: &certificates) else {
            return
        }
        require(entry.bytes == bytes, "bytes")
        if entry.isCreate {
            let state = (try? GroupGraph(create: entry))?.state
            require(state?.role(of: entry.author) == .owner, "owner")
            return
        }
        var taken = graph
        guard taken.insert(entry) == .inserted else { return }
        let state = taken.state
        require(state.members.isEmpty || state.members.values.contains { $0.role == .owner }, "an owner")
        let again = try? GroupGraph(entries: taken.entries.reversed())
        require(again?.state == state && again?.heads == taken.heads, "another order")
    }
}
