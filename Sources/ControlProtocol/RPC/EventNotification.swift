import Vocabulary

/// One event as a subscriber sees it.
public struct Event: Hashable, Sendable {
    /// The method under which events travel.
    public static let method = "event"

    /// The subscription that it is for, as `events.subscribe` returned it.
    public let subscription: Int64
    /// Its number in the durable log; nil for what is not kept.
    public let seq: Int64?
    /// Milliseconds since 1970 UTC.
    public let at: Int64
    /// Its name, such as `message.added`. A text and not an enum: a newer daemon may have more.
    public let type: String
    /// The change of the object.
    public let change: ChangeKind
    /// The whole object as it was then.
    public let data: JSONValue

    public init(subscription: Int64, seq: Int64?, at: Int64, type: String, change: ChangeKind, data: JSONValue) {
        self.subscription = subscription
        self.seq = seq
        self.at = at
        self.type = type
        self.change = change
        self.data = data
    }

    /// Whether it is one of a kind.
    public func isOf(_ type: EventType) -> Bool { self.type == type.rawValue }

    /// Reads the parameters of an `event` notification.
    public init(json: JSONValue) throws(ShapeError) {
        let reader = try JSONReader(json, as: "event")
        subscription = try reader.read("subscription")
        seq = try reader.optional("seq")
        at = try reader.read("at")
        type = try reader.read("type")
        change = try reader.read("change")
        data = reader.object["data"] ?? .null
    }

    /// The parameters of the notification.
    public var json: JSONValue {
        [
            "subscription": .integer(subscription), "seq": .optional(seq), "at": .integer(at), "type": .string(type),
            "change": .string(change.rawValue), "data": data,
        ]
    }

    /// Appends the notification as one line, newline included.
    public func appendLine(to out: inout [UInt8]) {
        var encoded: [UInt8] = []
        data.append(to: &encoded)
        Self.appendLine(
            subscription: subscription, seq: seq, at: at, type: type, change: change.rawValue, encodedData: encoded,
            to: &out)
    }

    /// Appends a notification around data that is JSON already: the log keeps it encoded, and it is encoded once for
    /// however many subscribers.
    ///
    /// - Parameter encodedData: one JSON value without newlines; not looked at.
    public static func appendLine(
        subscription: Int64, seq: Int64?, at: Int64, type: String, change: String,
        encodedData: some Collection<UInt8>, to out: inout [UInt8]
    ) {
        out.append(contentsOf: #"{"jsonrpc":"2.0","method":"event","params":{"subscription":"#.utf8)
        JSONWriter.append(subscription, to: &out)
        out.append(contentsOf: #","seq":"#.utf8)
        if let seq { JSONWriter.append(seq, to: &out) } else { out.append(contentsOf: "null".utf8) }
        out.append(contentsOf: #","at":"#.utf8)
        JSONWriter.append(at, to: &out)
        out.append(contentsOf: #","type":"#.utf8)
        JSONWriter.append(type, to: &out)
        out.append(contentsOf: #","change":"#.utf8)
        JSONWriter.append(change, to: &out)
        out.append(contentsOf: #","data":"#.utf8)
        out.append(contentsOf: encodedData)
        out.append(contentsOf: "}}\n".utf8)
    }
}
