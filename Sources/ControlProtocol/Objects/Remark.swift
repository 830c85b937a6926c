/// A code with what it is about: something that the daemon says, and that each client words.
public struct Remark<Code: RawRepresentable & CaseIterable & Hashable & Sendable>: Hashable, Sendable
where Code.RawValue == String {
    /// The code of the remark.
    public var code: Code
    /// The things that it is about, by name.
    public var parameters: JSONObject

    /// Put together from its fields.
    public init(_ code: Code, _ parameters: JSONObject = [:]) {
        self.code = code
        self.parameters = parameters
    }

    /// Reads the object as it travels; unknown fields are ignored.
    ///
    /// - Throws: ``ShapeError`` naming the field that is missing or of the wrong type.
    public init(json: JSONValue) throws(ShapeError) {
        let reader = try JSONReader(json, as: "Remark")
        code = try reader.choice("code")
        parameters = reader.value("parameters")?.object ?? [:]
    }

    /// The value as it travels.
    public var json: JSONValue { ["code": .string(code.rawValue), "parameters": .object(parameters)] }

    /// A list of them; those of a later version are left out.
    public static func list(_ value: JSONValue?) -> [Remark] {
        value?.array?.compactMap { try? Remark(json: $0) } ?? []
    }
}
