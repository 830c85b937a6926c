import Vocabulary

/// A file or folder that was left out of a transfer while the rest went on.
public struct TransferProblem: ContractObject {
    public var path = ""
    public var reason = Reason.internal
    public var cause: LeftOutCause?
    public var detail: String?

    public init(path: String, reason: Reason, cause: LeftOutCause? = nil, detail: String? = nil) {
        self.path = path
        self.reason = reason
        self.cause = cause
        self.detail = detail
    }

    public static let contractName = "TransferProblem"

    public init() {}

    public mutating func describe(_ fields: inout ObjectFields) throws(ShapeError) {
        try fields.field("path", &path, as: .words, "its path within what was offered")
        try fields.field("reason", &reason, "why it was left out")
        try fields.optional("cause", &cause, "a code for the reason, if it has one; `detail` is then missing")
        try fields.optional("detail", &detail, as: .words, "details of the reason")
    }
}
