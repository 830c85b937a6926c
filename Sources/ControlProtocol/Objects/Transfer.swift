import Vocabulary

/// A file or folder on its way.
public struct Transfer: ContractObject {
    public var id = ""
    public var direction = TransferDirection.incoming
    public var peer = ""
    public var conversation: String?
    public var message: String?
    public var name = ""
    public var size: Int64 = 0
    public var bytesDone: Int64 = 0
    public var files: Int64 = 1
    public var filesDone: Int64 = 0
    public var skipped: Int64 = 0
    public var problems: [TransferProblem]?
    public var members: Int64?
    public var membersDone: Int64?
    public var rate: Int64 = 0
    public var secondsLeft: Int64?
    public var state = TransferState.offered
    public var pausedBy: TransferPause?
    public var cancelledBy: TransferSide?
    public var reason: Reason?
    public var detail: String?
    /// Whether it failed because the file is no longer the one that was offered.
    public var changed = false
    public var path: String?
    public var savedAs: String?
    public var createdAt: Int64 = 0
    public var finishedAt: Int64?
    public var heldBack: HoldReason?
    public var unlisted: [String]?
    public var keptBy: [String]?

    public init(
        id: String, direction: TransferDirection, peer: String, conversation: String? = nil, message: String? = nil,
        name: String, size: Int64, bytesDone: Int64 = 0, files: Int64 = 1, filesDone: Int64 = 0, skipped: Int64 = 0,
        problems: [TransferProblem]? = nil, members: Int64? = nil, membersDone: Int64? = nil, rate: Int64 = 0,
        secondsLeft: Int64? = nil, state: TransferState,
        pausedBy: TransferPause? = nil, cancelledBy: TransferSide? = nil, reason: Reason? = nil, detail: String? = nil,
        changed: Bool = false,
        path: String? = nil, savedAs: String? = nil, createdAt: Int64, finishedAt: Int64? = nil,
        heldBack: HoldReason? = nil, unlisted: [String]? = nil, keptBy: [String]? = nil
    ) {
        self.id = id
        self.direction = direction
        self.peer = peer
        self.conversation = conversation
        self.message = message
        self.name = name
        self.size = size
        self.bytesDone = bytesDone
        self.files = files
        self.filesDone = filesDone
        self.skipped = skipped
        self.problems = problems
        self.members = members
        self.membersDone = membersDone
        self.rate = rate
        self.secondsLeft = secondsLeft
        self.state = state
        self.pausedBy = pausedBy
        self.cancelledBy = cancelledBy
        self.reason = reason
        self.detail = detail
        self.changed = changed
        self.path = path
        self.savedAs = savedAs
        self.createdAt = createdAt
        self.finishedAt = finishedAt
        self.heldBack = heldBack
        self.unlisted = unlisted
        self.keptBy = keptBy
    }

    public static let contractName = "Transfer"

    public init() {}

    public mutating func describe(_ fields: inout ObjectFields) throws(ShapeError) {
        try fields.field("id", &id, as: .uuid, "the transfer")
        try fields.field("direction", &direction, "incoming (`in`) or outgoing (`out`)")
        try fields.field("peer", &peer, as: .account, "the other side")
        try fields.nullable("conversation", &conversation, as: .uuid, "where it was offered")
        try fields.nullable("message", &message, as: .uuid, "the message it was offered with")
        try fields.field(
            "name", &name, as: .label(minimum: 1, maximum: SharedLimits.attachmentNameBytes), "one path component")
        try fields.field("size", &size, as: .bytes, "in all")
        try fields.field(
            "bytesDone", &bytesDone, as: .bytes,
            "how many of these bytes are done; while it is active, this includes an unfinished piece, and drops again "
                + "if that is lost with the connection")
        try fields.lenient("files", &files, "how many files there are")
        try fields.lenient("filesDone", &filesDone, "how many of them are done")
        try fields.lenient("skipped", &skipped, "how many files and folders were left out")
        try fields.optional(
            "problems", &problems, "the first 1,000 that were left out; only in the answer of `transfer.get`")
        try fields.optional("members", &members, "how many other members are in the group that we sent it to")
        try fields.optional(
            "membersDone", &membersDone,
            "how many of them have told us that they have all of it; `done` only means that one has, and the others "
                + "can get it from there")
        try fields.lenient("rate", &rate, as: .bytes, "recent bytes per second")
        try fields.nullable("secondsLeft", &secondsLeft, "seconds left at that rate")
        try fields.field("state", &state, "how far it has come")
        try fields.nullable("pausedBy", &pausedBy, "who paused it; null if nobody did")
        try fields.optional("cancelledBy", &cancelledBy, "who cancelled it, if no `reason` says why it ended")
        try fields.nullable("reason", &reason, "why it has stopped or ended")
        try fields.optional(
            "detail", &detail, as: .words,
            "details of the reason; for a file that has arrived, that the disk here took a different name")
        var isChanged = changed ? true : nil
        try fields.optional("changed", &isChanged, "whether it failed because the file is not the one that was offered")
        changed = isChanged ?? false
        try fields.nullable("path", &path, as: .path, "where it is on this host")
        try fields.optional(
            "savedAs", &savedAs, as: .label(minimum: 1, maximum: SharedLimits.attachmentNameBytes),
            "its name on this disk, if different: the name was taken, or the disk doesn't allow it"
        )
        try fields.field("createdAt", &createdAt, as: .time, "when it was offered")
        try fields.nullable("finishedAt", &finishedAt, as: .time, "when it ended")
        try fields.optional(
            "heldBack", &heldBack,
            "why the receiver holds the offer back: it is taken only with `anyway`; absent if it isn't held back, and "
                + "for a group's files")
        try fields.optional(
            "unlisted", &unlisted,
            "the types of its files for which it is, or may be, held back; an empty one means files without a type")
        try fields.optional(
            "keptBy", &keptBy, as: .results(.account),
            "the couriers that keep the file for this account, or will once they have fetched it")
    }
}
