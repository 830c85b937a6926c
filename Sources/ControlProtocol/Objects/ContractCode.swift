/// A row of a table of codes, written as `code: meaning`. In the meaning, a word in backticks is a parameter of what is said; in a
/// hint it can be a parameter of the method or a setting as well.
public struct CodeRow: Hashable, Sendable, ExpressibleByStringLiteral {
    /// The code, as it travels.
    public let code: String
    /// Its meaning, for documents.
    public let doc: String

    public init(stringLiteral row: String) {
        let parts = row.split(separator: ":", maxSplits: 1)
        code = parts.first.map(String.init) ?? ""
        doc = parts.count > 1 ? String(parts[1].drop { $0 == " " }) : ""
    }
}

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
