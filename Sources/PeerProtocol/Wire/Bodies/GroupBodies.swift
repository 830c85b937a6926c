import Basics
import Crypto
import Vocabulary

/// Changes of a group's membership. CBOR `{1: root, 2: [membership entries]}`. Needs a receipt.
///
/// Each entry is `MembershipEntry`'s bytes, checked by the receiver that takes the frame up; those that others build
/// upon come first.
public struct GroupChangeBody: WireBody {
    public let root: EntryHash
    /// 1 to ``PeerLimits/groupPageEntries``.
    public let entries: [[UInt8]]

    public init(root: EntryHash, entries: [[UInt8]]) {
        self.root = root
        self.entries = entries
    }

    public init(decoding bytes: [UInt8]) throws(WireError) {
        let body = try BodyReader(bytes)
        self.init(root: try body.hash(1, "root"), entries: try body.membershipEntries(2) ?? [])
        guard !entries.isEmpty else { throw .missing(field: "entries") }
    }

    public func encoded() throws(WireError) -> [UInt8] {
        guard !entries.isEmpty else { throw .missing(field: "entries") }
        let map: CBORMap = [1: .bytes(root.bytes), 2: try GroupRules.value(membership: entries)]
        return try GroupRules.frame(map)
    }
}

/// A message of a group, an edit, a deletion or a reaction. CBOR `{1: header, 2: signature, 3: content?}`. The id of its
/// frame is the entry's. Needs a receipt.
public struct GroupEntryBody: WireBody {
    public let header: [UInt8]
    public let signature: [UInt8]
    /// Not there where it was dropped: deleted for all, say, before it came through.
    public let content: [UInt8]?

    public init(header: [UInt8], signature: [UInt8], content: [UInt8]?) {
        self.header = header
        self.signature = signature
        self.content = content
    }

    public init(_ entry: LogEntry) {
        self.init(header: entry.header, signature: entry.signature, content: entry.content)
    }

    /// The group that it names; nil where that can't be read.
    public var root: EntryHash? { try? BodyReader(header).hash(1, "root") }

    /// Lengths only: an entry costs a signature check, which ``entry()`` makes where there is time for it.
    public init(decoding bytes: [UInt8]) throws(WireError) {
        let body = try BodyReader(bytes)
        self.init(
            header: try body.bytes(1, "header", maximum: PeerLimits.logHeaderBytes),
            signature: try body.bytes(2, "signature", maximum: CryptoLimits.signatureBytes),
            content: try body.optionalBytes(3, "content", maximum: PeerLimits.logContentBytes))
    }

    public func encoded() throws(WireError) -> [UInt8] {
        try FieldRules.bytes(header.count, "header", maximum: PeerLimits.logHeaderBytes)
        try FieldRules.bytes(signature.count, "signature", maximum: CryptoLimits.signatureBytes)
        try FieldRules.bytes(content?.count ?? 0, "content", maximum: PeerLimits.logContentBytes)
        var map: CBORMap = [1: .bytes(header), 2: .bytes(signature)]
        map[3] = content.map { .bytes($0) }
        return try GroupRules.frame(map)
    }

    /// Reads and checks the entry, its signature included.
    /// - Throws: ``WireError``.
    public func entry() throws(WireError) -> LogEntry {
        try LogEntry(header: header, signature: signature, content: content)
    }
}

/// Messages of a group that a member has seen, told to their author only. CBOR `{1: root, 2: [ids]}`. Needs a receipt.
public struct GroupSeenBody: WireBody {
    public let root: EntryHash
    /// 1 to ``PeerLimits/receiptIDs``.
    public let messages: [UUIDv7]

    public init(root: EntryHash, messages: [UUIDv7]) {
        self.root = root
        self.messages = messages
    }

    public init(decoding bytes: [UInt8]) throws(WireError) {
        let body = try BodyReader(bytes)
        root = try body.hash(1, "root")
        messages = try body.seenMessages(2)
    }

    public func encoded() throws(WireError) -> [UInt8] {
        CBOR.map([1: .bytes(root.bytes), 2: try SeenBody.value(messages)]).encoded()
    }
}

/// The sender is typing to a group, or has ceased to. CBOR `{1: root, 2: typing}`. Needs no receipt.
public struct GroupTypingBody: GroupBody {
    public let root: EntryHash
    public let isTyping: Bool

    public init(root: EntryHash, isTyping: Bool) {
        self.root = root
        self.isTyping = isTyping
    }

    public init(decoding bytes: [UInt8]) throws(WireError) {
        let body = try BodyReader(bytes)
        root = try body.hash(1, "root")
        isTyping = try body.boolean(2, "typing")
    }

    public func encoded() -> [UInt8] { CBOR.map([1: .bytes(root.bytes), 2: .boolean(isTyping)]).encoded() }
}

/// Checks that the encoders of groups share.
enum GroupRules {
    /// - Throws: `.tooLong` for what no frame holds.
    static func frame(_ map: CBORMap) throws(WireError) -> [UInt8] {
        let bytes = CBOR.map(map).encoded()
        try FieldRules.bytes(bytes.count, "body", maximum: PeerLimits.frameBodyBytes)
        return bytes
    }

    static func value(membership entries: [[UInt8]]) throws(WireError) -> CBOR {
        try FieldRules.bytes(entries.count, "entries", maximum: PeerLimits.groupPageEntries)
        for entry in entries {
            guard !entry.isEmpty else { throw .invalid(field: "entries") }
            try FieldRules.bytes(entry.count, "entries", maximum: PeerLimits.membershipEntryBytes)
        }
        return .array(entries.map { .bytes($0) })
    }
}

extension BodyReader {
    /// Whole membership entries, as bytes; nil where the field isn't there.
    func membershipEntries(_ key: UInt64) throws(WireError) -> [[UInt8]]? {
        try optionalList(key, "entries", maximum: PeerLimits.groupPageEntries) { (item, field) throws(WireError) in
            guard case .bytes(let bytes) = item else { throw .wrongType(field: field) }
            guard !bytes.isEmpty else { throw .invalid(field: field) }
            try FieldRules.bytes(bytes.count, field, maximum: PeerLimits.membershipEntryBytes)
            return bytes
        }
    }
}

extension GroupEntryBody {
    /// Whether it is a message with files. Neither signature nor hash is looked at.
    public var offersFiles: Bool {
        guard content != nil, let entry = try? LogEntry(trusting: header, signature: signature, content: content),
            case .message(let body)? = try? entry.body()
        else { return false }
        return !body.attachments.isEmpty
    }
}
