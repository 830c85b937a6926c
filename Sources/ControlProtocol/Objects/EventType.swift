/// Every kind of event that this version sends.
public enum EventType: String, Hashable, Sendable, CaseIterable {
    case accountChanged = "account.changed"
    case contactChanged = "contact.changed"
    case conversationChanged = "conversation.changed"
    case messageAdded = "message.added"
    case messageChanged = "message.changed"
    case messageRemoved = "message.removed"
    case groupChanged = "group.changed"
    case transferChanged = "transfer.changed"
    case settingsChanged = "settings.changed"
    case peerAppeared = "peer.appeared"
    case peerVanished = "peer.vanished"
    case presenceChanged = "presence.changed"
    case typingChanged = "typing.changed"
    case transferProgress = "transfer.progress"
    case addressBookChanged = "addressBook.changed"
    case addressBookMatched = "addressBook.matched"
    case totalsChanged = "totals.changed"
    case callChanged = "call.changed"
    case diskChanged = "disk.changed"
    case courierChanged = "courier.changed"
    case guestChanged = "guest.changed"
    case guestProgress = "guest.progress"
    case gap

    /// Whether it is numbered, kept and replayed.
    public var isDurable: Bool {
        switch self {
        case .accountChanged, .contactChanged, .conversationChanged, .messageAdded, .messageChanged, .messageRemoved,
            .groupChanged, .transferChanged, .settingsChanged:
            true
        case .peerAppeared, .peerVanished, .presenceChanged, .typingChanged, .transferProgress, .addressBookChanged,
            .addressBookMatched, .totalsChanged, .callChanged, .diskChanged, .courierChanged, .guestChanged,
            .guestProgress, .gap:
            false
        }
    }

    /// Whether a client may subscribe to it while the account is locked and the history can't be read: such an event
    /// says nothing about what was written.
    public var isSentWhileLocked: Bool { self == .accountChanged || self == .settingsChanged }

    /// The fields that are left of an object that was deleted; nil for events whose data is always the whole object.
    public var deletion: [FieldSpec]? {
        switch self {
        case .contactChanged: [.required("id", .account, "who it was")]
        case .conversationChanged, .groupChanged: [.required("id", .uuid, "which it was")]
        case .messageRemoved:
            [
                .required("id", .uuid, "which it was"),
                .required("conversation", .nullable(.uuid), "where it was"),
            ]
        case .accountChanged, .messageAdded, .messageChanged, .transferChanged, .settingsChanged, .peerAppeared,
            .peerVanished, .presenceChanged, .typingChanged, .transferProgress, .addressBookChanged,
            .addressBookMatched, .totalsChanged, .callChanged, .diskChanged, .courierChanged, .guestChanged,
            .guestProgress, .gap:
            nil
        }
    }

    /// The object that its data is.
    public var object: String {
        switch self {
        case .accountChanged: "Account"
        case .contactChanged, .presenceChanged: "Contact"
        case .conversationChanged: "Conversation"
        case .messageAdded, .messageChanged, .messageRemoved: "Message"
        case .groupChanged: "Group"
        case .transferChanged, .transferProgress: "Transfer"
        case .peerAppeared, .peerVanished: "Peer"
        case .settingsChanged: "Setting"
        case .typingChanged: "Typing"
        case .addressBookChanged: "AddressBookChange"
        case .addressBookMatched: "AddressBookEntry"
        case .totalsChanged: "Totals"
        case .callChanged: "Call"
        case .diskChanged: "Disk"
        case .courierChanged: "CourierChange"
        case .guestChanged: "GuestChange"
        case .guestProgress: "GuestProgress"
        case .gap: "Gap"
        }
    }
}
