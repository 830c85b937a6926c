/// One thing that `system.doctor` has looked at.
public struct DoctorCheck: Hashable, Sendable {
    /// What it is: `interfaces`, `firewall`, …
    public var name: String
    /// Whether nothing is wrong with it, as far as could be seen.
    public var ok: Bool
    /// What was found.
    public var detail: String
    /// What a person can do about it; nil where nothing is wrong.
    public var hint: String?

    /// Put together from its fields.
    public init(name: String, ok: Bool, detail: String, hint: String? = nil) {
        self.name = name
        self.ok = ok
        self.detail = detail
        self.hint = hint
    }

    /// Reads the object as it travels; unknown fields are ignored.
    ///
    /// - Throws: ``ShapeError`` naming the field that is missing or of the wrong type.
    public init(json: JSONValue) throws(ShapeError) {
        let reader = try JSONReader(json, as: "DoctorCheck")
        name = try reader.string("name")
        ok = try reader.bool("ok")
        detail = try reader.string("detail")
        hint = try reader.optionalString("hint")
    }

    /// The value as it travels.
    public var json: JSONValue {
        var object: JSONObject = ["name": .string(name), "ok": .bool(ok), "detail": .string(detail)]
        object["hint"] = hint.map { .string($0) } ?? .null
        return .object(object)
    }
}
