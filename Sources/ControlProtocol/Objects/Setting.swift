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
        try fields.lenient("value", &value, "what counts now")
        try fields.lenient(
            "default", &standard,
            "what counts while the user has not set it: the configuration of this host may give another default than the program"
        )
        try fields.field("type", &type, as: .choice(["boolean", "integer", "string", "array"]), "what the value is")
        try fields.field("description", &description, as: .label(minimum: 1, maximum: 512), "what it does")
        try fields.lenient(
            "host", &host,
            "it holds a path or a command of this host: a connection of role web can't set it, and hears null as its value and default"
        )
        try fields.lenient(
            "forced", &forced,
            "the configuration of this host sets it (`kibod.json5`, `forced`): it can't be changed by a client")
        try fields.optional(
            "limits", &limits, "what is allowed, in JSON Schema's words: `enum`, `minimum`, `maximum`, …")
    }
}
