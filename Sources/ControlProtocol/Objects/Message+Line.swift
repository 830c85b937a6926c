import Vocabulary

extension Message {
    /// A line of Kibo itself in a group, about what a member did. Clients word it.
    public struct Line: Hashable, Sendable {
        /// A person that the line names.
        public struct Person: Hashable, Sendable {
            public var id = ""
            public var name = ""
            public var own = false

            public init(id: String, name: String, own: Bool = false) {
                self.id = id
                self.name = name
                self.own = own
            }
        }

        public var action = LineAction.created
        public var actor = Person()
        public var subjects: [Person] = []
        public var more: Int64 = 0
        public var role: GroupRole?
        public var value: String?
        public var count: Int64?
        public var gone = false
        public var undone = false

        public init(
            _ action: LineAction, by actor: Person, subjects: [Person] = [], more: Int64 = 0, role: GroupRole? = nil,
            value: String? = nil, count: Int64? = nil, gone: Bool = false, undone: Bool = false
        ) {
            self.action = action
            self.actor = actor
            self.subjects = subjects
            self.more = more
            self.role = role
            self.value = value
            self.count = count
            self.gone = gone
            self.undone = undone
        }
    }
}

extension Message.Line: ContractObject {
    public static let contractName = "Line"

    public init() {}

    public mutating func describe(_ fields: inout ObjectFields) throws(ShapeError) {
        try fields.field("action", &action, "what was done")
        try fields.field(
            "actor", &actor,
            "who did it; of `inherited` the new owner, of `forked` the one whose device contradicts itself")
        try fields.lenient("subjects", &subjects, "those whom it was done to, at most six")
        try fields.field("more", &more, "how many it was done to beside those")
        try fields.nullable("role", &role, "what the subject is now")
        try fields.nullable(
            "value", &value, as: .text(.bytes(SharedLimits.textBytes)),
            "the name of `created` and `renamed`, the description of `described`")
        try fields.nullable("count", &count, "of `history_changed`: how many of the last messages a new member sees")
        try fields.lenient("gone", &gone, "of `avatar_changed`: there is none any more")
        try fields.lenient(
            "undone", &undone, "it counted, and does not any more: a removal made at the same time came to be known")
    }

    /// A line of a later version is none: its message is shown by the names in its text.
    public static func read(_ json: JSONValue) -> Message.Line? { try? Message.Line(json: json) }
}

extension Message.Line.Person: ContractObject {
    public static let contractName = "Line.person"

    public init() {}

    public mutating func describe(_ fields: inout ObjectFields) throws(ShapeError) {
        try fields.field("id", &id, as: .account, "the account")
        try fields.field("name", &name, as: .name, "what they were called here when it happened")
        try fields.lenient("own", &own, "whether it is this account")
    }
}
