/// How we stand to somebody.
public enum Relation: String, Hashable, Sendable, CaseIterable { case none, requested, incoming, friend, blocked }

/// How sure we are that a contact is who it says it is.
public enum Trust: String, Hashable, Sendable, CaseIterable { case unverified, verified, changed }

/// Whether a contact's files are taken without asking, other than the settings say.
public enum AutoDownload: String, Hashable, Sendable, CaseIterable {
    /// As the settings say.
    case `default`
    case never
    /// Whatever the kind and up to `files.maxReceiveBytes`.
    case always
}

/// Whether somebody can be reached.
public enum Presence: String, Hashable, Sendable, CaseIterable { case online, away, offline }

/// What a conversation is with.
public enum ConversationKind: String, Hashable, Sendable, CaseIterable { case direct, group }

/// What a member of a group may do: everything; members, names and pictures; speak and leave.
public enum GroupRole: String, Hashable, Sendable, CaseIterable { case owner, admin, member }

/// How this account stands to a group.
public enum GroupState: String, Hashable, Sendable, CaseIterable {
    /// Not all of it is here yet.
    case arriving
    case member
    case left
    /// Somebody has removed this account.
    case removed
}

/// What a message holds.
public enum MessageKind: String, Hashable, Sendable, CaseIterable { case text, file, call, system }

/// How far a message has come. `received` is for incoming ones.
public enum MessageState: String, Hashable, Sendable, CaseIterable {
    case queued, sent, delivered, read, failed, received
}

/// What an attachment is, for showing it.
public enum AttachmentKind: String, Hashable, Sendable, CaseIterable {
    case document, image, audio, video, other, folder
}

/// Which way a transfer goes, seen from this account.
public enum TransferDirection: String, Hashable, Sendable, CaseIterable {
    case incoming = "in"
    case outgoing = "out"
}

/// Who has paused a transfer.
public enum TransferPause: String, Hashable, Sendable, CaseIterable { case us, peer, both }

/// How far a transfer has come.
public enum TransferState: String, Hashable, Sendable, CaseIterable {
    case offered, queued, active, paused, done, declined, cancelled, failed

    /// Whether nothing more happens by itself. (A failed one can be resumed by hand.)
    public var isFinal: Bool {
        switch self {
        case .done, .declined, .cancelled, .failed: true
        case .offered, .queued, .active, .paused: false
        }
    }
}
