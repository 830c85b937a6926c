import Basics

/// A frame of the peer that must be on disk before it is answered: commit it, then tell the session with
/// ``SessionInput/committed(_:_:)``.
public struct DurableFrame: Hashable, Sendable {
    /// What the peer says or asks.
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
    }

    /// The sender's name for it; the same frame may come again, on this session or another. For a message: its id.
    public let id: UUIDv7
    public let content: Content

    public init(id: UUIDv7, content: Content) {
        self.id = id
        self.content = content
    }

    /// - Throws: ``WireError``; `.unsupported` for a kind that is none of these.
    init(_ frame: Frame) throws(WireError) {
        id = frame.id
        switch frame.kind {
        case .message: content = .message(try MessageBody(decoding: frame.body))
        case .contactRequest: content = .contactRequest(try ContactRequestBody(decoding: frame.body))
        case .contactAnswer: content = .contactAnswer(try ContactAnswerBody(decoding: frame.body))
        case .contactRemoval: content = .contactRemoval(try ContactRemovalBody(decoding: frame.body))
        case .fileStatus: content = .fileStatus(try FileStatusBody(decoding: frame.body))
        case .edit: content = .edit(try EditBody(decoding: frame.body))
        case .deletion: content = .deletion(try DeletionBody(decoding: frame.body))
        case .reaction: content = .reaction(try ReactionBody(decoding: frame.body))
        case .seen: content = .seen(try SeenBody(decoding: frame.body))
        case .groupChange: content = .groupChange(try GroupChangeBody(decoding: frame.body))
        case .groupEntry: content = .groupEntry(try GroupEntryBody(decoding: frame.body))
        case .groupSeen: content = .groupSeen(try GroupSeenBody(decoding: frame.body))
        default: throw .unsupported(field: "frame kind \(frame.kind.rawValue)")
        }
    }

    /// Whether it is a message that people read.
    public var isMessage: Bool {
        if case .message = content { true } else { false }
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
        default: false
        }
    }

    /// The transfer whose status it tells.
    var statusOfTransfer: UUIDv7? {
        if case .fileStatus(let body) = content { body.transfer } else { nil }
    }

    /// Whether the frames behind it can only be judged once this one is committed.
    var mayChangeRelation: Bool {
        switch content {
        case .contactRequest, .contactAnswer, .contactRemoval: true
        case .message, .fileStatus, .edit, .deletion, .reaction, .seen, .groupChange, .groupEntry, .groupSeen: false
        }
    }
}

/// A durable frame of ours, as the outbox keeps it.
public struct OutboxItem: Hashable, Sendable {
    /// Place in the outbox: ascending, never used twice.
    public let sequence: Int64
    /// Not zero.
    public let id: UUIDv7
    public let kind: FrameKind
    /// At most ``PeerLimits/frameBodyBytes``.
    public let body: [UInt8]

    public init(sequence: Int64, id: UUIDv7, kind: FrameKind, body: [UInt8]) {
        self.sequence = sequence
        self.id = id
        self.kind = kind
        self.body = body
    }
}
