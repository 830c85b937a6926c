/// The text of an invitation, with what is put into it for each person.
public struct InviteText: Hashable, Sendable {
    /// What may stand in a text.
    public static let placeholders = ["{name}", "{me}", "{link}"]

    /// As the person here wrote it.
    public let template: String

    /// A text.
    public init(_ template: String) { self.template = template }

    /// Whether it is another text for each person.
    public var isPersonal: Bool { template.contains("{name}") }

    /// The text for one person. What a value has in braces stays as it is.
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
