import Basics

/// A frame of the peer that must be on disk before it is answered. The owner of the session commits it, and then tells the
/// session with ``SessionInput/committed(_:_:)``.
public struct DurableFrame: Hashable, Sendable {
    /// The content of the frame.
    public enum Content: Hashable, Sendable {
        case message(MessageBody)
        case contactRequest(ContactRequestBody)
        case contactAnswer(ContactAnswerBody)
        case contactRemoval(ContactRemovalBody)
        case fileStatus(FileStatusBody)
        case edit(EditBody)
        case deletion(DeletionBody)
        case reaction(ReactionBody)
        case seen(SeenBody)
        case groupChange(GroupChangeBody)
        case groupEntry(GroupEntryBody)
        case groupSeen(GroupSeenBody)
        case parcel(ParcelBody)
        case parcelNews(ParcelNewsBody)
        case had(HadBody)
    }

    /// The sender's name for it; the same frame may come again, on this session or another. It is the id of a message.
    public let id: UUIDv7
    public let content: Content

    public init(id: UUIDv7, content: Content) {
        self.id = id
        self.content = content
    }

    /// - Throws: ``WireError``; `.unsupported` for a kind that is not durable.
    package init(_ frame: Frame) throws(WireError) {
        guard let rule = Self.rules[frame.kind] else {
            throw .unsupported(field: "frame kind \(frame.kind.rawValue)")
        }
        id = frame.id
        content = try rule.decode(frame.body)
    }

    /// The rule of a session for one kind of durable frame.
    struct Rule: Sendable {
        let name: String
        /// The peers from which it is taken.
        let gate: FrameGate
        let decode: @Sendable ([UInt8]) throws(WireError) -> Content

        init<Body: WireBody>(_ name: String, _ gate: FrameGate, _ content: @escaping @Sendable (Body) -> Content) {
            self.name = name
            self.gate = gate
            decode = { bytes throws(WireError) in content(try Body(decoding: bytes)) }
        }
    }

    static let rules: [FrameKind: Rule] = [
        .message: Rule("message", .friends, Content.message),
        .contactRequest: Rule("contactRequest", .everyone, Content.contactRequest),
        .contactAnswer: Rule("contactAnswer", .everyone, Content.contactAnswer),
        .contactRemoval: Rule("contactRemoval", .acquaintances, Content.contactRemoval),
        .fileStatus: Rule("fileStatus", .friends, Content.fileStatus),
        .edit: Rule("edit", .friends, Content.edit),
        .deletion: Rule("deletion", .friends, Content.deletion),
        .reaction: Rule("reaction", .friends, Content.reaction),
        .seen: Rule("seen", .friends, Content.seen),
        .groupChange: Rule("groupChange", .friendsAndGroupMates, Content.groupChange),
        .groupEntry: Rule("groupEntry", .friendsAndGroupMates, Content.groupEntry),
        .groupSeen: Rule("groupSeen", .friendsAndGroupMates, Content.groupSeen),
        .parcel: Rule("parcel", .friends, Content.parcel),
        .parcelNews: Rule("parcelNews", .friends, Content.parcelNews),
        .had: Rule("had", .friends, Content.had),
    ]

    /// Whether it is a message that people read.
    public var isMessage: Bool {
        if case .message = content { true } else { false }
    }

    /// Whether it asks to be friends.
    public var isContactRequest: Bool {
        if case .contactRequest = content { true } else { false }
    }

    /// Whether it is the record of a call.
    public var isCall: Bool {
        if case .message(let body) = content { body.call != nil } else { false }
    }

    /// Whether it is an entry of a group's log.
    public var isGroupEntry: Bool {
        if case .groupEntry = content { true } else { false }
    }

    /// Whether files come with it.
    public var offersFiles: Bool {
        switch content {
        case .message(let body): !body.attachments.isEmpty
        case .groupEntry(let body): body.offersFiles
        // What is in it isn't known before it is opened.
        case .parcel: true
        default: false
        }
    }

    /// Whether it is a parcel for this account or for a friend.
    public var isParcel: Bool {
        if case .parcel = content { true } else { false }
    }

    /// The transfer whose status it tells; nil for other content.
    var statusOfTransfer: UUIDv7? {
        if case .fileStatus(let body) = content { body.transfer } else { nil }
    }

    /// Whether the frames behind it can only be judged once this one is committed.
    var mayChangeRelation: Bool {
        switch content {
        case .contactRequest, .contactAnswer, .contactRemoval: true
        case .message, .fileStatus, .edit, .deletion, .reaction, .seen, .groupChange, .groupEntry, .groupSeen, .parcel,
            .parcelNews, .had:
            false
        }
    }
}

/// A durable frame of ours, as the outbox keeps it.
public struct OutboxItem: Hashable, Sendable {
    /// The place in the outbox. Places ascend, and none is used twice.
    public let sequence: Int64
    /// The id is not zero.
    public let id: UUIDv7
    public let kind: FrameKind
    /// The body has at most ``PeerLimits/frameBodyBytes``.
    public let body: [UInt8]

    /// Whether the one who reads it becomes a friend by it, if they have asked.
    var makesFriend: Bool { kind == .contactAnswer && (try? ContactAnswerBody(decoding: body))?.accepted == true }

    public init(sequence: Int64, id: UUIDv7, kind: FrameKind, body: [UInt8]) {
        self.sequence = sequence
        self.id = id
        self.kind = kind
        self.body = body
    }
}

extension FrameKind {
    public static let contactRequest = FrameKind(rawValue: 17)
    public static let contactAnswer = FrameKind(rawValue: 18)
    public static let contactRemoval = FrameKind(rawValue: 19)
    public static let message = FrameKind(rawValue: 48)
    public static let edit = FrameKind(rawValue: 49)
    public static let deletion = FrameKind(rawValue: 50)
    public static let reaction = FrameKind(rawValue: 51)
    public static let seen = FrameKind(rawValue: 52)
    public static let groupChange = FrameKind(rawValue: 68)
    public static let groupEntry = FrameKind(rawValue: 69)
    public static let groupSeen = FrameKind(rawValue: 70)
    public static let fileStatus = FrameKind(rawValue: 80)
    public static let parcel = FrameKind(rawValue: 112)
    public static let parcelNews = FrameKind(rawValue: 113)
    public static let had = FrameKind(rawValue: 115)
}
