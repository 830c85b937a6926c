import Vocabulary

/// A file or folder that was left out of a transfer while the rest went on.
public struct TransferProblem: ContractObject {
    /// Within what was offered.
    public var path = ""
    /// An error kind.
    public var reason = Reason.internal
    /// More words about the reason, for people.
    public var detail: String?

    public init(path: String, reason: Reason, detail: String? = nil) {
        self.path = path
        self.reason = reason
        self.detail = detail
    }

    public static let contractName = "TransferProblem"

    public init() {}

    public mutating func describe(_ fields: inout ObjectFields) throws(ShapeError) {
        try fields.field("path", &path, as: .words, "within what was offered")
        try fields.field("reason", &reason, "why")
        try fields.optional("detail", &detail, as: .words, "what more there is to say about the reason")
    }
}
