import Vocabulary

/// One named value: a parameter of a method, or a field of an object or a result.
public struct FieldSpec: Hashable, Sendable {
    /// As it is called on the wire.
    public let name: String
    /// The type of its value.
    public let type: ValueType
    /// A required parameter must be given; a required field is always there.
    public let isRequired: Bool
    /// The value that counts if it isn't given; nil for no value at all.
    public let standard: JSONValue?
    /// A description for documents: a phrase without a full stop.
    public let doc: String

    package static func required(_ name: String, _ type: ValueType, _ doc: String) -> FieldSpec {
        FieldSpec(name: name, type: type, isRequired: true, standard: nil, doc: doc)
    }

    package static func optional(
        _ name: String, _ type: ValueType, _ doc: String, standard: JSONValue? = nil
    ) -> FieldSpec {
        FieldSpec(name: name, type: type, isRequired: false, standard: standard, doc: doc)
    }

    /// How many objects a page holds at most.
    static let limit = optional(
        "limit", .integer(1...ProtocolLimits.pageMaximum), "how many at most",
        standard: .integer(ProtocolLimits.pageDefault))

    /// In a result: a descriptor came with the first byte of its line.
    static let descriptor = required(
        "descriptor", .boolean, "true: a descriptor came with the first byte of this line (SCM_RIGHTS)")

    /// The name as the contract's table writes it: `limit=50`, `note?`, `id`, `paths[]`.
    public var signature: String {
        let list = if case .list = type { "[]" } else { "" }
        if let standard { return "\(name)=\(standard.text)" }
        return name + list + (isRequired ? "" : "?")
    }

    /// The value as a JSON Schema.
    var schema: JSONObject {
        var schema = type.schema
        if let standard { schema["default"] = standard }
        return schema
    }

    /// An object with these fields as a JSON Schema.
    static func schema(_ fields: [FieldSpec]) -> JSONObject {
        var properties = JSONObject()
        for field in fields {
            var schema = field.schema
            // Beside a `$ref` everything else is ignored in draft 7.
            if schema["$ref"] == nil { schema["description"] = .string(field.doc) }
            properties[field.name] = .object(schema)
        }
        return [
            "type": "object", "properties": .object(properties),
            "required": .strings(fields.filter(\.isRequired).map(\.name)),
        ]
    }

    /// An object with these fields as the contract writes it: `{id, state, reason?}`.
    public static func signature(_ fields: [FieldSpec]) -> String {
        "{" + fields.map { $0.name + ($0.isRequired ? "" : "?") }.joined(separator: ", ") + "}"
    }
}
