/// A setting with its value.
public struct Setting: Hashable, Sendable {
    /// Such as `messages.order`.
    public var key: String
    /// The value that counts now.
    public var value: JSONValue
    /// The value that counts while the setting is not set.
    public var standard: JSONValue
    /// JSON Schema's word: `boolean`, `integer`, `string` or `array`.
    public var type: String
    /// The effect of the setting, as a phrase for people.
    public var description: String
    /// It holds a path or a command of this host: a connection of role web can't set it.
    public var host: Bool
    /// In JSON Schema's words, such as `enum`, `minimum`, `maximum`; nil where every value of the type will do.
    public var limits: JSONObject?

    /// Put together from its fields.
    public init(
        key: String, value: JSONValue, standard: JSONValue, type: String, description: String,
        host: Bool = false, limits: JSONObject? = nil
    ) {
        self.key = key
        self.value = value
        self.standard = standard
        self.type = type
        self.description = description
        self.host = host
        self.limits = limits
    }

    /// Reads the object as it travels; unknown fields are ignored.
    ///
    /// - Throws: ``ShapeError`` naming the field that is missing or of the wrong type.
    public init(json: JSONValue) throws(ShapeError) {
        let reader = try JSONReader(json, as: "Setting")
        key = try reader.string("key")
        value = reader.value("value") ?? .null
        standard = reader.value("default") ?? .null
        type = try reader.string("type")
        description = try reader.string("description")
        host = reader.value("host")?.bool ?? false
        limits = reader.value("limits")?.object
    }

    /// The value as it travels.
    public var json: JSONValue {
        var object: JSONObject = [
            "key": .string(key), "value": value, "default": standard, "type": .string(type),
            "description": .string(description), "host": .bool(host),
        ]
        if let limits { object["limits"] = .object(limits) }
        return .object(object)
    }
}
