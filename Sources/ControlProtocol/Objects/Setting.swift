/// A setting with its value.
public struct Setting: ContractObject {
    public var key = ""
    public var value = JSONValue.null
    public var standard = JSONValue.null
    /// JSON Schema's word: `boolean`, `integer`, `string` or `array`.
    public var type = ""
    public var description = ""
    public var host = false
    public var forced = false
    public var limits: JSONObject?

    public init(
        key: String, value: JSONValue, standard: JSONValue, type: String, description: String,
        host: Bool = false, forced: Bool = false, limits: JSONObject? = nil
    ) {
        self.key = key
        self.value = value
        self.standard = standard
        self.type = type
        self.description = description
        self.host = host
        self.forced = forced
        self.limits = limits
    }

    public static let contractName = "Setting"

    public init() {}

    public mutating func describe(_ fields: inout ObjectFields) throws(ShapeError) {
        try fields.field("key", &key, as: .token(maximumBytes: ProtocolLimits.tokenBytes), "such as `messages.order`")
        try fields.lenient("value", &value, "the value in force")
        try fields.lenient(
            "default", &standard,
            "the value while the user has not set it: this host's configuration may give a different default than the "
                + "program"
        )
        try fields.field(
            "type", &type, as: .choice(["boolean", "integer", "string", "array"]), "the type of the value")
        try fields.field("description", &description, as: .label(minimum: 1, maximum: 512), "what it does")
        try fields.lenient(
            "host", &host,
            "whether it holds a path or a command of this host: a connection of role web can't set it, and hears null "
                + "as its value and default")
        try fields.lenient(
            "forced", &forced,
            "whether this host's configuration sets it (`kibod.json5`, `forced`), so that clients can't change it")
        try fields.optional(
            "limits", &limits, "what is allowed, in JSON Schema's words: `enum`, `minimum`, `maximum`, …")
    }
}
