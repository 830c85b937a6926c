/// Whether a person is typing in a conversation just now.
public struct Typing: Hashable, Sendable {
    /// The conversation in which they type.
    public var conversation: String
    /// The account that types, `kibo1…`.
    public var account: String
    /// Whether they are, or have ceased to.
    public var typing: Bool

    /// Put together from its fields.
    public init(conversation: String, account: String, typing: Bool) {
        self.conversation = conversation
        self.account = account
        self.typing = typing
    }

    /// Reads the object as it travels; unknown fields are ignored.
    ///
    /// - Throws: ``ShapeError`` naming the field that is missing or of the wrong type.
    public init(json: JSONValue) throws(ShapeError) {
        let reader = try JSONReader(json, as: "Typing")
        conversation = try reader.string("conversation")
        account = try reader.string("account")
        typing = try reader.bool("typing")
    }

    /// The value as it travels.
    public var json: JSONValue {
        ["conversation": .string(conversation), "account": .string(account), "typing": .bool(typing)]
    }
}
