/// Says what is wrong with an object that came over the control socket.
public struct ShapeError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The object's name in the contract, such as `Message`.
    public let object: String
    /// The field, or nil if the value is no object at all.
    public let field: String?
    /// The expectation that the field doesn't meet.
    public let expected: String

    public var description: String {
        guard let field else { return "\(object) must be an object" }
        return "\(object).\(field) must be \(expected)"
    }
}

/// Reads the fields of one object. Unknown fields are ignored, and an optional field may be missing or `null`.
struct JSONReader {
    let object: JSONObject
    let name: String

    init(_ json: JSONValue, as name: String) throws(ShapeError) {
        guard case .object(let object) = json else { throw ShapeError(object: name, field: nil, expected: "an object") }
        self.object = object
        self.name = name
    }

    func error(_ field: String, _ expected: String) -> ShapeError {
        ShapeError(object: name, field: field, expected: expected)
    }

    /// The field's value; nil if it is missing or null.
    func value(_ field: String) -> JSONValue? {
        guard let value = object[field], !value.isNull else { return nil }
        return value
    }

    /// The value of a field that has to be there.
    func read<Value: FieldValue>(_ field: String) throws(ShapeError) -> Value {
        guard let json = value(field), let value = try Value.read(json) else { throw error(field, Value.expected) }
        return value
    }

    /// The value of a field that needn't be there; nil if it is missing, or nothing that this version can read.
    func optional<Value: FieldValue>(_ field: String) throws(ShapeError) -> Value? {
        guard let json = value(field) else { return nil }
        return try Value.read(json)
    }
}
