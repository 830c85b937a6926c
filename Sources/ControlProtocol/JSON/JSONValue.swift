/// One JSON value.
///
/// Whole numbers that fit 64 bits are ``integer(_:)``, every other number is ``double(_:)``. Objects keep the order of
/// their fields, so that output is stable and reads as it was written.
public enum JSONValue: Hashable, Sendable {
    case null
    case bool(Bool)
    case integer(Int64)
    case double(Double)
    case string(String)
    case array([JSONValue])
    case object(JSONObject)

    /// The name of this kind of value, with its article, for error messages.
    public var kindName: String {
        switch self {
        case .null: "null"
        case .bool: "a boolean"
        case .integer: "an integer"
        case .double: "a number"
        case .string: "a string"
        case .array: "an array"
        case .object: "an object"
        }
    }

    /// The text, if this is one.
    public var string: String? {
        if case .string(let value) = self { value } else { nil }
    }

    /// The whole number, if this is one. A double is none, even if it happens to be whole.
    public var integer: Int64? {
        if case .integer(let value) = self { value } else { nil }
    }

    /// The truth value, if this is one.
    public var bool: Bool? {
        if case .bool(let value) = self { value } else { nil }
    }

    /// The elements, if this is an array.
    public var array: [JSONValue]? {
        if case .array(let value) = self { value } else { nil }
    }

    /// The fields, if this is an object.
    public var object: JSONObject? {
        if case .object(let value) = self { value } else { nil }
    }

    /// Whether this is `null`.
    public var isNull: Bool { self == .null }

    /// The field of that name, if this is an object that has it.
    public subscript(name: String) -> JSONValue? { object?[name] }
}

extension JSONValue {
    /// The text, or `null` for none.
    public static func optional(_ text: String?) -> JSONValue { text.map(JSONValue.string) ?? .null }

    /// The whole number, or `null` for none.
    public static func optional(_ number: Int64?) -> JSONValue { number.map(JSONValue.integer) ?? .null }

    /// An array of texts.
    public static func strings(_ texts: some Sequence<String>) -> JSONValue { .array(texts.map(JSONValue.string)) }
}

extension JSONValue: ExpressibleByStringLiteral, ExpressibleByIntegerLiteral, ExpressibleByBooleanLiteral,
    ExpressibleByNilLiteral, ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral
{
    public init(stringLiteral value: String) { self = .string(value) }
    public init(integerLiteral value: Int64) { self = .integer(value) }
    public init(booleanLiteral value: Bool) { self = .bool(value) }
    public init(nilLiteral: ()) { self = .null }
    public init(arrayLiteral elements: JSONValue...) { self = .array(elements) }
    public init(dictionaryLiteral elements: (String, JSONValue)...) { self = .object(JSONObject(elements)) }
}
