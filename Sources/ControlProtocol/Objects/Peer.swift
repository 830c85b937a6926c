import Vocabulary

/// A person who is on the network now, contact or not.
public struct Peer: ContractObject {
    public var account = ""
    public var device = ""
    public var displayName = ""
    public var address = ""
    public var relation = Relation.none
    public var lastHeard: Int64 = 0
    public var entry: AddressBookEntry.Reference?

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

    public static let contractName = "Peer"

    public init() {}

    public mutating func describe(_ fields: inout ObjectFields) throws(ShapeError) {
        try fields.field("account", &account, as: .account, "the account")
        try fields.field("device", &device, as: .token(maximumBytes: 90), "the device, kibodev1…")
        try fields.field("displayName", &displayName, as: .name, "what they call themselves")
        try fields.field("address", &address, as: .emptyOr(.address), "their address; empty if that isn't known")
        try fields.field("relation", &relation, "our relation to them")
        try fields.field("lastHeard", &lastHeard, as: .time, "when they were last heard")
        try fields.nullable("entry", &entry, "who in the address book they say they are")
    }
}
