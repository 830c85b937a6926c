import Basics

/// A frame that needs no receipt: it says what is true or wanted now, and is lost with the session.
///
/// This file has all that the other files need not know about a hint: its number and name, which peers may send it, how
/// often, how long it may be, and how it is read and written.
public enum Hint: Hashable, Sendable {
    case presence(PresenceBody)
    case discoveryKeys(DiscoveryKeysBody)
    case typing(TypingBody)
    case avatarRequest(AvatarRequestBody)
    case avatar(AvatarBody)
    case peerExchangeRequest(PeerExchangeRequestBody)
    case peerExchange(PeerExchangeBody)
    case reachRequest(ReachRequestBody)
    case reach(ReachBody)
    case group(GroupFrame)

    /// - Throws: ``WireError``; `.unsupported` for a kind that is no hint.
    package init(_ frame: Frame) throws(WireError) {
        guard let rule = Self.rules[frame.kind] else {
            throw .unsupported(field: "frame kind \(frame.kind.rawValue)")
        }
        try FieldRules.bytes(frame.body.count, rule.name, maximum: rule.bytes)
        self = try rule.decode(frame.body)
    }

    /// The kind and the body of its frame.
    /// - Throws: ``WireError`` where a peer would not take it.
    func encoded() throws(WireError) -> (kind: FrameKind, body: [UInt8]) {
        switch self {
        case .presence(let body): (.presence, body.encoded())
        case .discoveryKeys(let body): (.discoveryKeys, body.encoded())
        case .typing(let body): (.typing, body.encoded())
        case .avatarRequest(let body): (.avatarRequest, try body.encoded())
        case .avatar(let body): (.avatar, try body.encoded())
        case .peerExchangeRequest(let body): (.peerExchangeRequest, body.encoded())
        case .peerExchange(let body): (.peerExchange, body.encoded())
        case .reachRequest(let body): (.reachRequest, body.encoded())
        case .reach(let body): (.reach, body.encoded())
        case .group(let frame): (frame.kind, try frame.body())
        }
    }

    /// Whether an earlier hint says nothing any more when this one follows it at once.
    func replaces(_ earlier: Hint) -> Bool {
        switch (earlier, self) {
        case (.typing, .typing): true
        case (.group(.typing(let old)), .group(.typing(let new))): old.root == new.root
        default: false
        }
    }

    /// The rule of a session for one kind of hint.
    struct Rule: Sendable {
        /// Something that is so until it changes: only the last value counts, and a change is passed on no more often than this.
        struct State: Sendable {
            let pace: RateLimit
            /// What each side believes at the beginning without being told.
            let first: Hint?
        }

        let kind: FrameKind
        let name: String
        /// The peers from which it is taken.
        let from: FrameGate
        /// The peers to which it is sent.
        let to: FrameGate
        /// How many of the peer's are obeyed; nil: as many as the budgets of the session let through.
        let limit: RateLimit?
        /// Bytes of a body.
        let bytes: Int
        /// The question without which it is not obeyed.
        let answers: FrameKind?
        /// How a state of ours is told; nil: each is sent at once.
        let told: State?
        /// How a state of the peer's is shown, to the same as `to` says; nil: each is obeyed.
        let shown: State?
        let decode: @Sendable ([UInt8]) throws(WireError) -> Hint

        init(
            _ kind: FrameKind, _ name: String, _ to: FrameGate, from: FrameGate? = nil, limit: RateLimit? = nil,
            bytes: Int = PeerLimits.frameBodyBytes, answers: FrameKind? = nil, told: State? = nil, shown: State? = nil,
            decode: @escaping @Sendable ([UInt8]) throws(WireError) -> Hint
        ) {
            self.kind = kind
            self.name = name
            self.from = from ?? to
            self.to = to
            self.limit = limit
            self.bytes = bytes
            self.answers = answers
            self.told = told
            self.shown = shown
            self.decode = decode
        }
    }

    /// All kinds. States are told in this order.
    static let table: [Rule] = [
        // A friend who has just accepted us says it before we know that they are one: it counts once we know.
        Rule(
            .presence, "presence", .friends, from: .everyone, told: online, shown: online,
            decode: { b throws(WireError) in .presence(try PresenceBody(decoding: b)) }),
        // The peers that we have asked have to be able to answer. They take the keys before they know that they are
        // asked: the request may still be on its way to their disk.
        Rule(
            .discoveryKeys, "discoveryKeys", .friendsAndAsked, from: .everyone, limit: PeerLimits.discoveryKeysTaken,
            told: Rule.State(pace: PeerLimits.discoveryKeys, first: nil),
            decode: { b throws(WireError) in .discoveryKeys(try DiscoveryKeysBody(decoding: b)) }),
        Rule(
            .typing, "typing", .friends,
            decode: { b throws(WireError) in .typing(try TypingBody(decoding: b)) }),
        // Groups have avatars, too.
        Rule(
            .avatarRequest, "avatarRequest", .friendsAndGroupMates, limit: PeerLimits.avatarAnswers,
            decode: { b throws(WireError) in .avatarRequest(try AvatarRequestBody(decoding: b)) }),
        Rule(
            .avatar, "avatar", .friendsAndGroupMates,
            decode: { b throws(WireError) in .avatar(try AvatarBody(decoding: b)) }),
        Rule(
            .peerExchangeRequest, "peerExchangeRequest", .everyone, limit: PeerLimits.peerExchangePages,
            decode: { b throws(WireError) in .peerExchangeRequest(try PeerExchangeRequestBody(decoding: b)) }),
        // A page that we have not asked for costs no checks of signatures. Longer frames are read from friends, but no page is
        // longer than this.
        Rule(
            .peerExchange, "peerExchange", .everyone, bytes: PeerLimits.strangerBodyBytes,
            answers: .peerExchangeRequest,
            decode: { b throws(WireError) in .peerExchange(try PeerExchangeBody(decoding: b)) }),
        Rule(
            .reachRequest, "reachRequest", .friends, limit: PeerLimits.reachAnswers,
            decode: { b throws(WireError) in .reachRequest(try ReachRequestBody(decoding: b)) }),
        Rule(
            .reach, "reach", .friends,
            decode: { b throws(WireError) in .reach(try ReachBody(decoding: b)) }),
        Rule(
            .groupHeads, "groupHeads", .friendsAndGroupMates,
            decode: { b throws(WireError) in .group(.heads(try GroupHeadsBody(decoding: b))) }),
        Rule(
            .groupTops, "groupTops", .friendsAndGroupMates,
            decode: { b throws(WireError) in .group(.tops(try GroupTopsBody(decoding: b))) }),
        Rule(
            .groupWant, "groupWant", .friendsAndGroupMates,
            decode: { b throws(WireError) in .group(.want(try GroupWantBody(decoding: b))) }),
        Rule(
            .groupEntries, "groupEntries", .friendsAndGroupMates,
            decode: { b throws(WireError) in .group(.entries(try GroupEntriesBody(decoding: b))) }),
        Rule(
            .groupTyping, "groupTyping", .friendsAndGroupMates,
            decode: { b throws(WireError) in .group(.typing(try GroupTypingBody(decoding: b))) }),
    ]

    static let rules = Dictionary(table.map { ($0.kind, $0) }, uniquingKeysWith: { first, _ in first })

    private static let online = Rule.State(pace: PeerLimits.presenceChanges, first: .presence(PresenceBody(.online)))
}

extension FrameKind {
    public static let avatarRequest = FrameKind(rawValue: 20)
    public static let avatar = FrameKind(rawValue: 21)
    public static let peerExchangeRequest = FrameKind(rawValue: 22)
    public static let peerExchange = FrameKind(rawValue: 23)
    public static let reachRequest = FrameKind(rawValue: 24)
    public static let reach = FrameKind(rawValue: 25)
    public static let discoveryKeys = FrameKind(rawValue: 26)
    public static let presence = FrameKind(rawValue: 32)
    public static let typing = FrameKind(rawValue: 33)
    public static let groupHeads = FrameKind(rawValue: 64)
    public static let groupTops = FrameKind(rawValue: 65)
    public static let groupWant = FrameKind(rawValue: 66)
    public static let groupEntries = FrameKind(rawValue: 67)
    public static let groupTyping = FrameKind(rawValue: 71)
}
