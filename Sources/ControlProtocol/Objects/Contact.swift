import Vocabulary

/// A person that we know, or that wants to know us.
public struct Contact: ContractObject {
    /// `kibo1…`.
    public var id = ""
    /// The name they give themselves.
    public var displayName = ""
    /// Our name for them; empty if we have none of our own.
    public var alias = ""
    /// A line about themselves; empty for none.
    public var statusText = ""
    /// E-mail address; nil if none is shown.
    public var email: String?
    /// In E.164; nil if none is shown.
    public var phone: String?
    /// How we stand to them.
    public var relation = Relation.none
    /// How sure we are that it is them.
    public var trust = Trust.unverified
    /// Whether they can be reached.
    public var presence = Presence.offline
    /// Milliseconds since 1970 UTC; nil if never.
    public var lastSeen: Int64?
    /// The conversation with them; nil before there is one.
    public var conversation: String?
    /// The words that they (or we) wrote with the request; empty if none.
    public var note = ""
    /// Whether their files are taken without asking.
    public var autoDownload = AutoDownload.default
    /// Where their avatar lies on this host; nil if there is none, or it has not come yet.
    public var avatar: String?
    /// Which picture that is; nil if there is none.
    public var picture: String?
    /// The entry of the address book whose number or address they show; nil if there is none.
    public var entry: AddressBookEntry.Reference?
    /// Why our last request came to nothing: an error kind; nil if it didn't.
    public var reason: Reason?
    /// More words about the reason.
    public var detail: String?
    /// While ``trust`` is `changed`: the account that came under this contact's name.
    public var changedTo: String?

    public init(
        id: String, displayName: String, alias: String = "", statusText: String = "", email: String? = nil,
        phone: String? = nil, relation: Relation, trust: Trust = .unverified, presence: Presence = .offline,
        lastSeen: Int64? = nil, conversation: String? = nil, note: String = "",
        autoDownload: AutoDownload = .default, avatar: String? = nil, picture: String? = nil,
        entry: AddressBookEntry.Reference? = nil,
        reason: Reason? = nil, detail: String? = nil, changedTo: String? = nil
    ) {
        self.id = id
        self.displayName = displayName
        self.alias = alias
        self.statusText = statusText
        self.email = email
        self.phone = phone
        self.relation = relation
        self.trust = trust
        self.presence = presence
        self.lastSeen = lastSeen
        self.conversation = conversation
        self.note = note
        self.autoDownload = autoDownload
        self.avatar = avatar
        self.picture = picture
        self.entry = entry
        self.reason = reason
        self.detail = detail
        self.changedTo = changedTo
    }

    public static let contractName = "Contact"

    public init() {}

    public mutating func describe(_ fields: inout ObjectFields) throws(ShapeError) {
        try fields.field("id", &id, as: .account, "who")
        try fields.field("displayName", &displayName, as: .name, "what they call themselves")
        try fields.lenient("alias", &alias, as: .name, "what we call them, or empty")
        try fields.lenient(
            "statusText", &statusText, as: .label(minimum: 0, maximum: SharedLimits.statusTextCharacters),
            "a line about themselves")
        try fields.nullable("email", &email, as: .line, "e-mail address")
        try fields.nullable("phone", &phone, as: .line, "telephone number in E.164")
        try fields.field("relation", &relation, "how we stand")
        try fields.field("trust", &trust, "how sure we are that it is them")
        try fields.field("presence", &presence, "whether they can be reached")
        try fields.nullable("lastSeen", &lastSeen, as: .time, "when last reached")
        try fields.nullable("conversation", &conversation, as: .uuid, "the conversation with them")
        try fields.lenient(
            "note", &note, as: .text(.characters(SharedLimits.noteCharacters)), "what came with the request")
        try fields.lenient("autoDownload", &autoDownload, "whether their files are taken without asking")
        try fields.nullable("avatar", &avatar, as: .path, "where their avatar lies, a JPEG made here of what they sent")
        try fields.nullable(
            "picture", &picture, as: .token(maximumBytes: 64),
            "which picture that is, for picture.open: another one has another token")
        try fields.nullable("entry", &entry, "whom in the address book they say they are")
        try fields.optional(
            "reason", &reason, "why our last request came to nothing, until it is asked again or declined")
        try fields.optional("detail", &detail, as: .words, "what more there is to say about the reason")
        try fields.optional(
            "changedTo", &changedTo, as: .account,
            "while trust is `changed`: the account that came under this contact's name")
    }

    /// The name to call them: the alias if there is one, else their own name.
    public var shownName: String { alias.isEmpty ? displayName : alias }
}
