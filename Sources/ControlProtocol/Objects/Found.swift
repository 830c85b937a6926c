/// A message that matches a search.
public struct Found: Hashable, Sendable {
    /// A part of the snippet, in Unicode scalars.
    public struct Mark: Hashable, Sendable {
        /// Scalars before it.
        public var start: Int64
        /// Scalars in it.
        public var length: Int64

        /// A mark of these fields.
        public init(start: Int64, length: Int64) {
            self.start = start
            self.length = length
        }
    }

    /// The message.
    public var message: Message
    /// The part of the text that matches, on one line.
    public var snippet: String
    /// The parts of the snippet that match.
    public var marks: [Mark]

    /// A find of these fields.
    public init(message: Message, snippet: String, marks: [Mark]) {
        self.message = message
        self.snippet = snippet
        self.marks = marks
    }

    /// Reads the object as it travels; unknown fields are ignored.
    ///
    /// - Throws: ``ShapeError`` naming the field that is missing or of the wrong type.
    public init(json: JSONValue) throws(ShapeError) {
        let reader = try JSONReader(json, as: "Found")
        guard let message = reader.value("message") else { throw reader.error("message", "an object") }
        self.message = try Message(json: message)
        snippet = try reader.string("snippet")
        marks = try reader.list("marks", Mark.init(json:))
    }

    /// The value as it travels.
    public var json: JSONValue {
        ["message": message.json, "snippet": .string(snippet), "marks": .array(marks.map(\.json))]
    }
}

extension Found.Mark {
    /// Reads the object as it travels; unknown fields are ignored.
    ///
    /// - Throws: ``ShapeError`` naming the field that is missing or of the wrong type.
    public init(json: JSONValue) throws(ShapeError) {
        let reader = try JSONReader(json, as: "Found.marks")
        start = try reader.integer("start")
        length = try reader.integer("length")
    }

    /// The value as it travels.
    public var json: JSONValue { ["start": .integer(start), "length": .integer(length)] }
}
