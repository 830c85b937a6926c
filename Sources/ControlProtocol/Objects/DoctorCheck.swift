/// One thing that `system.doctor` has looked at. Clients word what was found.
public struct DoctorCheck: Hashable, Sendable {
    /// The name of the check: `interfaces`, `firewall`, …
    public var name: String
    /// Whether nothing is wrong with it, as far as could be seen.
    public var ok: Bool
    /// The findings.
    public var findings: [Remark<DoctorFinding>]
    /// The remedies; none where nothing is wrong.
    public var advice: [Remark<DoctorAdvice>]

    /// Put together from its fields.
    public init(name: String, ok: Bool, findings: [Remark<DoctorFinding>], advice: [Remark<DoctorAdvice>] = []) {
        self.name = name
        self.ok = ok
        self.findings = findings
        self.advice = advice
    }

    /// Reads the object as it travels; unknown fields are ignored.
    ///
    /// - Throws: ``ShapeError`` naming the field that is missing or of the wrong type.
    public init(json: JSONValue) throws(ShapeError) {
        let reader = try JSONReader(json, as: "DoctorCheck")
        name = try reader.string("name")
        ok = try reader.bool("ok")
        findings = Remark.list(reader.value("findings"))
        advice = Remark.list(reader.value("advice"))
    }

    /// The value as it travels.
    public var json: JSONValue {
        [
            "name": .string(name), "ok": .bool(ok), "findings": .array(findings.map(\.json)),
            "advice": .array(advice.map(\.json)),
        ]
    }
}
