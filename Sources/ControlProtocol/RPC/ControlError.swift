/// Why the daemon did not do what it was asked. Stable: clients decide by these.
public enum ErrorKind: String, Hashable, Sendable, CaseIterable {
    case notFound = "not_found"
    /// A name may mean several; `data.candidates` lists them.
    case ambiguous
    case alreadyExists = "already_exists"
    case invalid
    case noAccount = "no_account"
    case locked
    case wrongPassphrase = "wrong_passphrase"
    case notFriends = "not_friends"
    case blocked
    case keyChanged = "key_changed"
    case offline
    case tooLarge = "too_large"
    case typeNotAllowed = "type_not_allowed"
    case noSpace = "no_space"
    case notAllowed = "not_allowed"
    case busy
    case cancelled
    case unsupported
    case `internal`

    /// Whether the same request may succeed later without a change to it.
    public var isRetryable: Bool {
        switch self {
        case .offline, .noSpace, .busy, .locked: true
        default: false
        }
    }
}

/// A refusal with everything a client needs to go on: what happened, to what, and what can be done about it.
public struct ControlError: Error, Hashable, Sendable {
    /// The sort of refusal, by which programs decide.
    public let kind: ErrorKind
    /// One plain English sentence about what happened, for programs and logs. It names no command.
    public let message: String
    /// The remedy; nil if there is none.
    public let hint: HintCode?
    /// The things that it is about, by name: a `name`, a `group`, an `id` and the like, as they are.
    public let parameters: JSONObject
    /// Whether the same request may succeed later.
    public let retryable: Bool
    /// The parameter at fault, if it is one.
    public let field: String?
    /// The people or groups that a given name may mean.
    public let candidates: [Named]

    /// - Parameter retryable: nil for what is usual for this kind.
    public init(
        _ kind: ErrorKind, _ message: String, hint: HintCode? = nil, parameters: JSONObject = [:],
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
