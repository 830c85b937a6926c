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
    case gap

    /// Whether it is numbered, kept and replayed.
    public var isDurable: Bool {
        switch self {
        case .accountChanged, .contactChanged, .conversationChanged, .messageAdded, .messageChanged, .messageRemoved,
            .groupChanged, .transferChanged, .settingsChanged:
            true
        case .peerAppeared, .peerVanished, .presenceChanged, .typingChanged, .transferProgress, .addressBookChanged,
            .addressBookMatched, .totalsChanged, .callChanged, .diskChanged, .gap:
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
            .addressBookMatched, .totalsChanged, .callChanged, .diskChanged, .gap:
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
        case .gap: "Gap"
        }
    }
}

extension Catalogue {
    static let eventMethods: [MethodSpec] = [
        MethodSpec(
            "events.subscribe", "Sends events on this connection from now on, and first what was missed.",
            [
                .optional(
                    "consumer", .label(minimum: 1, maximum: ProtocolLimits.consumerCharacters),
                    "a name whose cursor is remembered, see events.ack"),
                .optional("since", .integer(0 ... .max), "replay what has a greater number; 0: all that is kept"),
                .optional(
                    "epoch", .label(minimum: 1, maximum: ProtocolLimits.epochCharacters),
                    "of which log that number is: what the subscription said in which it was learnt"),
                .optional(
                    "types",
                    .list(.choice(of: EventType.self), minimum: 1, maximum: EventType.allCases.count), "only these"),
                .optional("ephemeral", .boolean, "also those that are not kept", standard: true),
                .optional(
                    "notifies", .boolean,
                    "this client tells its user of what comes: other notifications of this account rest meanwhile. Calls ring "
                        + "only while a client has this, ephemeral and call.changed; one of role web needs no notifies",
                    standard: false),
            ],
            whileLocked: .answered,
            result: .fields([
                .required("subscription", .integer(1 ... .max), "what its events carry"),
                .required("next", .integer(0 ... .max), "the number that the next new event gets"),
                .required("oldest", .integer(0 ... .max), "the number of the oldest event kept"),
                .required(
                    "epoch", .label(minimum: 1, maximum: ProtocolLimits.epochCharacters),
                    "this run of the daemon, to be kept with the numbers of its events"),
            ]),
            errors: [.busy]),
        MethodSpec(
            "events.ack", "Remembers that a consumer has dealt with everything up to a number.",
            [
                .required("consumer", .label(minimum: 1, maximum: ProtocolLimits.consumerCharacters), "whose cursor"),
                .required("seq", .integer(0 ... .max), "the last one it has dealt with"),
                .optional(
                    "epoch", .label(minimum: 1, maximum: ProtocolLimits.epochCharacters),
                    "of which log that number is; another one than this is not_found"),
            ],
            whileLocked: .answered, result: .fields([]), errors: [.notFound, .invalid]),
        MethodSpec(
            "events.unsubscribe", "Ends a subscription of this connection.",
            [.required("subscription", .integer(1 ... .max), "which")],
            whileLocked: .answered, result: .fields([]), errors: [.notFound]),
    ]
}
