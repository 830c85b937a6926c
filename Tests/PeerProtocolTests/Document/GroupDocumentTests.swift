import Basics
import Crypto
import FoundationEssentials
import PeerProtocol
import Testing

@Suite("docs/PROTOCOL-GROUPS.md")
struct GroupDocumentTests {
    private static func document() throws -> String {
        let here = URL(filePath: #filePath)
        let root = here.deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
        return String(decoding: try Data(contentsOf: root.appending(path: "docs/PROTOCOL-GROUPS.md")), as: UTF8.self)
    }

    private struct Character {
        let key: SigningKey
        let certificate: DeviceCertificate

        init(_ base: UInt8, host: String) throws {
            func secret(_ byte: UInt8) -> SecretBytes {
                var bytes = [UInt8](repeating: byte, count: 32)
                return SecretBytes(moving: &bytes)
            }
            key = try SigningKey(seed: secret(base + 2))
            certificate = try DeviceCertificate.issue(
                by: SigningKey(seed: secret(base + 1)), for: DeviceID(key.publicKey), name: host,
                created: WallTime(milliseconds: 1_720_000_000_000))
        }
    }

    @Test("The membership's vectors are what the code computes")
    func vectors() throws {
        let document = try Self.document()
        let (alice, bob) = (try Character(0x00, host: "anvil"), try Character(0x10, host: "bell"))
        let at = WallTime(milliseconds: 1_720_000_000_000)
        let create = try MembershipEntry.make(
            .create(
                name: "Crew", description: "", history: 50, creator: "Alice",
                members: [GroupSeed(certificate: bob.certificate, name: "Bob")]),
            group: nil, parents: [], by: alice.certificate.account, certificate: alice.certificate, key: alice.key,
            time: HybridTime(milliseconds: at.milliseconds), at: at)
        var graph = try GroupGraph(create: create)
        let role = try graph.make(
            .role(bob.certificate.account, .admin), certificate: alice.certificate, key: alice.key,
            time: HybridTime(milliseconds: at.milliseconds + 1), at: at)
        #expect(graph.insert(role) == .inserted)
        let rename = try graph.make(
            .rename("Boat"), certificate: bob.certificate, key: bob.key,
            time: HybridTime(milliseconds: at.milliseconds + 2), at: at)
        #expect(graph.insert(rename) == .inserted && graph.state.name == "Boat")
        let computed: [(String, [UInt8])] = [
            ("group-create", create.bytes), ("group-root", create.root.bytes), ("group-id", create.group.bytes),
            ("group-role", role.bytes), ("group-rename", rename.bytes), ("group-head", rename.hash.bytes),
        ]
        for (name, bytes) in computed {
            var text = Hex.encode(bytes)[...]
            var block = "```hex \(name)\n"
            while !text.isEmpty {
                block += text.prefix(128) + "\n"
                text = text.dropFirst(128)
            }
            #expect(document.contains(block + "```\n"), "\(block)```")
        }
    }

    @Test("The membership's limits are those that the code checks")
    func limits() throws {
        let document = try Self.document()
        let rows: [(String, Int)] = [
            ("Members", PeerLimits.groupMembers), ("Name of a group", PeerLimits.groupNameCharacters),
            ("Description of a group", PeerLimits.groupDescriptionCharacters), ("History", PeerLimits.groupHistory),
            ("Devices of a member", PeerLimits.groupDevices), ("Floors of an entry", PeerLimits.groupFloors),
            ("Membership entries", PeerLimits.groupEntries), ("Membership entry", PeerLimits.membershipEntryBytes),
            ("With those that leave", PeerLimits.groupEntriesWithLeaves),
            ("With removals", PeerLimits.groupEntriesWithRemovals),
            ("Entries of a member", PeerLimits.groupEntriesOfMember),
            ("Entry that describes", PeerLimits.membershipDescribeBytes),
            ("Any other entry", PeerLimits.membershipOtherBytes),
        ]
        for (name, number) in rows {
            let line = document.split(separator: "\n").first { $0.hasPrefix("| \(name) | ") }
            let digits = (line ?? "").dropFirst(name.utf8.count + 5).prefix { $0.isNumber || $0 == "," }
            #expect(Int(digits.filter { $0 != "," }) == number, "\(name)")
        }
    }
}
