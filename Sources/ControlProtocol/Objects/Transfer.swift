import Vocabulary

/// A file or folder on its way.
public struct Transfer: Hashable, Sendable {
    /// A UUID of version 7, made by the sender.
    public var id: String
    /// The way that it goes.
    public var direction: TransferDirection
    /// The other side's account.
    public var peer: String
    /// Where it was offered; nil if nowhere.
    public var conversation: String?
    /// The message that offered it; nil if none.
    public var message: String?
    /// One path component.
    public var name: String
    /// Bytes in all.
    public var size: Int64
    /// Bytes that are where they belong.
    public var bytesDone: Int64
    /// Files in all; 1 unless it is a folder.
    public var files: Int64
    /// Files that are where they belong.
    public var filesDone: Int64
    /// Files and folders that were left out.
    public var skipped: Int64
    /// The first of them; nil where they weren't asked for.
    public var problems: [TransferProblem]?
    /// For a file that was sent to a group, how many other members are in it; nil for all else.
    public var members: Int64?
    /// How many of them have said here that they have all of it.
    public var membersDone: Int64?
    /// Bytes a second, as of late; 0 while it stands.
    public var rate: Int64
    /// Seconds to go at that rate; nil if unknown.
    public var secondsLeft: Int64?
    /// How far it has come.
    public var state: TransferState
    /// The side that has paused it; nil if it isn't paused.
    public var pausedBy: TransferPause?
    /// An error kind, if it failed, was declined or waits.
    public var reason: Reason?
    /// More words about the reason, for people.
    public var detail: String?
    /// Whether it failed because the file is another one than was offered.
    public var changed: Bool
    /// Where it lies on this host; nil before it does.
    public var path: String?
    /// Milliseconds since 1970 UTC.
    public var createdAt: Int64
    /// Milliseconds since 1970 UTC; nil before the end.
    public var finishedAt: Int64?

    /// Put together from its fields.
    public init(
        id: String, direction: TransferDirection, peer: String, conversation: String? = nil, message: String? = nil,
        name: String, size: Int64, bytesDone: Int64 = 0, files: Int64 = 1, filesDone: Int64 = 0, skipped: Int64 = 0,
        problems: [TransferProblem]? = nil, members: Int64? = nil, membersDone: Int64? = nil, rate: Int64 = 0,
        secondsLeft: Int64? = nil, state: TransferState,
        pausedBy: TransferPause? = nil, reason: Reason? = nil, detail: String? = nil, changed: Bool = false,
        path: String? = nil, createdAt: Int64, finishedAt: Int64? = nil
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
        self.reason = reason
        self.detail = detail
        self.changed = changed
        self.path = path
        self.createdAt = createdAt
        self.finishedAt = finishedAt
    }

    /// Reads the object as it travels; unknown fields are ignored.
    ///
    /// - Throws: ``ShapeError`` naming the field that is missing or of the wrong type.
    public init(json: JSONValue) throws(ShapeError) {
        let reader = try JSONReader(json, as: "Transfer")
        id = try reader.string("id")
        direction = try reader.choice("direction")
        peer = try reader.string("peer")
        conversation = try reader.optionalString("conversation")
        message = try reader.optionalString("message")
        name = try reader.string("name")
        size = try reader.integer("size")
        bytesDone = try reader.integer("bytesDone")
        files = try reader.optionalInteger("files") ?? 1
        filesDone = try reader.optionalInteger("filesDone") ?? 0
        skipped = try reader.optionalInteger("skipped") ?? 0
        problems = try reader.value("problems") == nil ? nil : reader.list("problems", TransferProblem.init(json:))
        members = try reader.optionalInteger("members")
        membersDone = try reader.optionalInteger("membersDone")
        rate = try reader.optionalInteger("rate") ?? 0
        secondsLeft = try reader.optionalInteger("secondsLeft")
        state = try reader.choice("state")
        pausedBy = reader.value("pausedBy") == nil ? nil : try reader.choice("pausedBy")
        reason = try reader.optionalString("reason").map(Reason.init(code:))
        detail = try reader.optionalString("detail")
        changed = reader.value("changed")?.bool ?? false
        path = try reader.optionalString("path")
        createdAt = try reader.integer("createdAt")
        finishedAt = try reader.optionalInteger("finishedAt")
    }

    /// The value as it travels.
    public var json: JSONValue {
        var object: JSONObject = [
            "id": .string(id), "direction": .string(direction.rawValue), "peer": .string(peer),
            "conversation": .optional(conversation), "message": .optional(message), "name": .string(name),
            "size": .integer(size), "bytesDone": .integer(bytesDone), "files": .integer(files),
            "filesDone": .integer(filesDone), "skipped": .integer(skipped), "rate": .integer(rate),
            "secondsLeft": .optional(secondsLeft),
            "state": .string(state.rawValue), "reason": .optional(reason?.contract), "path": .optional(path),
            "createdAt": .integer(createdAt), "finishedAt": .optional(finishedAt),
        ]
        if let problems { object["problems"] = .array(problems.map(\.json)) }
        object["pausedBy"] = .optional(pausedBy?.rawValue)
        if let members { object["members"] = .integer(members) }
        if let membersDone { object["membersDone"] = .integer(membersDone) }
        if let detail { object["detail"] = .string(detail) }
        if changed { object["changed"] = true }
        return .object(object)
    }
}
