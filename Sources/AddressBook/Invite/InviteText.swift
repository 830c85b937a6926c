/// The text of an invitation, with placeholders that are filled for each recipient.
public struct InviteText: Hashable, Sendable {
    /// The placeholders that a text may have.
    public static let placeholders = ["{name}", "{me}", "{link}"]

    /// The text as the user wrote it.
    public let template: String

    /// Makes an invitation from the user's text.
    public init(_ template: String) { self.template = template }

    /// Whether the text differs for each recipient.
    public var isPersonal: Bool { template.contains("{name}") }

    /// The text for one recipient. Braces in a value stay as they are.
    public func filled(name: String, me: String, link: String) -> String {
        let values = ["{name}": name, "{me}": me, "{link}": link]
        var out = ""
        var rest = template[...]
        while let brace = rest.firstIndex(of: "{") {
            out += rest[..<brace]
            rest = rest[brace...]
            let found = Self.placeholders.first { rest.hasPrefix($0) }
            out += found.flatMap { values[$0] } ?? "{"
            rest = rest.dropFirst(found?.count ?? 1)
        }
        return out + rest
    }
}
