import Vocabulary

/// A person who is on the network now, contact or not.
public struct Peer: Hashable, Sendable {
    /// `kibo1…`.
    public var account: String
    /// `kibodev1…`.
    public var device: String
    /// The name they give themselves.
    public var displayName: String
    /// `host:port`, where it was last reached or heard from.
    public var address: String
    /// How we stand to them.
    public var relation: Relation
    /// Milliseconds since 1970 UTC.
    public var lastHeard: Int64
    /// The entry of the address book whose number or address they show; nil if there is none.
    public var entry: AddressBookEntry.Reference?

    /// Put together from its fields.
    public init(
        account: String, device: String, displayName: String, address: String, relation: Relation, lastHeard: Int64,
        entry: AddressBookEntry.Reference? = nil
    ) {
        self.account = account
        self.device = device
        self.displayName = displayName
        self.address = address
        self.relation = relation
        self.lastHeard = lastHeard
        self.entry = entry
    }

    /// Reads the object as it travels; unknown fields are ignored.
    ///
    /// - Throws: ``ShapeError`` naming the field that is missing or of the wrong type.
    public init(json: JSONValue) throws(ShapeError) {
        let reader = try JSONReader(json, as: "Peer")
        account = try reader.string("account")
        device = try reader.string("device")
        displayName = try reader.string("displayName")
        address = try reader.string("address")
        relation = try reader.choice("relation")
        lastHeard = try reader.integer("lastHeard")
        entry = try reader.value("entry").map(AddressBookEntry.Reference.init(json:))
    }

    /// The value as it travels.
    public var json: JSONValue {
        [
            "account": .string(account), "device": .string(device), "displayName": .string(displayName),
            "address": .string(address), "relation": .string(relation.rawValue), "lastHeard": .integer(lastHeard),
            "entry": entry?.json ?? .null,
        ]
    }
}
