import Basics
import Vocabulary

/// Why a transfer stopped. Every case has a stable kind of the control API and tells whether trying again can help.
public enum TransferFailure: Error, Hashable, Sendable, CustomStringConvertible {
    /// The connection broke, stalled or was closed. Received data stays; the transfer may be tried again.
    case interrupted(String)
    /// The source has changed since the offer (relative path; empty for the offered file or folder itself).
    case sourceChanged(String)
    /// The source does not exist any more.
    case sourceGone
    /// The destination has too little room above the free-space reserve. The transfer goes on when there is more.
    case noSpace
    /// The other side gave up or refused, with its reason.
    case peer(Reason, detail: String)
    /// The other side broke the protocol.
    case invalid(String)
    /// The other side can't do what the transfer needs.
    case unsupported(String)
    /// The transfer was cancelled on this side.
    case cancelled
    /// This side's settings refuse a file, for example because of its type. The path is empty for the offered file or
    /// folder itself.
    case refused(Reason, path: String)
    /// A file operation failed on this side.
    case io(FileError)
    /// The journal could not store what happened.
    case journal(String)

    /// The reason that the other side is told.
    public var reason: Reason {
        switch self {
        case .interrupted: .offline
        case .sourceChanged: .sourceChanged
        case .sourceGone: .notFound
        case .noSpace: .noSpace
        case .peer(let reason, _): reason
        case .invalid: .invalid
        case .unsupported: .unsupported
        case .cancelled: .cancelled
        case .refused(let reason, _): reason
        case .io(let error): error.reason
        case .journal: .internal
        }
    }

    /// Whether the same transfer may succeed later without the user doing anything.
    public var isRetryable: Bool {
        switch self {
        case .interrupted: true
        case .peer(let reason, _): reason == .offline || reason == .busy
        default: false
        }
    }

    /// The text for the user: one sentence without a full stop. A peer's words are escaped.
    public var detail: String {
        switch self {
        case .interrupted(let what): what
        case .sourceChanged(let path):
            "it has changed since it was offered" + (path.isEmpty ? "" : ": \(ForeignText.escaped(path))")
        case .sourceGone: "it is not where it was offered from any more"
        case .noSpace: "not enough free space at the destination"
        case .peer(let reason, let detail):
            // A changed or vanished source needs no further words.
            detail.isEmpty || reason == .sourceChanged ? reason.words : Self.speaker + ForeignText.escaped(detail)
        case .invalid(let what): "the other side broke the protocol: \(what)"
        case .unsupported(let what): what
        case .cancelled: "cancelled"
        case .refused(let reason, let path):
            (reason == .typeNotAllowed ? "files of this type are not taken here" : "not taken here: \(reason.words)")
                + (path.isEmpty ? "" : ": \(ForeignText.escaped(path))")
        case .io(let error): error.description
        case .journal(let what): "the journal: \(what)"
        }
    }

    /// ``detail`` in the form that goes to the other side. It doesn't name the speaker: the other side adds that.
    public var told: String {
        switch self {
        case .peer(_, let detail): Self.told(detail)
        case .invalid(let what): "the protocol was broken: \(what)"
        default: detail
        }
    }

    /// Removes the words that name the speaker from a stored ``detail``, so that it can go to the other side.
    public static func told(_ detail: String) -> String {
        var words = detail[...]
        while words.hasPrefix(speaker) { words = words.dropFirst(speaker.count) }
        return String(words)
    }

    private static let speaker = "the other side: "

    public var description: String { detail }
}

extension Reason {
    /// The text for the user about the transferred file when nothing but the reason is known.
    var words: String {
        switch self {
        case .notFound: "it is not there any more"
        case .invalid: "the two sides don't understand each other"
        case .sourceChanged: "it has changed since it was offered"
        case .noSpace: "there is no room for it"
        case .notAllowed: "the system doesn't allow it"
        case .tooLarge: "it is too large"
        case .busy: "the other side has too much to do"
        case .cancelled: "it was cancelled"
        case .unsupported: "the other side can't do this"
        case .offline: "the connection broke"
        case .typeNotAllowed: "files of this type are not taken there"
        default: "something went wrong at the other side"
        }
    }
}
