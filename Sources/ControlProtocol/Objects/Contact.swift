import Vocabulary

/// A person that we know, or that wants to know us.
public struct Contact: Hashable, Sendable {
    /// `kibo1…`.
    public var id: String
    /// The name they give themselves.
    public var displayName: String
    /// Our name for them; empty if we have none of our own.
    public var alias: String
    /// A line about themselves; empty for none.
    public var statusText: String
    /// E-mail address; nil if none is shown.
    public var email: String?
    /// In E.164; nil if none is shown.
    public var phone: String?
    /// How we stand to them.
    public var relation: Relation
    /// How sure we are that it is them.
    public var trust: Trust
    /// Whether they can be reached.
    public var presence: Presence
    /// Milliseconds since 1970 UTC; nil if never.
    public var lastSeen: Int64?
    /// The conversation with them; nil before there is one.
    public var conversation: String?
    /// The words that they (or we) wrote with the request; empty if none.
    public var note: String
    /// Whether their files are taken without asking.
    public var autoDownload: AutoDownload
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

    /// Put together from its fields.
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

    /// Reads the object as it travels; unknown fields are ignored.
    ///
    /// - Throws: ``ShapeError`` naming the field that is missing or of the wrong type.
    public init(json: JSONValue) throws(ShapeError) {
        let reader = try JSONReader(json, as: "Contact")
        id = try reader.string("id")
        displayName = try reader.string("displayName")
        alias = try reader.optionalString("alias") ?? ""
        statusText = try reader.optionalString("statusText") ?? ""
        email = try reader.optionalString("email")
        phone = try reader.optionalString("phone")
        relation = try reader.choice("relation")
        trust = try reader.choice("trust")
        presence = try reader.choice("presence")
        lastSeen = try reader.optionalInteger("lastSeen")
        conversation = try reader.optionalString("conversation")
        note = try reader.optionalString("note") ?? ""
        autoDownload = try reader.optionalString("autoDownload").flatMap(AutoDownload.init) ?? .default
        avatar = try reader.optionalString("avatar")
        picture = try reader.optionalString("picture")
        entry = try reader.value("entry").map(AddressBookEntry.Reference.init(json:))
        reason = try reader.optionalString("reason").map(Reason.init(code:))
        detail = try reader.optionalString("detail")
        changedTo = try reader.optionalString("changedTo")
    }

    /// The value as it travels.
    public var json: JSONValue {
        var fields: JSONObject = [
            "id": .string(id), "displayName": .string(displayName), "alias": .string(alias),
            "statusText": .string(statusText), "email": .optional(email), "phone": .optional(phone),
            "relation": .string(relation.rawValue), "trust": .string(trust.rawValue),
            "presence": .string(presence.rawValue), "lastSeen": .optional(lastSeen),
            "conversation": .optional(conversation), "note": .string(note),
            "autoDownload": .string(autoDownload.rawValue), "avatar": .optional(avatar), "picture": .optional(picture),
            "entry": entry?.json ?? .null,
        ]
        if let reason { fields["reason"] = .string(reason.contract) }
        if let detail { fields["detail"] = .string(detail) }
        if let changedTo { fields["changedTo"] = .string(changedTo) }
        return .object(fields)
    }

    /// The name to call them: the alias if there is one, else their own name.
    public var shownName: String { alias.isEmpty ? displayName : alias }
}
