import Vocabulary

/// A person that we know, or that wants to know us.
public struct Contact: ContractObject {
    public var id = ""
    public var displayName = ""
    public var alias = ""
    public var statusText = ""
    public var email: String?
    public var phone: String?
    public var relation = Relation.none
    public var trust = Trust.unverified
    public var presence = Presence.offline
    public var lastSeen: Int64?
    public var conversation: String?
    public var note = ""
    public var autoDownload = AutoDownload.default
    public var avatar: String?
    public var picture: String?
    public var entry: AddressBookEntry.Reference?
    public var reason: Reason?
    public var detail: String?
    public var changedTo: String?
    public var changedAt: Int64?
    public var requestSource: String?
    public var knowsUs = false

    public init(
        id: String, displayName: String, alias: String = "", statusText: String = "", email: String? = nil,
        phone: String? = nil, relation: Relation, trust: Trust = .unverified, presence: Presence = .offline,
        lastSeen: Int64? = nil, conversation: String? = nil, note: String = "",
        autoDownload: AutoDownload = .default, avatar: String? = nil, picture: String? = nil,
        entry: AddressBookEntry.Reference? = nil,
        reason: Reason? = nil, detail: String? = nil, changedTo: String? = nil, changedAt: Int64? = nil,
        requestSource: String? = nil, knowsUs: Bool = false
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
        self.changedAt = changedAt
        self.requestSource = requestSource
        self.knowsUs = knowsUs
    }

    public static let contractName = "Contact"

    public init() {}

    public mutating func describe(_ fields: inout ObjectFields) throws(ShapeError) {
        try fields.field("id", &id, as: .account, "the account")
        try fields.field("displayName", &displayName, as: .name, "what they call themselves")
        try fields.lenient("alias", &alias, as: .name, "what we call them, or empty")
        try fields.lenient(
            "statusText", &statusText, as: .text(.line(SharedLimits.statusTextCharacters)),
            "a line about themselves")
        try fields.nullable("email", &email, as: .line, "e-mail address")
        try fields.nullable("phone", &phone, as: .line, "telephone number in E.164")
        try fields.field("relation", &relation, "our relation to them")
        try fields.field("trust", &trust, "how sure we are that it is them")
        try fields.field("presence", &presence, "whether they can be reached")
        try fields.nullable("lastSeen", &lastSeen, as: .time, "when they were last reached")
        try fields.nullable("conversation", &conversation, as: .uuid, "the conversation with them")
        try fields.lenient(
            "note", &note, as: .text(.characters(SharedLimits.noteCharacters)), "what came with the request")
        try fields.lenient("autoDownload", &autoDownload, "whether their files are taken without asking")
        try fields.nullable("avatar", &avatar, as: .path, "where their avatar is, a JPEG made here from what they sent")
        try fields.nullable(
            "picture", &picture, as: .token(maximumBytes: 64),
            "a token for that picture, for picture.open: a different picture has a different token")
        try fields.nullable("entry", &entry, "who in the address book they say they are")
        try fields.optional(
            "reason", &reason, "why our last request failed, until we ask again or decline it")
        try fields.optional("detail", &detail, as: .words, "details of the reason")
        try fields.optional(
            "changedTo", &changedTo, as: .account,
            "while trust is `changed`: the account that came under this contact's name")
        try fields.optional(
            "changedAt", &changedAt, as: .time, "while trust is `changed`: since when; absent if that isn't known")
        try fields.optional(
            "requestSource", &requestSource, as: .line,
            "while relation is `incoming`: where the request came from: an IPv4 address, an IPv6 network, or a whole "
                + "link; absent if that isn't known")
        try fields.lenient(
            "knowsUs", &knowsUs,
            "while relation is `incoming`: they didn't ask, but have us as a friend from before this account was "
                + "recovered"
        )
    }

    /// The name to call them: the alias if there is one, else their own name.
    public var shownName: String { alias.isEmpty ? displayName : alias }
}
