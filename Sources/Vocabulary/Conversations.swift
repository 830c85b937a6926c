/// What a conversation is with.
public enum ConversationKind: String, StoredWord, WireWord {
    /// Between two people.
    case direct
    /// In a group, as the content of entries of its log.
    case group
    /// With oneself. The database has no such row: it is a direct conversation whose contact is this account.
    case notes

    public var stored: Int64 {
        switch self {
        case .direct: 0
        case .group: 1
        case .notes: 2
        }
    }

    public var wire: UInt64? {
        switch self {
        case .direct: 0
        case .group: 1
        case .notes: nil
        }
    }
}

/// What one of Kibo's own lines in a group reports. Each word explains the fields beside it.
public enum LineAction: String, StoredWord {
    /// `value` is the group's name.
    case created
    case added
    case removed
    /// `role` is what the subject is now.
    case roleChanged = "role_changed"
    case left
    /// `value` is the new name.
    case renamed
    /// `value` is the new description; there is none if the group has no description any more.
    case described
    /// `gone` says that the group has no avatar any more.
    case avatarChanged = "avatar_changed"
    /// `count` is how many of the last messages a new member sees.
    case historyChanged = "history_changed"
    /// The actor owns the group now, since no owner was left.
    case inherited
    /// The actor's device has said two different things under one number: its data was brought back from an older
    /// copy, or its user cheats.
    case forked

    public var stored: Int64 {
        switch self {
        case .created: 1
        case .added: 2
        case .removed: 3
        case .roleChanged: 4
        case .left: 5
        case .renamed: 6
        case .described: 7
        case .avatarChanged: 8
        case .historyChanged: 9
        case .inherited: 10
        case .forked: 11
        }
    }
}

/// What a message holds.
public enum MessageKind: String, StoredWord, WireWord {
    /// A text and no attachments.
    case text
    /// Attachments, and a text that may be empty.
    case file
    /// What stays of a call.
    case call
    /// A line that tells what happened; made here, never sent.
    case system

    /// Whether a message of this kind may have this text, when it is written and when it is edited.
    public func allows(_ text: String) -> Bool {
        switch self {
        case .text: !text.isEmpty
        case .call: text.isEmpty
        case .file, .system: true
        }
    }

    public var stored: Int64 {
        switch self {
        case .text: 0
        case .file: 1
        case .call: 2
        case .system: 3
        }
    }

    public var wire: UInt64? {
        switch self {
        case .text: 0
        case .file: 1
        case .call: 2
        case .system: nil
        }
    }
}

/// How far a message has come. The stored numbers of the first four grow on the way, and a state never goes back.
public enum MessageState: String, StoredWord {
    case queued
    case sent
    case delivered
    case read
    case failed
    /// The message came in.
    case received

    public var stored: Int64 {
        switch self {
        case .queued: 0
        case .sent: 1
        case .delivered: 2
        case .read: 3
        case .failed: 4
        case .received: 5
        }
    }
}

/// In which order the messages of a conversation stand: the setting `messages.order`.
public enum MessageOrder: String, CaseIterable, Hashable, Sendable {
    /// By the senders' hybrid clocks.
    case sent
    /// As they were stored here.
    case arrival
}

/// What a member of a group may do: each role may do what the lesser ones may.
public enum GroupRole: String, StoredWord, WireWord, Comparable {
    /// Everything.
    case owner
    /// Members, names and avatars; speak and leave.
    case admin
    /// Speak and leave.
    case member

    public var stored: Int64 {
        switch self {
        case .member: 0
        case .admin: 1
        case .owner: 2
        }
    }

    public var wire: UInt64? {
        switch self {
        case .member: 0
        case .admin: 1
        case .owner: 2
        }
    }

    public static func < (left: GroupRole, right: GroupRole) -> Bool { left.stored < right.stored }
}

/// How this account stands to a group.
public enum GroupStanding: String, StoredWord {
    /// Another account has added us, and not all of the group is here yet.
    case arriving
    case member
    /// We have left it.
    case left
    /// Another account has removed us.
    case removed

    public var stored: Int64 {
        switch self {
        case .arriving: 0
        case .member: 1
        case .left: 2
        case .removed: 3
        }
    }
}

/// The state of a group log entry here. Only the database stores it.
public enum LogState: StoredWord {
    /// Kept, and not shown yet: something that comes before it isn't here.
    case held
    /// Shown, filed and handed on.
    case delivered

    public var stored: Int64 {
        switch self {
        case .held: 0
        case .delivered: 1
        }
    }
}

/// What happened to an object that an event is about.
public enum ChangeKind: String, StoredWord {
    case insert, update, delete

    public var stored: Int64 {
        switch self {
        case .insert: 0
        case .update: 1
        case .delete: 2
        }
    }
}
