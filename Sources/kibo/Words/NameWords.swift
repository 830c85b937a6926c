import Basics
import ControlProtocol

/// The signs of names on the command line and in `kibo chat`, as the daemon's rule for names has them.
enum NameSign {
    /// Before a name where a group is meant.
    static let group = ":"

    /// The word for the notes to oneself.
    static let notes = "@me"
}

extension Words {
    /// The notes to oneself, in a sentence.
    static let notes = "your notes"

    /// The object of an action: the name, with what tells it from others that the same word fits.
    static func object(_ named: Named) -> String {
        if named.kind == .group { return "the group \(name(named.name))" }
        if named.kind == .notes { return notes }
        guard named.others > 0 else { return name(named.name) }
        return "\(name(named.name)) (\(ShortID.account(named.id))\(named.trust == .verified ? ", verified" : ""))"
    }

    /// Where messages are, for a sentence: with a person or a group, or among the notes.
    static func place(_ named: Named) -> String { (named.kind == .notes ? "in " : "with ") + object(named) }

    /// The object at the beginning of a sentence.
    static func subject(_ named: Named) -> String {
        switch named.kind {
        case .group: "The group \(name(named.name))"
        case .notes: notes.capitalizedFirst
        case .person: object(named)
        }
    }

    /// The people and groups that a word may mean, a line each: the word to type for them, and who they are.
    static func candidates(_ found: [Named], now: WallTime) -> [String] {
        let words = found.map { Shell.quoted($0.word) }
        let width = words.map(DisplayWidth.of).max() ?? 0
        return zip(found, words).map { named, word in
            word + String(repeating: " ", count: width - DisplayWidth.of(word) + 2) + description(named, now)
        }
    }

    private static func description(_ named: Named, _ now: WallTime) -> String {
        var parts: [String] = []
        if named.kind == .group {
            parts.append("the group \(name(named.name))")
            if let members = named.members { parts.append(Humane.count(members, "member")) }
            parts.append(named.addedBy.map { "\(name($0)) added you" } ?? "made by you")
            return parts.joined(separator: ", ")
        }
        if named.kind == .notes { return "notes to yourself" }
        parts.append(name(named.name))
        switch named.relation {
        case .friend: parts.append("friend")
        case .incoming: parts.append("asks to be your friend")
        case .requested: parts.append("asked to be your friend")
        case .blocked: parts.append("blocked")
        case .some(.none), nil: parts.append("not a friend")
        }
        if named.trust == .verified { parts.append("verified") }
        if named.trust == .changed { parts.append("key changed") }
        if let since = named.since { parts.append("has had this name since \(Humane.moment(since, now: now))") }
        if !named.word.hasPrefix("kibo1") { parts.append(ShortID.account(named.id)) }
        return parts.joined(separator: ", ")
    }
}
