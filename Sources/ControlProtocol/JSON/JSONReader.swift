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

/// Reads the fields of one object with the checks that every object of the contract needs: wrong types throw, unknown
/// fields are ignored, and an optional field may be missing or `null`.
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

    func string(_ field: String) throws(ShapeError) -> String {
        guard let value = try optionalString(field) else { throw error(field, "a string") }
        return value
    }

    func optionalString(_ field: String) throws(ShapeError) -> String? {
        switch value(field) {
        case nil: return nil
        case .string(let text)?: return text
        default: throw error(field, "a string")
        }
    }

    func integer(_ field: String) throws(ShapeError) -> Int64 {
        guard let value = try optionalInteger(field) else { throw error(field, "an integer") }
        return value
    }

    func optionalInteger(_ field: String) throws(ShapeError) -> Int64? {
        switch value(field) {
        case nil: return nil
        case .integer(let number)?: return number
        default: throw error(field, "an integer")
        }
    }

    /// A missing field is false.
    func bool(_ field: String) throws(ShapeError) -> Bool {
        switch value(field) {
        case nil: return false
        case .bool(let flag)?: return flag
        default: throw error(field, "a boolean")
        }
    }

    func choice<Choice: RawRepresentable & CaseIterable>(_ field: String) throws(ShapeError) -> Choice
    where Choice.RawValue == String {
        guard let choice = Choice(rawValue: try string(field)) else {
            throw error(field, "one of " + Choice.allCases.map(\.rawValue).joined(separator: ", "))
        }
        return choice
    }

    /// A missing field is an empty list.
    func list<Element>(
        _ field: String, _ read: (JSONValue) throws(ShapeError) -> Element
    ) throws(ShapeError) -> [Element] {
        switch value(field) {
        case nil: return []
        case .array(let values)?:
            var out: [Element] = []
            out.reserveCapacity(values.count)
            for value in values { out.append(try read(value)) }
            return out
        default: throw error(field, "an array")
        }
    }

    /// A missing field is an empty list.
    func strings(_ field: String) throws(ShapeError) -> [String] {
        try list(field) { (value) throws(ShapeError) in
            guard let text = value.string else { throw error(field, "an array of strings") }
            return text
        }
    }
}
