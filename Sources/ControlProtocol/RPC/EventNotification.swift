import Vocabulary

/// One event as a subscriber sees it.
public struct Event: ContractObject {
    /// The method under which events travel.
    public static let method = "event"

    /// The subscription that it is for, as `events.subscribe` returned it.
    public var subscription: Int64 = 0
    /// Its number in the durable log; nil for what is not kept.
    public var seq: Int64?
    /// Milliseconds since 1970 UTC.
    public var at: Int64 = 0
    /// Its name, such as `message.added`. A text and not an enum: a newer daemon may have more.
    public var type = ""
    /// The change of the object.
    public var change = ChangeKind.update
    /// Of `message.changed`: what of it changed; nil where that is not known.
    public var changed: [MessageAspect]?
    /// The whole object as it was then.
    public var data = JSONValue.null

    public init(
        subscription: Int64, seq: Int64?, at: Int64, type: String, change: ChangeKind, changed: [MessageAspect]? = nil,
        data: JSONValue
    ) {
        self.subscription = subscription
        self.seq = seq
        self.at = at
        self.type = type
        self.change = change
        self.changed = changed
        self.data = data
    }

    /// Whether it is one of a kind.
    public func isOf(_ type: EventType) -> Bool { self.type == type.rawValue }

    public static let contractName = "event.params"

    public init() {}

    public mutating func describe(_ fields: inout ObjectFields) throws(ShapeError) {
        try fields.field("subscription", &subscription, as: .integer(1 ... .max), "whose")
        try fields.nullable("seq", &seq, as: .integer(1 ... .max), "its number")
        try fields.field("at", &at, as: .time, "when")
        try fields.field("type", &type, as: .choice(of: EventType.self), "what")
        try fields.field("change", &change, "what happened")
        try fields.optional(
            "changed", &changed,
            "of message.changed: what of it, in one or several words; missing if that isn't known")
        try fields.lenient("data", &data, as: .anything, "to what")
    }

    /// Appends the notification as one line, newline included.
    public func appendLine(to out: inout [UInt8]) {
        var encoded: [UInt8] = []
        data.append(to: &encoded)
        Self.appendLine(
            subscription: subscription, seq: seq, at: at, type: type, change: change.rawValue,
            changed: changed ?? [], encodedData: encoded, to: &out)
    }

    /// Appends a notification around data that is JSON already. The data are encoded only once, for any number of
    /// subscribers.
    ///
    /// - Parameters:
    ///   - changed: what of a message changed; empty in all other events.
    ///   - encodedData: one JSON value without newlines; it is not checked.
    public static func appendLine(
        subscription: Int64, seq: Int64?, at: Int64, type: String, change: String, changed: [MessageAspect] = [],
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
        if !changed.isEmpty {
            out.append(contentsOf: #","changed":"#.utf8)
            changed.append(to: &out)
        }
        out.append(contentsOf: #","data":"#.utf8)
        out.append(contentsOf: encodedData)
        out.append(contentsOf: "}}\n".utf8)
    }
}
