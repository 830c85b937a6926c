/// A row in a table of codes, written as `code: meaning`. A word in backticks in the meaning is a parameter of the
/// message; in a hint it can also be a parameter of the method or a setting.
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
