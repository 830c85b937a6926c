/// One thing that `system.doctor` has looked at. Clients word what was found.
public struct DoctorCheck: ContractObject {
    public var name = ""
    public var ok = false
    public var findings: [Remark<DoctorFinding>] = []
    public var advice: [Remark<DoctorAdvice>] = []

    public init(name: String, ok: Bool, findings: [Remark<DoctorFinding>], advice: [Remark<DoctorAdvice>] = []) {
        self.name = name
        self.ok = ok
        self.findings = findings
        self.advice = advice
    }

    public static let contractName = "DoctorCheck"

    public init() {}

    public mutating func describe(_ fields: inout ObjectFields) throws(ShapeError) {
        try fields.field("name", &name, as: .label(minimum: 1, maximum: 32), "what was looked at, such as `firewall`")
        try fields.lenient("ok", &ok, "whether it looks fine, as far as could be seen")
        try fields.lenient("findings", &findings, "what was found")
        try fields.lenient("advice", &advice, "what can be done about it")
    }
}
