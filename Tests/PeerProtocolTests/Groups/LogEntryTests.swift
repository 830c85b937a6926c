import Basics
import Crypto
import PeerProtocol
import Testing
import Vocabulary

/// Goal: an entry of a log is byte for byte what its device signed, or it is refused.
@Suite("Groups: log entries")
struct LogEntryTests {
    private static func full(_ person: Person) throws -> LogEntry {
        let dependencies = try (10..<26).map { (number: UInt8) in
            LogReference(
                place: LogPlace(device: try Person(number).device, sequence: UInt64(number)), hash: hash(UInt64(number))
            )
        }
        return try logEntry(
            person, 7, after: hash(6), heads: (1...16).map { hash($0) }, dependencies: dependencies.reversed())
    }

    @Test("An entry is read again as it was made, with and without its content")
    func roundTrip() throws {
        for entry in [try logEntry(Person(1)), try Self.full(Person(1))] {
            let read = try LogEntry(header: entry.header, signature: entry.signature, content: entry.content)
            #expect(read == entry && read.header == entry.header && read.content == entry.content)
            #expect(read.references == entry.references && read.heads == entry.heads)
            #expect(try read.body() == .message(textMessage("hi")))
            let bare = try LogEntry(header: entry.header, signature: entry.signature, content: nil)
            #expect(bare == entry.withoutContent() && bare != entry && bare.hash == entry.hash)
            #expect(try bare.body() == nil)
            #expect(entry.header.count <= PeerLimits.logHeaderBytes)
        }
        let entry = try Self.full(Person(1))
        #expect(entry.heads == entry.heads.sorted() && entry.dependencies == entry.dependencies.sorted())
        #expect(
            entry.references.first == LogReference(place: LogPlace(device: entry.device, sequence: 6), hash: hash(6)))
        #expect(entry.hash == EntryHash(hashing: entry.header))
    }

    @Test("An entry with any changed byte is refused")
    func forged() throws {
        let entry = try logEntry(Person(1))
        for index in entry.header.indices {
            var header = entry.header
            header[index] ^= 1
            #expect(throws: WireError.self) {
                try LogEntry(header: header, signature: entry.signature, content: entry.content)
            }
        }
        for index in entry.signature.indices {
            var signature = entry.signature
            signature[index] ^= 1
            #expect(throws: WireError.forged) {
                try LogEntry(header: entry.header, signature: signature, content: entry.content)
            }
        }
        #expect(throws: WireError.invalid(field: "content hash")) {
            try LogEntry(header: entry.header, signature: entry.signature, content: [1])
        }
        // These are signed by another device, or for another purpose.
        for signature in [
            try Person(2).deviceKey.sign(entry.header, label: LogEntry.label),
            try Person(1).deviceKey.sign(entry.header, label: "kibo-group-entry-v1"),
        ] {
            #expect(throws: WireError.forged) {
                try LogEntry(header: entry.header, signature: signature, content: entry.content)
            }
        }
    }

    @Test("Missing fields and fields that break the rules are refused")
    func fields() throws {
        let person = try Person(1)
        guard case .map(let good) = try CBORDecoder.decode(Self.full(person).header) else { return }
        func read(_ change: (inout CBORMap) -> Void) throws -> LogEntry {
            var map = good
            change(&map)
            let header = CBOR.map(map).encoded()
            return try LogEntry(
                header: header, signature: person.deviceKey.sign(header, label: LogEntry.label), content: nil)
        }
        #expect(throws: Never.self) { try read { $0[99] = .text("of a later version") } }
        for key: UInt64 in [1, 2, 3, 5, 7, 8, 9, 10, 11] {
            #expect(throws: WireError.self, "without \(key)") { try read { $0[key] = nil } }
            #expect(throws: WireError.self, "\(key)") { try read { $0[key] = .boolean(true) } }
        }
        #expect(throws: WireError.invalid(field: "previous")) { try read { $0[4] = nil } }
        #expect(throws: WireError.invalid(field: "previous")) { try read { $0[3] = .unsigned(1) } }
        #expect(throws: WireError.invalid(field: "sequence")) {
            try read {
                $0[3] = .unsigned(0)
                $0[4] = nil
            }
        }
        #expect(throws: WireError.invalid(field: "sequence")) {
            try read { $0[3] = .unsigned(PeerLimits.logSequence + 1) }
        }
        #expect(throws: WireError.missing(field: "heads")) { try read { $0[5] = .array([]) } }
        guard case .array(let heads)? = good[5], case .array(let dependencies)? = good[6] else { return }
        #expect(throws: WireError.invalid(field: "heads")) { try read { $0[5] = .array(heads.reversed()) } }
        #expect(throws: WireError.invalid(field: "heads")) { try read { $0[5] = .array([heads[0], heads[0]]) } }
        #expect(throws: WireError.self) {
            try read { $0[5] = .array(heads + [.bytes([UInt8](repeating: 0xFF, count: 32))]) }
        }
        #expect(throws: WireError.invalid(field: "dependencies")) {
            try read { $0[6] = .array(dependencies.reversed()) }
        }
        #expect(throws: WireError.self) {
            try read { $0[6] = .array([.array([.bytes([1]), .unsigned(1), .bytes(hash(1).bytes)])]) }
        }
        #expect(throws: WireError.self) { try read { $0[8] = .bytes([UInt8](repeating: 0, count: 16)) } }
        #expect(throws: WireError.self) { try read { $0[10] = .unsigned(1 << 63) } }
    }

    @Test("A kind of a later version keeps its place, and a message for one person alone is refused in a group")
    func contents() throws {
        let person = try Person(1)
        let position = LogEntry.Position(
            root: someRoot, sequence: 1, previous: nil, heads: [someRoot], dependencies: [])
        func entry(_ kind: LogKind, _ content: [UInt8]) throws -> LogEntry {
            try LogEntry.make(
                kind, id: id(1), content: content, at: position, key: person.deviceKey,
                time: HybridTime(milliseconds: 1), at: someTime)
        }
        #expect(throws: WireError.unsupported(field: "kind")) { try entry(LogKind(rawValue: 9), [1]).body() }
        #expect(throws: WireError.unsupported(field: "conversation kind")) {
            try entry(.message, textMessage("hi").encoded()).body()
        }
        #expect(throws: WireError.unsupported(field: "conversation kind")) {
            try MessageBody(decoding: textMessage("hi").encoded(conversation: .group))
        }
        let contents: [LogContent] = [
            .message(textMessage("hi")),
            .edit(EditBody(message: id(1), text: "x", time: HybridTime(milliseconds: 2), editedAt: someTime)),
            .deletion(DeletionBody(message: id(1), time: HybridTime(milliseconds: 2), sentAt: someTime)),
            .reaction(ReactionBody(message: id(1), emoji: "👍", time: HybridTime(milliseconds: 2), removed: false)),
        ]
        for content in contents { #expect(try entry(content.kind, content.encoded()).body() == content) }
    }

    @Test("The longest entry fills a frame, and a longer one is not made")
    func longest() throws {
        let full = try Self.full(Person(1))
        let position = LogEntry.Position(
            root: full.root, sequence: full.sequence, previous: full.previous, heads: full.heads,
            dependencies: full.dependencies)
        func make(_ bytes: Int) throws -> LogEntry {
            try LogEntry.make(
                .message, id: id(1), content: [UInt8](repeating: 7, count: bytes), at: position,
                key: Person(1).deviceKey, time: full.time, at: full.at)
        }
        let longest = try make(PeerLimits.logContentBytes)
        let body = GroupEntryBody(longest)
        #expect(try GroupEntryBody(decoding: body.encoded()).entry() == longest)
        #expect(try GroupEntriesBody(root: someRoot, entries: [body]).encoded().count <= PeerLimits.frameBodyBytes)
        #expect(throws: WireError.self) { try make(PeerLimits.logContentBytes + 1) }
    }
}
