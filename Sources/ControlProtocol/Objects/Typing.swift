/// Whether a person is typing in a conversation just now.
public struct Typing: ContractObject {
    public var conversation = ""
    public var account = ""
    public var typing = false

    public init(conversation: String, account: String, typing: Bool) {
        self.conversation = conversation
        self.account = account
        self.typing = typing
    }

    public static let contractName = "Typing"

    public init() {}

    public mutating func describe(_ fields: inout ObjectFields) throws(ShapeError) {
        try fields.field("conversation", &conversation, as: .uuid, "the conversation")
        try fields.field("account", &account, as: .account, "the friend")
        try fields.lenient("typing", &typing, "true: they are typing; false: they have stopped")
    }
}
