/// What waits for the user, in all conversations together.
public struct Totals: ContractObject {
    public var unread: Int64 = 0
    public var muted: Int64 = 0
    public var requests: Int64 = 0
    public var missedCalls: Int64 = 0
    public var mentions: Int64 = 0

    public init(unread: Int64, muted: Int64, requests: Int64, missedCalls: Int64 = 0, mentions: Int64 = 0) {
        self.unread = unread
        self.muted = muted
        self.requests = requests
        self.missedCalls = missedCalls
        self.mentions = mentions
    }

    public static let contractName = "Totals"

    public init() {}

    public mutating func describe(_ fields: inout ObjectFields) throws(ShapeError) {
        try fields.field("unread", &unread, "unread messages in conversations that are not muted")
        try fields.field("muted", &muted, "unread messages in muted conversations")
        try fields.field("requests", &requests, "friend requests that are waiting for an answer here")
        try fields.lenient(
            "missedCalls", &missedCalls, "calls that were missed and not seen yet; they count as unread, too")
        try fields.lenient(
            "mentions", &mentions, "those of `muted` that mention this account, where mentions are not muted, too")
    }
}
