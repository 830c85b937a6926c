import Basics
import Crypto
import Vocabulary

/// A summary of what a member has of a group. It is sent at a session's start, and when others have given the member
/// something new. CBOR `{1: root, 2: [membership heads], 3: digest of tops}`. Needs no receipt.
public struct GroupHeadsBody: GroupBody {
    public let root: EntryHash
    /// 1 to ``PeerLimits/groupHeadsInFrame``, ascending: membership entries that no other here builds upon.
    public let heads: [EntryHash]
    /// ``GroupTopsBody/digest(of:)`` of everything.
    public let digest: EntryHash
    /// Whether the sender wants to be told when there is something new; nil where it doesn't say.
    public var wantsNews: Bool?

    public init(root: EntryHash, heads: [EntryHash], digest: EntryHash, wantsNews: Bool? = nil) {
        self.root = root
        self.heads = heads
        self.digest = digest
        self.wantsNews = wantsNews
    }

    /// Whether both have the same.
    func isSame(as other: GroupHeadsBody) -> Bool {
        (root, digest) == (other.root, other.digest) && heads == other.heads
    }

    public init(decoding bytes: [UInt8]) throws(WireError) {
        let body = try BodyReader(bytes)
        self.init(
            root: try body.hash(1, "root"),
            heads: try body.hashes(2, "heads", maximum: PeerLimits.groupHeadsInFrame) ?? [],
            digest: try body.hash(3, "digest"), wantsNews: body.has(4) ? try body.boolean(4, "news") : nil)
        guard !heads.isEmpty else { throw .missing(field: "heads") }
    }

    public func encoded() throws(WireError) -> [UInt8] {
        guard !heads.isEmpty else { throw .missing(field: "heads") }
        try FieldRules.bytes(heads.count, "heads", maximum: PeerLimits.groupHeadsInFrame)
        var map: CBORMap = [1: .bytes(root.bytes), 2: .hashes(heads), 3: .bytes(digest.bytes)]
        if let wantsNews { map[4] = .boolean(wantsNews) }
        return CBOR.map(map).encoded()
    }
}

/// The ends of all chains that one has of a group's log. CBOR `{1: root, 2: [[device, sequence, hash]], 3: reply?, 4: more?}`.
/// Needs no receipt.
///
/// A chain has one top, and one more for each fork in it. So a difference shows what is missing, even if one side
/// doesn't have a whole chain.
public struct GroupTopsBody: GroupBody {
    public let root: EntryHash
    /// At most ``PeerLimits/groupTopsInFrame``, ascending.
    public let tops: [LogReference]
    /// Whether it answers the other side's tops, so that no further tops are expected.
    public let isReply: Bool
    /// Whether another frame with the rest follows.
    public let hasMore: Bool

    public init(root: EntryHash, tops: [LogReference], isReply: Bool, hasMore: Bool = false) {
        self.root = root
        self.tops = tops
        self.isReply = isReply
        self.hasMore = hasMore
    }

    public init(decoding bytes: [UInt8]) throws(WireError) {
        let body = try BodyReader(bytes)
        root = try body.hash(1, "root")
        let limit = PeerLimits.groupTopsInFrame
        guard let tops = try body.ascending(2, "tops", maximum: limit, LogReference.init(reading:field:)) else {
            throw .missing(field: "tops")
        }
        self.tops = tops
        isReply = body.has(3) ? try body.boolean(3, "reply") : false
        hasMore = body.has(4) ? try body.boolean(4, "more") : false
    }

    public func encoded() throws(WireError) -> [UInt8] {
        try FieldRules.bytes(tops.count, "tops", maximum: PeerLimits.groupTopsInFrame)
        var map: CBORMap = [1: .bytes(root.bytes), 2: Self.value(tops)]
        if isReply { map[3] = .boolean(true) }
        if hasMore { map[4] = .boolean(true) }
        return try GroupRules.frame(map)
    }

    /// The digest that two members compare before they tell each other more: BLAKE2b-256 of the CBOR array of all tops,
    /// ascending.
    public static func digest(of tops: [LogReference]) -> EntryHash { EntryHash(hashing: value(tops).encoded()) }

    private static func value(_ tops: [LogReference]) -> CBOR { .array(Set(tops).sorted().map(\.value)) }
}

/// A question to a member. CBOR `{1: root, 2: [membership heads]?, 3: [[device, from, to]]?, 4: [hashes]?, 6: after?}`.
/// Needs no receipt; it is answered by one ``GroupEntriesBody``.
public struct GroupWantBody: GroupBody {
    public let root: EntryHash
    /// Our own membership heads: everything that they don't build upon is wanted. Nil: nothing of the membership.
    public let heads: [EntryHash]?
    /// Entries of the log by their places: at most ``PeerLimits/groupWants``, ascending.
    public let ranges: [LogRange]
    /// Entries of the log by their hashes: at most ``PeerLimits/groupWants``, ascending.
    public let hashes: [EntryHash]
    /// The last membership entry of the previous page, if ``heads`` can't tell everything that the sender has. The
    /// answer continues after it, in the answerer's own order.
    public let after: EntryHash?

    public init(
        root: EntryHash, heads: [EntryHash]? = nil, ranges: [LogRange] = [], hashes: [EntryHash] = [],
        after: EntryHash? = nil
    ) {
        self.root = root
        self.heads = heads.map { Set($0).sorted() }
        self.ranges = Set(ranges).sorted()
        self.hashes = Set(hashes).sorted()
        self.after = heads == nil ? nil : after
    }

    /// Asks for nothing.
    public var isEmpty: Bool { heads == nil && ranges.isEmpty && hashes.isEmpty }

    public init(decoding bytes: [UInt8]) throws(WireError) {
        let body = try BodyReader(bytes)
        self.init(
            root: try body.hash(1, "root"),
            heads: try body.hashes(2, "heads", maximum: PeerLimits.groupHeadsInFrame),
            ranges: try body.ranges(3, "ranges", maximum: PeerLimits.groupWants) ?? [],
            hashes: try body.hashes(4, "hashes", maximum: PeerLimits.groupWants) ?? [],
            after: try body.optionalHash(6, "after"))
        guard !isEmpty else { throw .missing(field: "heads") }
    }

    public func encoded() throws(WireError) -> [UInt8] {
        guard !isEmpty else { throw .missing(field: "heads") }
        try FieldRules.bytes(heads?.count ?? 0, "heads", maximum: PeerLimits.groupHeadsInFrame)
        try FieldRules.bytes(ranges.count, "ranges", maximum: PeerLimits.groupWants)
        try FieldRules.bytes(hashes.count, "hashes", maximum: PeerLimits.groupWants)
        var map: CBORMap = [1: .bytes(root.bytes)]
        map[2] = heads.map { .hashes($0) }
        if !ranges.isEmpty { map[3] = .ranges(ranges) }
        if !hashes.isEmpty { map[4] = .hashes(hashes) }
        map[6] = after.map { .bytes($0.bytes) }
        return CBOR.map(map).encoded()
    }
}

/// The answer to a want, or its first page. CBOR `{1: root, 2: [membership entries]?, 3: [[header, signature, content?]]?,
/// 4: withheld [[device, from, to]]?, 5: more?, 6: unavailable [hashes]?}`. Needs no receipt.
///
/// Entries come in an order in which each follows what it refers to, as far as the sender has that and may give it.
/// Fields 4 and 6 say what the sender doesn't have or may not give.
public struct GroupEntriesBody: GroupBody {
    public let root: EntryHash
    /// Whole membership entries, not looked into.
    public let membership: [[UInt8]]
    /// Not looked into: ``GroupEntryBody/entry()`` checks them.
    public let entries: [GroupEntryBody]
    /// Places that were asked for, or are referred to here, whose entries the sender has not or may not give.
    public let withheld: [LogRange]
    /// Whether there is more to be had of what was asked for.
    public let hasMore: Bool
    /// Hashes that were asked for, which the sender has not or may not give.
    public let unavailable: [EntryHash]

    public init(
        root: EntryHash, membership: [[UInt8]] = [], entries: [GroupEntryBody] = [], withheld: [LogRange] = [],
        hasMore: Bool = false, unavailable: [EntryHash] = []
    ) {
        self.root = root
        self.membership = membership
        self.entries = entries
        self.withheld = Set(withheld).sorted()
        self.hasMore = hasMore
        self.unavailable = Set(unavailable).sorted()
    }

    public init(decoding bytes: [UInt8]) throws(WireError) {
        let body = try BodyReader(bytes)
        let limit = PeerLimits.groupPageEntries
        self.init(
            root: try body.hash(1, "root"), membership: try body.membershipEntries(2) ?? [],
            entries: try body.optionalList(3, "log entries", maximum: limit, GroupEntryBody.init(reading:field:)) ?? [],
            withheld: try body.ranges(4, "withheld", maximum: PeerLimits.groupWithheld) ?? [],
            hasMore: body.has(5) ? try body.boolean(5, "more") : false,
            unavailable: try body.hashes(6, "unavailable", maximum: PeerLimits.groupWants) ?? [])
    }

    public func encoded() throws(WireError) -> [UInt8] {
        try FieldRules.bytes(entries.count, "log entries", maximum: PeerLimits.groupPageEntries)
        try FieldRules.bytes(withheld.count, "withheld", maximum: PeerLimits.groupWithheld)
        try FieldRules.bytes(unavailable.count, "unavailable", maximum: PeerLimits.groupWants)
        var map: CBORMap = [1: .bytes(root.bytes)]
        if !membership.isEmpty { map[2] = try GroupRules.value(membership: membership) }
        if !entries.isEmpty { map[3] = .array(entries.map(\.value)) }
        if !withheld.isEmpty { map[4] = .ranges(withheld) }
        if hasMore { map[5] = .boolean(true) }
        if !unavailable.isEmpty { map[6] = .hashes(unavailable) }
        return try GroupRules.frame(map)
    }
}

extension GroupEntryBody {
    /// `[header, signature, content?]`.
    fileprivate init(reading value: CBOR, field: String) throws(WireError) {
        guard case .array(let items) = value else { throw .wrongType(field: field) }
        guard 2...3 ~= items.count else { throw .invalid(field: field) }
        var parts: [[UInt8]] = []
        for (item, limit) in zip(
            items, [PeerLimits.logHeaderBytes, CryptoLimits.signatureBytes, PeerLimits.logContentBytes])
        {
            guard case .bytes(let bytes) = item else { throw .wrongType(field: field) }
            try FieldRules.bytes(bytes.count, field, maximum: limit)
            parts.append(bytes)
        }
        self.init(header: parts[0], signature: parts[1], content: parts.count == 3 ? parts[2] : nil)
    }

    fileprivate var value: CBOR {
        .array([.bytes(header), .bytes(signature)] + (content.map { [.bytes($0)] } ?? []))
    }
}
