/// Why a device could not be reached at an address.
public enum DialProblem: CodeRow, CaseIterable, Hashable, Sendable {
    case unreachable = "unreachable: no host answers there, or the network refuses the way (`detail`)"
    case noAnswer = "no_answer: the handshake was not finished in time"
    case notKibo = "not_kibo: what answers there is not Kibo"
    case otherVersion = "other_version: it speaks version `detail` of the protocol, which this Kibo doesn't know"
    case otherRealm = "other_realm: it belongs to another realm"
    case ourselves = "ourselves: that is this daemon itself"
    case copy = "copy: another Kibo answers there with a copy of this device's data"
    case otherPeer = "other_peer: another account or device answers there"
    case wrongClock = "wrong_clock: the clocks of the two hosts are too far apart: its clock is `detail`"
    case noKey = "no_key: it has no key for this door"
    case handshake = "handshake: the handshake failed or the connection was tampered with (`detail`)"
    case interrupted = "interrupted: the connection broke (`detail`)"
    case hungUp =
        "hung_up: it hung up in the handshake; perhaps it answers its contacts only, or belongs to another realm"
    case notWanted = "not_wanted: an account answers there that is blocked here, or that is no friend"
    case noRoom = "no_room: too many sessions are open here"
    case ended = "ended: the session ended at once"
    case closed = "closed: this side closed the connection"

    /// The meaning in English.
    /// - Parameter detail: what the code leaves open: the system's words, a version, or the check that failed.
    public func words(_ detail: String?) -> String { rawValue.doc.replacing("`detail`", with: detail ?? "?") }
}

/// Why a file or folder is left out of a transfer while the rest goes on. The meaning of a code is what peers say and databases hold, so
/// it stays as it is.
public enum LeftOutCause: CodeRow, CaseIterable, Hashable, Sendable {
    case symbolicLink = "symbolic_link: symbolic links are not sent"
    case special = "special: neither a file nor a folder"
    case name = "name: a name that would not be taken everywhere"
    case clash = "clash: its name differs only in case or form from another one there"
    case tooDeep = "too_deep: too deep in folders, or too long a path"
    case unreadable = "unreadable: it can't be read"
    case type = "type: files of this type are not sent"
    case changed = "changed: it changed since it was offered"
    case gone = "gone: it is not there any more"

    /// Nil for the words of another program or version.
    public init?(words: String) {
        guard let cause = Self.allCases.first(where: { $0.words == words }) else { return nil }
        self = cause
    }

    public var words: String { rawValue.doc }

    /// The reason that goes with it.
    public var reason: Reason {
        switch self {
        case .symbolicLink, .special, .name, .clash: .invalid
        case .tooDeep: .tooLarge
        case .unreadable: .notAllowed
        case .type: .typeNotAllowed
        case .changed: .sourceChanged
        case .gone: .notFound
        }
    }
}

/// What is wrong in a file of an address book.
public enum CardProblem: CodeRow, CaseIterable, Hashable, Sendable {
    case noEnd = "no_end: this card has no end; it was taken as it is"
    case cut = "cut: the file ends in the middle of this card"
    case longLine = "long_line: a line is too long and was left out"
    case manyLines = "many_lines: too many lines in one card; the others are left out"
    case base64 = "base64: `detail` is in base 64, which is not read"
    case encoding =
        "encoding: letters are not in the encoding that they are said to be in, and were guessed"
    case longUID = "long_uid: UID is too long; the card is told by its name and numbers"
    case longPhone = "long_phone: a telephone number is longer than any"
    case manyPhones = "many_phones: too many telephone numbers"
    case notEmail = "not_email: not an e-mail address: `detail`"
    case manyEmails = "many_emails: too many e-mail addresses"
    case noWay = "no_way: neither telephone nor e-mail"

    /// The meaning in English.
    /// - Parameter detail: fills in what the code leaves open: the name of the field, or its content.
    public func words(_ detail: String?) -> String { rawValue.doc.replacing("`detail`", with: detail ?? "?") }
}
