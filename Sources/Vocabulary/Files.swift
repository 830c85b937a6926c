/// How to show an attachment, as far as its sender can tell.
public enum AttachmentKind: String, StoredWord, WireWord {
    case document, image, audio, video
    /// Also what an unknown number of a later version reads as.
    case other
    case folder

    public var stored: Int64 {
        switch self {
        case .other: 0
        case .document: 1
        case .image: 2
        case .audio: 3
        case .video: 4
        case .folder: 5
        }
    }

    public var wire: UInt64? {
        switch self {
        case .other: 0
        case .document: 1
        case .image: 2
        case .audio: 3
        case .video: 4
        case .folder: 5
        }
    }
}

/// Which way a transfer goes, seen from this account.
public enum TransferDirection: String, StoredWord {
    case incoming = "in"
    case outgoing = "out"

    public var stored: Int64 {
        switch self {
        case .incoming: 0
        case .outgoing: 1
        }
    }
}

/// How far a transfer has come. From `done` on nothing more happens by itself; a failed one can be resumed by hand.
public enum TransferState: String, StoredWord {
    case offered, queued, active, paused, done, declined, cancelled, failed

    public var stored: Int64 {
        switch self {
        case .offered: 0
        case .queued: 1
        case .active: 2
        case .paused: 3
        case .done: 4
        case .declined: 5
        case .cancelled: 6
        case .failed: 7
        }
    }

    public var isOver: Bool { stored >= TransferState.done.stored }
}

/// Why an offer is held back: it is never taken automatically, but only if the receiver's user confirms it.
public enum HoldReason: String, StoredWord {
    /// It has files of types that the receiver's `files.allowedTypes` doesn't have.
    case type

    public var stored: Int64 {
        switch self {
        case .type: 1
        }
    }
}

/// The type of a file as an offer names it: its name's extension.
public enum FileType {
    /// The extension in lower case; empty for a name without one, or with one that is no usual word (1 to
    /// ``SharedLimits/fileTypeBytes`` of the letters a to z, digits, `_`, `+` and `-`).
    public static func offered(_ name: String) -> String {
        guard let dot = name.lastIndex(of: "."), dot != name.startIndex else { return "" }
        let type = name[name.index(after: dot)...].lowercased()
        return isUsual(type) ? type : ""
    }

    /// Types that ``words(_:)`` names; the others are counted.
    private static let named = 8

    /// Some types in words: `type zip`, `types exe, zip`, `no type`.
    public static func words(_ types: [String]) -> String {
        let given = types.filter { !$0.isEmpty }
        guard !given.isEmpty else { return "no type" }
        let list = given.prefix(named).joined(separator: ", ")
        let more = given.count > named ? " and \(given.count - named) more" : ""
        return "\(given.count == 1 ? "type" : "types") \(list)\(more)\(types.contains("") ? ", and no type" : "")"
    }

    /// Whether a text is a usual extension.
    public static func isUsual(_ type: String) -> Bool {
        1...SharedLimits.fileTypeBytes ~= type.utf8.count
            && type.utf8.allSatisfy {
                UInt8(ascii: "a")...UInt8(ascii: "z") ~= $0 || UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0
                    || "_+-".utf8.contains($0)
            }
    }
}

/// A side of a transfer between two.
public enum TransferSide: String, CaseIterable, Hashable, Sendable {
    case us, peer

    /// The side that has cancelled a transfer; nil where the reason says why it ended.
    public static func canceller(_ state: TransferState, reason: Reason?, detail: String?) -> TransferSide? {
        guard state == .cancelled, reason == nil else { return nil }
        return detail == nil ? .us : detail == cancelledByPeer ? .peer : nil
    }

    /// What databases hold as the detail of a transfer that the peer has cancelled.
    public static let cancelledByPeer = "by the other side"
}

/// Which side has paused a transfer: the stored number is a set of bits, and 0 is stored where no side has.
public enum TransferPause: String, StoredWord {
    case us, peer, both

    public var stored: Int64 {
        switch self {
        case .us: 1
        case .peer: 2
        case .both: 3
        }
    }
}

/// What messages of a conversation are looked for by what they have.
public enum MediaSort: String, CaseIterable, Sendable {
    /// Pictures and videos.
    case picture
    /// Documents, folders and all other files.
    case file
    /// Links in texts.
    case link
    /// Voice notes and other sound.
    case sound
    /// A pin: somebody has reacted with it.
    case pin

    /// The kinds of files of a sort; nil for links and pins, which are no files.
    public var kinds: [AttachmentKind]? {
        switch self {
        case .picture: [.image, .video]
        case .file: [.document, .folder, .other]
        case .sound: [.audio]
        case .link, .pin: nil
        }
    }
}
