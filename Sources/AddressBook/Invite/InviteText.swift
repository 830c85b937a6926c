/// The text of an invitation, with placeholders that are filled for each recipient.
public struct InviteText: Hashable, Sendable {
    /// The placeholders that a text may have.
    public static let placeholders = ["{name}", "{me}", "{link}", "{package}"]

    /// What stands for the address of the package where none is set.
    static let unknownPackage = "ask me how to get it"

    /// The text as the user wrote it.
    public let template: String

    /// Makes an invitation from the user's text.
    public init(_ template: String) { self.template = template }

    /// Whether the text differs for each recipient.
    public var isPersonal: Bool { template.contains("{name}") }

    /// The text for one recipient. Braces in a value stay as they are.
    /// - Parameter package: where people get Kibo; empty if nobody has said.
    public func filled(name: String, me: String, link: String, package: String) -> String {
        let values = [
            "{name}": name, "{me}": me, "{link}": link, "{package}": package.isEmpty ? Self.unknownPackage : package,
        ]
        var out = ""
        var rest = template[...]
        while let brace = rest.firstIndex(of: "{") {
            out += rest[..<brace]
            rest = rest[brace...]
            let placeholder = Self.placeholders.first { rest.hasPrefix($0) }
            out += placeholder.flatMap { values[$0] } ?? "{"
            rest = rest.dropFirst(placeholder?.count ?? 1)
        }
        return out + rest
    }
}
