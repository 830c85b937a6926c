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
    case callState(CallStateBody)
    case callSignal(CallSignalBody)
    case mailNote(MailNote)

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
        case .callState(let body): (.callState, try body.encoded())
        case .callSignal(let body): (.callSignal, try body.encoded())
        case .mailNote(let note): (.mailNote, note.encoded())
        }
    }

    /// Whether an earlier hint becomes meaningless if this one follows it directly.
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
        /// Whether reading one costs signature checks, so that those that can't be read count, too.
        let isDear: Bool
        /// Bytes of a body.
        let bytes: Int
        /// The question without which it is not obeyed.
        let answers: FrameKind?
        /// How a state of ours is told; nil: each is sent at once.
        let told: State?
        /// How a state of the peer's is shown, to the same as `to` says; nil: each is obeyed.
        let shown: State?
        let decode: @Sendable ([UInt8]) throws(WireError) -> Hint

        init<Body: WireBody>(
            _ kind: FrameKind, _ name: String, _ to: FrameGate, from: FrameGate? = nil, limit: RateLimit? = nil,
            isDear: Bool = false, bytes: Int = PeerLimits.frameBodyBytes, answers: FrameKind? = nil, told: State? = nil,
            shown: State? = nil,
            _ hint: @escaping @Sendable (Body) -> Hint
        ) {
            self.kind = kind
            self.name = name
            self.from = from ?? to
            self.to = to
            self.limit = limit
            self.isDear = isDear
            self.bytes = bytes
            self.answers = answers
            self.told = told
            self.shown = shown
            decode = { bytes throws(WireError) in hint(try Body(decoding: bytes)) }
        }
    }

    /// All kinds. States are told in this order.
    static let table: [Rule] = [
        // A friend who has just accepted us says it before we know that they are one: it counts once we know.
        Rule(.presence, "presence", .friends, from: .everyone, told: online, shown: online, Hint.presence),
        // The peers that we have asked have to be able to answer. They take the keys before they know that they are
        // asked: the request may still be on its way to their disk.
        Rule(
            .discoveryKeys, "discoveryKeys", .friendsAndAsked, from: .everyone, limit: PeerLimits.discoveryKeysTaken,
            told: Rule.State(pace: PeerLimits.discoveryKeys, first: nil), Hint.discoveryKeys),
        Rule(.typing, "typing", .friends, Hint.typing),
        // Groups have avatars, too.
        Rule(
            .avatarRequest, "avatarRequest", .friendsAndGroupMates, limit: PeerLimits.avatarAnswers, Hint.avatarRequest),
        Rule(.avatar, "avatar", .friendsAndGroupMates, Hint.avatar),
        Rule(
            .peerExchangeRequest, "peerExchangeRequest", .everyone, limit: PeerLimits.peerExchangePages,
            Hint.peerExchangeRequest),
        // A page that we have not asked for costs no checks of signatures. Longer frames are read from friends, but no page is
        // longer than this.
        Rule(
            .peerExchange, "peerExchange", .everyone, bytes: PeerLimits.strangerBodyBytes,
            answers: .peerExchangeRequest, Hint.peerExchange),
        Rule(.reachRequest, "reachRequest", .friends, limit: PeerLimits.reachAnswers, Hint.reachRequest),
        Rule(.reach, "reach", .friends, Hint.reach),
        Rule(.groupHeads, "groupHeads", .friendsAndGroupMates) { (body: GroupHeadsBody) in .group(.heads(body)) },
        Rule(.groupTops, "groupTops", .friendsAndGroupMates) { (body: GroupTopsBody) in .group(.tops(body)) },
        Rule(.groupWant, "groupWant", .friendsAndGroupMates) { (body: GroupWantBody) in .group(.want(body)) },
        Rule(.groupEntries, "groupEntries", .friendsAndGroupMates) { (body: GroupEntriesBody) in .group(.entries(body))
        },
        Rule(.groupTyping, "groupTyping", .friendsAndGroupMates) { (body: GroupTypingBody) in .group(.typing(body)) },
        // The ``CallMachine`` decides which calls a peer may mention, and how often.
        Rule(
            .callState, "callState", .friendsAndGroupMates, bytes: PeerLimits.callStateBytes, Hint.callState),
        Rule(
            .callSignal, "callSignal", .friendsAndGroupMates, bytes: PeerLimits.callSignalBytes, Hint.callSignal),
        // A friend who has just accepted us says it before we know that they are one: it counts once we know.
        Rule(
            .mailNote, "mailNote", .friends, from: .friendsAndAsked, limit: PeerLimits.mailNotesTaken,
            isDear: true, bytes: PeerLimits.mailNoteBytes, told: Rule.State(pace: PeerLimits.mailNotes, first: nil),
            shown: Rule.State(pace: PeerLimits.mailNotes, first: nil), Hint.mailNote),
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
    public static let callState = FrameKind(rawValue: 96)
    public static let callSignal = FrameKind(rawValue: 97)
    public static let mailNote = FrameKind(rawValue: 114)
}
