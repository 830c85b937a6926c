/// Why the daemon did not do what it was asked. Stable: clients decide by these, the texts are for people.
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

    /// Whether the same request may succeed later without anybody changing it.
    public var isRetryable: Bool {
        switch self {
        case .offline, .noSpace, .busy, .locked: true
        default: false
        }
    }
}

/// A refusal with everything a person or a program needs to go on: what happened, and what can be done about it.
public struct ControlError: Error, Hashable, Sendable {
    /// What sort of refusal; programs decide by it.
    public let kind: ErrorKind
    /// What happened, one sentence, for people.
    public let message: String
    /// What to do about it, one sentence; empty if there is nothing to do.
    public let hint: String
    /// Whether the same request may succeed later.
    public let retryable: Bool
    /// The parameter at fault, if it is one.
    public let field: String?
    /// Who may be meant by a name that was given.
    public let candidates: [Named]

    /// - Parameter retryable: nil for what is usual for this kind.
    public init(
        _ kind: ErrorKind, _ message: String, hint: String = "", retryable: Bool? = nil, field: String? = nil,
        candidates: [Named] = []
    ) {
        self.kind = kind
        self.message = message
        self.hint = hint
        self.retryable = retryable ?? kind.isRetryable
        self.field = field
        self.candidates = candidates
    }
}
