import Vocabulary

/// What clients are told about a reason.
extension Reason {
    /// Whether the same request may succeed later without anybody changing it.
    public var isRetryable: Bool {
        switch self {
        case .offline, .noSpace, .busy, .locked: true
        default: false
        }
    }
}

/// A refusal with everything that a client needs to go on: what happened, what it is about, and what can be done.
public struct ControlError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The sort of refusal, by which programs decide.
    public let kind: Reason
    /// One plain English sentence about what happened, for programs and logs. It names no command.
    public let message: String
    /// The remedy; nil if there is none.
    public let hint: HintCode?
    /// The things that it is about, by name: a `name`, a `group`, an `id` and the like, as they are.
    public let parameters: JSONObject
    /// Whether the same request may succeed later.
    public let retryable: Bool
    /// The parameter at fault, if it is one.
    public var field: String?
    /// The people or groups that a given name may mean.
    public let candidates: [Named]

    /// - Parameter retryable: nil for the usual value of this kind.
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

    /// Only `account.create` makes sense while there is no account.
    public static let noAccount = ControlError(.noAccount, "there is no account yet", hint: .makeAccount)

    public var description: String { message }
}
