/// What waits for the user, in all conversations together.
public struct Totals: Hashable, Sendable {
    /// The number of unread messages in conversations that are not muted.
    public var unread: Int64
    /// The number of unread messages in muted conversations.
    public var muted: Int64
    /// The number of friend requests that wait for an answer here.
    public var requests: Int64

    /// Put together from its fields.
    public init(unread: Int64, muted: Int64, requests: Int64) {
        self.unread = unread
        self.muted = muted
        self.requests = requests
    }

    /// Reads the object as it travels; unknown fields are ignored.
    ///
    /// - Throws: ``ShapeError`` naming the field that is missing or of the wrong type.
    public init(json: JSONValue) throws(ShapeError) {
        let reader = try JSONReader(json, as: "Totals")
        unread = try reader.integer("unread")
        muted = try reader.integer("muted")
        requests = try reader.integer("requests")
    }

    /// The value as it travels.
    public var json: JSONValue {
        ["unread": .integer(unread), "muted": .integer(muted), "requests": .integer(requests)]
    }
}
