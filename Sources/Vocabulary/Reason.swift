/// Why something was refused or has failed: between peers, in the database, and in the contract, where clients decide by it. The
/// raw value is what peers say.
public enum Reason: String, CaseIterable, Hashable, Sendable {
    case notFound = "not_found"
    /// A name may mean several accounts or groups; `data.candidates` lists them.
    case ambiguous
    case alreadyExists = "already_exists"
    /// It breaks the rules, or makes no sense now.
    case invalid
    case noAccount = "no_account"
    case locked
    case wrongPassphrase = "wrong_passphrase"
    /// It is for friends only.
    case notFriends = "not_friends"
    case blocked
    case keyChanged = "key_changed"
    case offline
    case tooLarge = "too_large"
    /// The settings don't allow this type of file, judged by its name or content, to be taken (or given).
    case typeNotAllowed = "type_not_allowed"
    case noSpace = "no_space"
    case notAllowed = "not_allowed"
    case busy
    case cancelled
    /// The other side knows no such thing.
    case unsupported
    case `internal`
    /// The source of a transfer is not what was offered any more.
    case sourceChanged = "source_changed"

    /// A reason of a later version, which this one doesn't know, reads as ``internal``.
    public init(code: String) { self = Reason(rawValue: code) ?? .internal }

    /// Its name in the contract, under which the database keeps it, too. The contract knows no changed source: to clients it
    /// is an invalid one, and the detail says which.
    public var contract: String { self == .sourceChanged ? Reason.invalid.rawValue : rawValue }

    /// The reasons that clients are told.
    public static let ofContract = allCases.filter { $0.contract == $0.rawValue }
}
