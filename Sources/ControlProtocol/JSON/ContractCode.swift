import Vocabulary

/// An enumeration of what the daemon says without wording it: its raw values are the rows of the contract's table.
public protocol ContractCode: FieldValue, RawRepresentable, CaseIterable where RawValue == CodeRow {}

extension ContractCode {
    public static var contractType: ValueType { .choice(allCodes) }
    public static var expected: String { "a code of this version" }

    /// Nil for a code of a later version.
    public static func read(_ json: JSONValue) -> Self? {
        json.string.flatMap { code in allCases.first { $0.rawValue.code == code } }
    }

    public var json: JSONValue { .string(rawValue.code) }

    /// All codes, in the order of the table.
    package static var allCodes: [String] { allCases.map(\.rawValue.code) }
}

extension DialProblem: ContractCode {}
extension LeftOutCause: ContractCode {}
extension CardProblem: ContractCode {}
