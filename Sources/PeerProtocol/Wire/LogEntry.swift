// The log of a group: one signed chain of entries for each device of its members, with references across the chains. Here as
// values and bytes; docs/PROTOCOL-GROUPS.md describes every one of them.

import Basics
import Crypto
import Vocabulary

/// The kind of an entry of a group's log. Kinds of later versions keep their place in the chain, and nothing is shown
/// of them.
public struct LogKind: RawRepresentable, Hashable, Sendable {
    public let rawValue: UInt64

    public init(rawValue: UInt64) { self.rawValue = rawValue }

    public static let message = LogKind(rawValue: 1)
    public static let edit = LogKind(rawValue: 2)
    public static let deletion = LogKind(rawValue: 3)
    public static let reaction = LogKind(rawValue: 4)
    public static let call = LogKind(rawValue: 5)
}

/// The content of an entry.
public enum LogContent: Hashable, Sendable {
    case message(MessageBody)
    case edit(EditBody)
    case deletion(DeletionBody)
    case reaction(ReactionBody)
    case call(CallEntryBody)

    /// The kind that an entry with this content has.
    public var kind: LogKind {
        switch self {
        case .message: .message
        case .edit: .edit
        case .deletion: .deletion
        case .reaction: .reaction
        case .call: .call
        }
    }

    /// - Throws: ``WireError`` where a peer would refuse it.
    public func encoded() throws(WireError) -> [UInt8] {
        switch self {
        case .message(let body): try body.encoded(conversation: .group)
        case .edit(let body): try body.encoded()
        case .deletion(let body): try body.encoded()
        case .reaction(let body): try body.encoded()
        case .call(let body): try body.encoded()
        }
    }
}

/// One log entry. A value of this type is signed by its device, and its content, if present, is the signed one.
/// ``GroupLog`` decides whether the device belonged to a member.
///
/// The header is the CBOR map `{1: root, 2: device, 3: sequence, 4: previous?, 5: heads, 6: dependencies?, 7: kind, 8: id,
/// 9: hybrid time, 10: wall time, 11: content hash}`; the device signs `"kibo-group-log-v1" ‖ 0x00 ‖ header`; the entry's
/// hash is that of the header. The content travels beside it and may be dropped, while the chain stays provable.
public struct LogEntry: Hashable, Sendable {
    /// This keeps the signature from serving another purpose.
    public static let label = "kibo-group-log-v1"

    public let hash: EntryHash
    /// As on wire and disk.
    public let header: [UInt8]
    /// 64 bytes.
    public let signature: [UInt8]
    /// Nil where it was dropped.
    public let content: [UInt8]?

    public let root: EntryHash
    public let device: DeviceID
    /// From 1.
    public let sequence: UInt64
    /// The device's entry before this one; nil at the first place only.
    public let previous: EntryHash?
    /// Membership heads that the author knew: 1 to ``PeerLimits/groupParents``, ascending.
    public let heads: [EntryHash]
    /// Entries that the author had seen and that no entry it knew referred to: at most ``PeerLimits/logDependencies``,
    /// ascending.
    public let dependencies: [LogReference]
    public let kind: LogKind
    /// For a message: its id.
    public let id: UUIDv7
    public let time: HybridTime
    public let at: WallTime
    public let contentHash: EntryHash

    public var place: LogPlace { LogPlace(device: device, sequence: sequence) }
    public var reference: LogReference { LogReference(place: place, hash: hash) }

    /// Everything that has its place before this entry: the chain's entry before it first.
    public var references: [LogReference] {
        guard let previous else { return dependencies }
        return [LogReference(place: LogPlace(device: device, sequence: sequence - 1), hash: previous)] + dependencies
    }

    /// Reads and checks what a peer says: form, signature and the content's hash.
    /// - Throws: ``WireError``.
    public init(header: [UInt8], signature: [UInt8], content: [UInt8]?) throws(WireError) {
        try self.init(trusting: header, signature: signature, content: content)
        guard Signature.isValid(signature, of: header, label: Self.label, by: device.key) else { throw .forged }
        if let content, EntryHash(hashing: content) != contentHash { throw .invalid(field: "content hash") }
    }

    /// Reads an entry from our own disk, which was checked before.
    /// - Throws: ``WireError`` for what has not the form of an entry.
    public init(trusting header: [UInt8], signature: [UInt8], content: [UInt8]?) throws(WireError) {
        try FieldRules.bytes(header.count, "header", maximum: PeerLimits.logHeaderBytes)
        guard signature.count == CryptoLimits.signatureBytes else { throw .invalid(field: "signature") }
        if let content { try FieldRules.bytes(content.count, "content", maximum: PeerLimits.logContentBytes) }
        let body = try BodyReader(header)
        root = try body.hash(1, "root")
        device = try body.device(2, "device")
        sequence = try body.unsigned(3, "sequence")
        previous = try body.optionalHash(4, "previous")
        heads = try body.hashes(5, "heads", maximum: PeerLimits.groupParents) ?? []
        dependencies = try Self.dependencies(body)
        kind = LogKind(rawValue: try body.unsigned(7, "kind"))
        id = try body.id(8, "id")
        time = HybridTime(rawValue: try body.unsigned(9, "hybrid time"))
        at = try body.time(10, "wall time")
        contentHash = try body.hash(11, "content hash")
        guard 1...PeerLimits.logSequence ~= sequence else { throw .invalid(field: "sequence") }
        guard (previous == nil) == (sequence == 1) else { throw .invalid(field: "previous") }
        guard !heads.isEmpty else { throw .missing(field: "heads") }
        self.header = header
        self.signature = signature
        self.content = content
        hash = EntryHash(hashing: header)
    }

    private static func dependencies(_ body: BodyReader) throws(WireError) -> [LogReference] {
        let limit = PeerLimits.logDependencies
        return try body.ascending(6, "dependencies", maximum: limit, LogReference.init(reading:field:)) ?? []
    }

    /// The fields of a new entry, without its device and content.
    public struct Position: Sendable {
        public var root: EntryHash
        public var sequence: UInt64
        public var previous: EntryHash?
        public var heads: [EntryHash]
        public var dependencies: [LogReference]

        public init(
            root: EntryHash, sequence: UInt64, previous: EntryHash?, heads: [EntryHash], dependencies: [LogReference]
        ) {
            self.root = root
            self.sequence = sequence
            self.previous = previous
            self.heads = heads
            self.dependencies = dependencies
        }
    }

    /// Makes and signs an entry.
    /// - Parameter kind: the content's; its bytes are not looked into.
    /// - Throws: ``WireError`` where a peer would refuse it.
    public static func make(
        _ kind: LogKind, id: UUIDv7, content: [UInt8], at position: Position, key: SigningKey, time: HybridTime,
        at: WallTime
    ) throws(WireError) -> LogEntry {
        guard at.milliseconds >= 0 else { throw .invalid(field: "wall time") }
        var map: CBORMap = [
            1: .bytes(position.root.bytes), 2: .bytes(key.publicKey.bytes), 3: .unsigned(position.sequence),
            5: .array(Set(position.heads).sorted().map { .bytes($0.bytes) }), 7: .unsigned(kind.rawValue),
            8: .bytes(id.bytes), 9: .unsigned(time.rawValue), 10: .integer(at.milliseconds),
            11: .bytes(EntryHash(hashing: content).bytes),
        ]
        map[4] = position.previous.map { .bytes($0.bytes) }
        let dependencies = Set(position.dependencies).sorted()
        if !dependencies.isEmpty { map[6] = .array(dependencies.map(\.value)) }
        let header = CBOR.map(map).encoded()
        // Reading it again checks all that a peer would.
        return try LogEntry(trusting: header, signature: key.sign(header, label: label), content: content)
    }

    /// The content; nil where it was dropped.
    /// - Throws: ``WireError`` for a content that breaks the rules; `.unsupported` for a kind of a later version.
    public func body() throws(WireError) -> LogContent? {
        guard let content else { return nil }
        switch kind {
        case .message: return .message(try MessageBody(decoding: content, conversation: .group))
        case .edit: return .edit(try EditBody(decoding: content))
        case .deletion: return .deletion(try DeletionBody(decoding: content))
        case .reaction: return .reaction(try ReactionBody(decoding: content))
        case .call: return .call(try CallEntryBody(decoding: content))
        default: throw .unsupported(field: "kind")
        }
    }

    /// The same entry without its content.
    public func withoutContent() -> LogEntry { LogEntry(copying: self, content: nil) }

    private init(copying other: LogEntry, content: [UInt8]?) {
        (hash, header, signature, self.content) = (other.hash, other.header, other.signature, content)
        (root, device, sequence, previous) = (other.root, other.device, other.sequence, other.previous)
        (heads, dependencies, kind, id) = (other.heads, other.dependencies, other.kind, other.id)
        (time, at, contentHash) = (other.time, other.at, other.contentHash)
    }

    /// Bytes on wire and disk, without some of framing.
    public var byteCount: Int { header.count + signature.count + (content?.count ?? 0) }

    /// The hash names the header, and the content is what the header says or is not there.
    public static func == (left: LogEntry, right: LogEntry) -> Bool {
        left.hash == right.hash && (left.content == nil) == (right.content == nil)
    }
    public func hash(into hasher: inout Hasher) { hasher.combine(hash) }
}

extension EntryHash {
    /// The hash of what was signed.
    public init(hashing signed: [UInt8]) {
        guard let hash = EntryHash(Blake2b.hash(signed)) else { preconditionFailure("a hash has 32 bytes") }
        self = hash
    }
}
