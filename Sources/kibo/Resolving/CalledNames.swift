import ControlProtocol

/// What people and groups are called, for telling a name from a word of a text. The daemon decides who a name means.
struct CalledNames {
    /// Each name as its words, in lower case.
    private let names: [[Substring]]
    private let ids: [String]

    init(_ names: some Sequence<String>, ids: some Sequence<String> = []) {
        self.names = names.map(Self.words).filter { !$0.isEmpty }
        self.ids = Array(ids)
    }

    /// Friends, people with a conversation, groups, and the notes to oneself.
    init(_ people: People, _ groups: [Group]) {
        let contacts = people.contacts.values.filter { $0.relation == .friend || $0.conversation != nil }
        self.init(
            contacts.flatMap { [$0.displayName, $0.alias] } + groups.map(\.name) + [NameSign.notes],
            ids: contacts.map(\.id) + groups.map(\.id))
    }

    private static func words(_ name: String) -> [Substring] {
        // The letters of two alphabets have longer lower-case forms; they still compare equal.
        name.lowercased().split(whereSeparator: \.isWhitespace)
    }

    /// Whether a word is a name, the first words of one, or the beginning of an id, with or without the sign of a group.
    func has(_ word: String) -> Bool {
        let typed = Self.words(word.hasPrefix(NameSign.group) ? String(word.dropFirst()) : word)
        guard !typed.isEmpty else { return false }
        return names.contains { $0.starts(with: typed) }
            || word.count >= Messages.shortest && ids.contains { $0.hasPrefix(word.lowercased()) }
    }

    /// Whether words are all of a name.
    func hasWhole(_ words: String) -> Bool {
        let typed = Self.words(words)
        return !typed.isEmpty && names.contains(typed)
    }
}
