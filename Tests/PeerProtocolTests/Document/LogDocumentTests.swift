import Basics
import Crypto
import FoundationEssentials
import PeerProtocol
import Testing
import Vocabulary

@Suite("docs/PROTOCOL-GROUPS.md: the log")
struct LogDocumentTests {
    private static func document() throws -> String {
        let here = URL(filePath: #filePath)
        let root = here.deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
        return String(decoding: try Data(contentsOf: root.appending(path: "docs/PROTOCOL-GROUPS.md")), as: UTF8.self)
    }

    /// The block fenced as `hex NAME`.
    private static func block(_ name: String, of document: String) throws -> [UInt8] {
        let opening = try #require(document.range(of: "```hex \(name)\n"), "\(name)")
        let closing = try #require(document[opening.upperBound...].range(of: "```"))
        let digits = document[opening.upperBound..<closing.lowerBound].filter { !$0.isWhitespace }
        return try #require(Hex.decode(digits))
    }

    private static func key(_ byte: UInt8) throws -> SigningKey {
        var bytes = [UInt8](repeating: byte, count: 32)
        return try SigningKey(seed: SecretBytes(moving: &bytes))
    }

    private static func account(_ byte: UInt8) throws -> AccountID { AccountID(try key(byte).publicKey) }

    private static func id(_ last: UInt8) -> UUIDv7 {
        UUIDv7(high: 0x0190_7610_0000_7000, low: 0x8000_0000_0000_0000 | UInt64(last))
    }

    private static func time(_ last: UInt8) -> HybridTime { HybridTime(milliseconds: 1_720_000_000_000 + Int64(last)) }

    private static let at = WallTime(milliseconds: 1_720_000_000_000)

    @Test("The log's vectors equal the code's")
    func vectors() throws {
        let document = try Self.document()
        let root = try #require(EntryHash(Self.block("group-root", of: document)))
        let head = try #require(EntryHash(Self.block("group-head", of: document)))
        let (alice, bob) = (try Self.key(0x02), try Self.key(0x12))
        func entry(
            _ key: SigningKey, _ sequence: UInt64, _ last: UInt8, _ content: LogContent,
            after previous: EntryHash? = nil,
            _ dependencies: [LogReference] = []
        ) throws -> LogEntry {
            try LogEntry.make(
                content.kind, id: Self.id(last), content: content.encoded(),
                at: LogEntry.Position(
                    root: root, sequence: sequence, previous: previous, heads: [head], dependencies: dependencies),
                key: key, time: Self.time(last), at: Self.at)
        }
        func text(_ words: String, _ last: UInt8) -> LogContent {
            .message(MessageBody(kind: .text, text: words, time: Self.time(last), sentAt: Self.at))
        }
        let hello = try entry(alice, 1, 20, text("Hello, crew", 20))
        let answer = try entry(bob, 1, 21, text("Hello, Alice", 21), [hello.reference])
        let thumb = try entry(
            alice, 2, 22,
            .reaction(
                ReactionBody(
                    message: Self.id(21), emoji: "👍", time: Self.time(22), removed: false,
                    author: try Self.account(0x11))),
            after: hello.hash, [answer.reference])
        var computed: [(String, [UInt8])] = []
        for (name, entry) in [("hello", hello), ("answer", answer), ("thumb", thumb)] {
            computed += [
                ("log-\(name)-header", entry.header), ("log-\(name)-signature", entry.signature),
                ("log-\(name)-content", entry.content ?? []), ("log-\(name)-hash", entry.hash.bytes),
            ]
        }
        let tops = [thumb.reference, answer.reference].sorted()
        let places = try #require(LogRange(device: DeviceID(alice.publicKey), from: 1, to: 2))
        let page = GroupEntriesBody(
            root: root, entries: [GroupEntryBody(hello), GroupEntryBody(thumb.withoutContent())],
            withheld: [try #require(LogRange(answer.place))], hasMore: true, unavailable: [answer.hash])
        let words: [(String, GroupFrame)] = [
            ("heads", .heads(GroupHeadsBody(root: root, heads: [head], digest: GroupTopsBody.digest(of: tops)))),
            ("tops", .tops(GroupTopsBody(root: root, tops: tops, isReply: true))),
            ("want", .want(GroupWantBody(root: root, heads: [head], ranges: [places], hashes: [answer.hash]))),
            ("entries", .entries(page)), ("typing", .typing(GroupTypingBody(root: root, isTyping: true))),
        ]
        for (name, word) in words {
            computed.append(("group-frame-\(name)", Frame(kind: word.kind, body: try word.body()).encoded()))
        }
        let change = GroupChangeBody(root: root, entries: [try Self.block("group-rename", of: document)])
        let seen = GroupSeenBody(root: root, messages: [hello.id])
        let frames: [(String, Frame)] = [
            ("change", Frame(kind: .groupChange, id: Self.id(23), body: try change.encoded())),
            ("entry", Frame(kind: .groupEntry, id: answer.id, body: try GroupEntryBody(answer).encoded())),
            ("seen", Frame(kind: .groupSeen, id: Self.id(24), body: try seen.encoded())),
        ]
        computed += frames.map { ("group-frame-\($0)", $1.encoded()) }
        for (name, bytes) in computed {
            #expect(try Self.block(name, of: document) == bytes, "\(name) is \(Hex.encode(bytes))")
        }
    }

    @Test("The log's limits are those that the code checks")
    func limits() throws {
        let document = try Self.document()
        let rows: [(String, Int)] = [
            ("Header of a log entry", PeerLimits.logHeaderBytes),
            ("Content of a log entry", PeerLimits.logContentBytes),
            ("Dependencies of a log entry", PeerLimits.logDependencies),
            ("Entries at one place", PeerLimits.forksAtPlace),
            ("Membership heads in a frame", PeerLimits.groupHeadsInFrame),
            ("Tops in a frame", PeerLimits.groupTopsInFrame), ("Ranges or hashes in a want", PeerLimits.groupWants),
            ("Ranges withheld in a page", PeerLimits.groupWithheld), ("Entries in a page", PeerLimits.groupPageEntries),
            ("Bytes of a page", PeerLimits.groupPageBytes), ("Held entries", PeerLimits.heldEntries),
            ("Held bytes", PeerLimits.heldBytes), ("Held entries of a device", PeerLimits.heldEntriesOfDevice),
            ("Held entries with unknown heads", PeerLimits.heldUnproven),
            ("With unknown heads, of a device", PeerLimits.heldUnprovenOfDevice),
            ("Held for", Int(PeerLimits.heldTime.components.seconds)),
            ("Answer to a want", Int(PeerLimits.groupAnswerTime.components.seconds)),
            ("Sessions that are to tell of news", PeerLimits.groupPartners),
            ("Longest wait for what can't be stored", Int(PeerLimits.groupRetry.longest.components.seconds)),
        ]
        for (name, number) in rows {
            let line = document.split(separator: "\n").first { $0.hasPrefix("| \(name) | ") }
            let digits = (line ?? "").dropFirst(name.count + 5).prefix { $0.isNumber || $0 == "," }
            #expect(Int(digits.filter { $0 != "," }) == number, "\(name)")
        }
    }
}
