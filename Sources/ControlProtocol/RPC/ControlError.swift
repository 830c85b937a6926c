import Vocabulary

/// What clients are told of a reason.
extension Reason {
    /// Whether the same request may succeed later without anybody changing it.
    public var isRetryable: Bool {
        switch self {
        case .offline, .noSpace, .busy, .locked: true
        default: false
        }
    }
}

/// A refusal with everything a client needs to go on: what happened, to what, and what can be done about it.
public struct ControlError: Error, Hashable, Sendable {
    /// What sort of refusal; programs decide by it.
    public let kind: Reason
    /// What happened, as one plain English sentence that names no command: for programs and logs.
    public let message: String
    /// What can be done about it; nil if there is nothing to do.
    public let hint: HintCode?
    /// What it is about, by name: a `name`, a `group`, an `id` and the like, as they are.
    public let parameters: JSONObject
    /// Whether the same request may succeed later.
    public let retryable: Bool
    /// The parameter at fault, if it is one.
    public let field: String?
    /// Who may be meant by a name that was given.
    public let candidates: [Named]

    /// - Parameter retryable: nil for what is usual for this kind.
    public init(
        _ kind: Reason, _ message: String, hint: HintCode? = nil, parameters: JSONObject = [:],
        retryable: Bool? = nil, field: String? = nil, candidates: [Named] = []
    ) {
        self.kind = kind
        self.message = message
        self.hint = hint
        self.parameters = parameters
        self.retryable = retryable ?? kind.isRetryable
        self.field = field
        self.candidates = candidates
    }

    /// Nothing but `account.create` makes sense yet.
    public static let noAccount = ControlError(.noAccount, "there is no account yet", hint: .makeAccount)
}
