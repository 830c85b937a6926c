import Basics
import Crypto
import FoundationEssentials
import PeerProtocol
import Testing
import Vocabulary

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

    @Test("The membership's vectors equal the code's")
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

    @Test("The cases of effective and void entries come out as the document says")
    func conflicts() throws {
        let document = try Self.document()
        let start = try #require(document.range(of: "```conflicts\n"))
        let text = try #require(
            document[start.upperBound...].range(of: "```").map { document[start.upperBound..<$0.lowerBound] })
        var cases = 0
        for block in text.split(separator: "case ").filter({ !$0.isEmpty }) {
            try check(block.split(separator: "\n").map(String.init))
            cases += 1
        }
        #expect(cases > 10 && document.contains("taken apart \(PeerLimits.groupJudgingRounds) times"))
    }

    private func check(_ lines: [String]) throws {
        let title = Comment(rawValue: lines[0])
        var graph: GroupGraph?
        var hashes: [String: EntryHash] = [:]
        var said: [String: String] = [:]
        for line in lines.dropFirst() {
            let words = line.split(separator: " ").map(String.init)
            guard let name = words.first, name.hasSuffix(":") else {
                said[words[0]] = words.dropFirst().joined(separator: " ")
                continue
            }
            let after = try #require(words.firstIndex(of: "after"))
            let author = Mate.all[try #require(Int(words[1]))]
            let people = words[3..<after].compactMap { Int($0) }.map { Mate.all[$0] }
            let operation: GroupOperation
            switch words[2] {
            case "create":
                operation = .create(
                    name: "Crew", description: "", history: 0, creator: author.name, members: people.map(\.seed))
            case "add": operation = .add(people.map(\.seed), floors: [])
            case "remove": operation = .remove(people[0].account)
            case "role":
                operation = .role(
                    people[0].account, ["member": .member, "admin": .admin, "owner": .owner][words[4]] ?? .member)
            case "rename": operation = .rename(words[3])
            case "leave": operation = .leave
            default: operation = .device
            }
            let device = words[2] == "device" ? 1 : 0
            let milliseconds = someTime.milliseconds + (Int64(words.last ?? "") ?? 0)
            let parents = words[(after + 1)..<(words.count - 2)].compactMap { hashes[$0] }
            let entry = try MembershipEntry.make(
                operation, group: graph.map { ($0.group, $0.root) }, parents: parents, by: author.account,
                certificate: author.certificates[device], key: author.keys[device],
                time: HybridTime(milliseconds: milliseconds), at: someTime)
            if graph == nil {
                graph = try GroupGraph(create: entry)
            } else {
                #expect(graph?.insert(entry) == .inserted, title)
            }
            hashes[String(name.dropLast())] = entry.hash
        }
        let end = try #require(graph)
        let voids = hashes.filter { end.isEffective($0.value) == false }.keys.sorted().joined(separator: " ")
        let members = Mate.all.indices.compactMap { number in
            end.state.role(of: Mate.all[number].account).map { "\(number)=\($0)" }
        }
        #expect((voids.isEmpty ? "-" : voids) == said["void"], title)
        #expect(members.joined(separator: " ") == said["members"], title)
        if let name = said["name"] { #expect((end.state.name == "Crew" ? "-" : end.state.name) == name, title) }
    }

    @Test("The membership's limits are those that the code checks")
    func limits() throws {
        let document = try Self.document()
        let rows: [(String, Int)] = [
            ("Members", SharedLimits.groupMembers), ("Name of a group", SharedLimits.groupNameCharacters),
            ("Description of a group", SharedLimits.groupDescriptionCharacters), ("History", SharedLimits.groupHistory),
            ("Devices of a member", PeerLimits.groupDevices), ("Floors of an entry", PeerLimits.groupFloors),
            ("Membership entries", PeerLimits.groupEntries), ("Membership entry", PeerLimits.membershipEntryBytes),
            ("With those that leave", PeerLimits.groupEntriesWithLeaves),
            ("With removals", PeerLimits.groupEntriesWithRemovals),
            ("Entries of a member", PeerLimits.groupEntriesOfMember),
            ("Entry that describes", PeerLimits.membershipDescribeBytes),
            ("Any other entry", PeerLimits.membershipOtherBytes),
            ("Unknown keys of an entry", PeerLimits.membershipReserveBytes),
            ("Unknown keys for each member", PeerLimits.membershipSeedReserveBytes),
            ("Bytes of a membership", PeerLimits.groupMembershipBytes),
        ]
        for (name, number) in rows {
            let line = document.split(separator: "\n").first { $0.hasPrefix("| \(name) | ") }
            let digits = (line ?? "").dropFirst(name.utf8.count + 5).prefix { $0.isNumber || $0 == "," }
            #expect(Int(digits.filter { $0 != "," }) == number, "\(name)")
        }
    }
}
