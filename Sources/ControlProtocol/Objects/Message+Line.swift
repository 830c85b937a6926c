import Vocabulary

extension Message {
    /// A line of Kibo itself in a group, about what a member did. Clients word it.
    public struct Line: Hashable, Sendable {
        /// A person that the line names.
        public struct Person: Hashable, Sendable {
            /// `kibo1…`.
            public var id: String
            /// Their name here when it happened.
            public var name: String
            /// Whether it is this account.
            public var own: Bool

            /// Put together from its fields.
            public init(id: String, name: String, own: Bool = false) {
                self.id = id
                self.name = name
                self.own = own
            }
        }

        /// The action of the line.
        public var action: LineAction
        /// The person who did it.
        public var actor: Person
        /// The first person to whom it was done.
        public var subjects: [Person]
        /// How many it was done to beside those.
        public var more: Int64
        /// The new role of the subject.
        public var role: GroupRole?
        /// A name or a text; see ``LineAction``.
        public var value: String?
        /// A number; see ``LineAction``.
        public var count: Int64?
        /// Whether the thing that changed is gone.
        public var gone: Bool
        /// Whether it counted and does not any more: a removal that was made at the same time has come to be known.
        public var undone: Bool

        /// Put together from its fields.
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

extension Message.Line {
    /// Reads the object as it travels; unknown fields are ignored.
    ///
    /// - Throws: ``ShapeError`` naming the field that is missing or of the wrong type.
    public init(json: JSONValue) throws(ShapeError) {
        let reader = try JSONReader(json, as: "Line")
        action = try reader.choice("action")
        guard let actor = reader.value("actor") else { throw reader.error("actor", "an object") }
        self.actor = try Person(json: actor)
        subjects = try reader.list("subjects", Person.init(json:))
        more = try reader.integer("more")
        role = try reader.optionalString("role").flatMap(GroupRole.init)
        value = try reader.optionalString("value")
        count = try reader.optionalInteger("count")
        gone = try reader.bool("gone")
        undone = try reader.bool("undone")
    }

    /// The value as it travels.
    public var json: JSONValue {
        [
            "action": .string(action.rawValue), "actor": actor.json, "subjects": .array(subjects.map(\.json)),
            "more": .integer(more), "role": .optional(role?.rawValue), "value": .optional(value),
            "count": .optional(count), "gone": .bool(gone), "undone": .bool(undone),
        ]
    }
}

extension Message.Line.Person {
    /// Reads the object as it travels; unknown fields are ignored.
    ///
    /// - Throws: ``ShapeError`` naming the field that is missing or of the wrong type.
    public init(json: JSONValue) throws(ShapeError) {
        let reader = try JSONReader(json, as: "Line.person")
        id = try reader.string("id")
        name = try reader.string("name")
        own = try reader.bool("own")
    }

    /// The value as it travels.
    public var json: JSONValue { ["id": .string(id), "name": .string(name), "own": .bool(own)] }
}
