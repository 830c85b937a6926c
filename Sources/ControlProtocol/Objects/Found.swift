/// A message that matches a search.
public struct Found: ContractObject {
    /// A part of the snippet, in Unicode scalars.
    public struct Mark: Hashable, Sendable {
        public var start: Int64 = 0
        public var length: Int64 = 0

        public init(start: Int64, length: Int64) {
            self.start = start
            self.length = length
        }
    }

    public var message = Message()
    public var snippet = ""
    public var marks: [Mark] = []

    public init(message: Message, snippet: String, marks: [Mark]) {
        self.message = message
        self.snippet = snippet
        self.marks = marks
    }

    public static let contractName = "Found"

    public init() {}

    public mutating func describe(_ fields: inout ObjectFields) throws(ShapeError) {
        try fields.field("message", &message, "the message")
        try fields.field(
            "snippet", &snippet, as: .text(.characters(ProtocolLimits.snippetCharacters)),
            "the part of the text, or of the file names, that matches; on one line, with … where it is cut")
        try fields.lenient("marks", &marks, "where the matches are, in Unicode scalars of `snippet`")
    }
}

extension Found.Mark: ContractObject {
    public static let contractName = "Found.marks"

    public init() {}

    public mutating func describe(_ fields: inout ObjectFields) throws(ShapeError) {
        try fields.field("start", &start, "where it begins")
        try fields.field("length", &length, "how long it is")
    }
}
