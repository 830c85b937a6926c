import AddressBook
import Basics
import ControlProtocol

/// A person or a group that a name may mean.
struct NamedCandidate: Sendable {
    /// The account or the group, as it is written in the control interface.
    let id: String
    /// The id of their conversation, which means them too.
    let conversation: String?
    let isGroup: Bool
    /// Whether it is the user, who keeps notes. Only a word that nobody else can have means them.
    let isNotes: Bool
    /// The user's name for them; empty for none. Only the user can choose it.
    let alias: NameWord
    /// The name that they, or a group's members, have chosen; empty for none.
    let name: NameWord
    let isVerified: Bool
    /// Since when they have the name, as far as this daemon knows.
    let since: WallTime
    /// Whether they are or were a friend. Somebody who only asks, or is nearby, can't take a name away from a friend.
    let isKnown: Bool

    init(
        id: String, conversation: String? = nil, isGroup: Bool = false, isNotes: Bool = false, alias: String = "",
        name: String,
        isVerified: Bool = false, since: WallTime = WallTime(milliseconds: 0), isKnown: Bool = true
    ) {
        self.id = id
        self.conversation = conversation
        self.isGroup = isGroup
        self.isNotes = isNotes
        self.alias = NameWord(alias)
        self.name = NameWord(name)
        self.isVerified = isVerified
        self.since = since
        self.isKnown = isKnown
    }
}

/// One rule for what a name means. A name that somebody chooses for themselves or for a group never takes a message
/// that was meant for somebody else. At worst the name means nobody, and the candidates are listed.
struct NameRule: Sendable {
    /// What the caller wants to know.
    struct Question: Sendable {
        /// As it was typed.
        var word: String
        /// Whether the user has said that a group is meant.
        var isGroupSaid = false
        /// Whether only a whole name with a single fit counts: for actions that can't be undone.
        var isStrict = false
    }

    enum Answer: Sendable {
        /// The candidate that is meant, and the others whose names fit, too.
        case one(NamedCandidate, others: [NamedCandidate])
        /// Several may be meant, the likeliest first.
        case several([NamedCandidate])
        /// No candidate fits. The list has those whose chosen name looks like an id, an address or a number.
        case nobody([NamedCandidate])
    }

    /// How well something fits, from bad to good.
    private enum Fit: Int, Comparable {
        /// The word is the beginning of a name or an id, and ends within a word of it: `Ann` for Anna.
        case part
        /// It is the first words: `Anna` for Anna Berg.
        case beginning
        /// It is the name but for case, accents, width, spaces and characters without a glyph.
        case alike
        /// It is the name.
        case same
        /// It is the alias.
        case alias
        /// It is the id, or as much of it as is shown.
        case id

        static func < (left: Fit, right: Fit) -> Bool { left.rawValue < right.rawValue }
    }

    private struct Found {
        var candidate: NamedCandidate
        var fit: Fit
        /// Whether the words that fit were chosen here, or are an id.
        var isOwnWord = false
    }

    let question: Question
    private let word: NameWord

    init(_ question: Question) {
        self.question = question
        word = NameWord(question.word)
    }

    /// The sign before a name that says that a group is meant. Shells leave it alone, and no person's id or number has it.
    static let groupSign: Character = ":"

    /// The word for the notes to oneself. It means one person, like an id: a name that reads so is not followed.
    static let notesWord = "@me"

    /// A word with the sign or without.
    init(_ word: String, isStrict: Bool) {
        let isGroup = word.first == Self.groupSign
        self.init(
            Question(word: isGroup ? String(word.dropFirst()) : word, isGroupSaid: isGroup, isStrict: isStrict))
    }

    /// - Complexity: one comparison for each candidate, and one for each pair of those that fit.
    func answer(among candidates: [NamedCandidate]) -> Answer {
        guard !word.folded.isEmpty else { return .nobody([]) }
        var found = candidates.compactMap(fit)
        // Aliases and ids come before the names that others choose.
        for best in [Fit.id, .alias] where found.contains(where: { $0.fit == best }) {
            found.removeAll { $0.fit != best }
            break
        }
        // Without the sign, only a group's whole name means the group.
        if !question.isGroupSaid { found.removeAll { $0.candidate.isGroup && !$0.isOwnWord && $0.fit < .alike } }
        // A group's whole name means this group and not one with a longer name. That can't take a name from another
        // group: of two groups with the same or a similar name, none is meant.
        let hasWholeGroup = found.contains { $0.candidate.isGroup && $0.fit >= .alike }
        if question.isGroupSaid, hasWholeGroup { found.removeAll { !$0.isOwnWord && $0.fit < .alike } }
        // An abbreviation yields to a candidate that has the word as its name.
        if found.contains(where: { $0.fit > .part }) { found.removeAll { $0.fit == .part } }
        // If a person's whole name fits, no group is meant, except for actions that can't be undone.
        if !question.isStrict, found.contains(where: { !$0.candidate.isGroup && $0.fit >= .alike }) {
            found.removeAll { $0.candidate.isGroup && !$0.isOwnWord }
        }
        if found.isEmpty { return .nobody(candidates.filter(isUnfollowed)) }
        guard let best = winner(of: found) else { return .several(listed(found)) }
        return .one(best.candidate, others: listed(found.filter { $0.candidate.id != best.candidate.id }))
    }

    // MARK: What fits

    private func fit(_ candidate: NamedCandidate) -> Found? {
        if question.isGroupSaid, !candidate.isGroup { return nil }
        let ids = [candidate.id, candidate.conversation].compactMap { $0 }
        if let fit = idFit(ids) { return Found(candidate: candidate, fit: fit, isOwnWord: true) }
        if candidate.isNotes {
            return word.isNotes ? Found(candidate: candidate, fit: .id, isOwnWord: true) : nil
        }
        let alias = candidate.alias
        if !alias.folded.isEmpty, alias.folded == word.folded { return Found(candidate: candidate, fit: .alias) }
        // A chosen name never counts as an id, a number or an address.
        if word.isUnfollowed, !question.isGroupSaid || word.looksLikeID { return nil }
        if let fit = nameFit(alias) { return Found(candidate: candidate, fit: fit, isOwnWord: true) }
        return nameFit(candidate.name).map { Found(candidate: candidate, fit: $0) }
    }

    private func idFit(_ ids: [String]) -> Fit? {
        let text = word.folded
        if ids.contains(text) { return .id }
        guard text.utf8.count >= NameWord.shortestID, ids.contains(where: { $0.hasPrefix(text) }) else { return nil }
        // As much of an account's id as lists show means that account. Less of it, or of a UUID, is only an abbreviation, and may be
        // a name that a person has chosen.
        if text.utf8.count >= NameWord.shownAccount, word.looksLikeAccount { return .id }
        // With the sign, as much of a group's id as lists offer means the group.
        if question.isGroupSaid, text.utf8.count >= NameWord.shownGroup { return .id }
        return .beginning
    }

    private func nameFit(_ name: NameWord) -> Fit? {
        guard !name.folded.isEmpty else { return nil }
        if name.text == word.text { return .same }
        if name.folded == word.folded { return .alike }
        guard name.folded.hasPrefix(word.folded) else { return nil }
        let next = name.folded.unicodeScalars.dropFirst(word.folded.unicodeScalars.count).first
        return next.map { $0.properties.isAlphabetic || $0.properties.numericType != nil } ?? true ? .part : .beginning
    }

    private func isUnfollowed(_ candidate: NamedCandidate) -> Bool {
        word.isUnfollowed && candidate.name.folded == word.folded
    }

    // MARK: What may have been meant

    /// The candidate whose name (or a run of as many of its words) is the fewest typing errors away. It is only
    /// suggested, never followed.
    ///
    /// - Complexity: a few comparisons of at most 34 characters for each of the first ``Limits/suggestedNames`` candidates.
    func nearest(among candidates: [NamedCandidate]) -> NamedCandidate? {
        guard !word.isUnfollowed, Spelling.errors(in: word.folded) > 0 else { return nil }
        var bound = Spelling.errors(in: word.folded)
        var nearest: NamedCandidate?
        for candidate in candidates.prefix(ProtocolLimits.suggestedNames) {
            if question.isGroupSaid, !candidate.isGroup { continue }
            guard let distance = distance(candidate, atMost: bound) else { continue }
            // Of two that are equally near, take the one known for longer: a stranger can't push in front of a friend.
            let isNearer = distance < bound
            guard nearest.map({ isNearer || comesBefore(candidate, $0) }) ?? true else { continue }
            (nearest, bound) = (candidate, distance)
        }
        return nearest
    }

    private func distance(_ candidate: NamedCandidate, atMost bound: Int) -> Int? {
        var least: Int?
        for name in [candidate.alias.folded, candidate.name.isUnfollowed ? "" : candidate.name.folded]
        where !name.isEmpty {
            for part in parts(of: name) {
                guard let distance = Spelling.distance(word.folded, part, atMost: least ?? bound) else { continue }
                least = min(least ?? distance, distance)
            }
        }
        return least
    }

    /// The name, and each run of its words that is as many as were typed.
    private func parts(of name: String) -> [String] {
        let words = name.split(separator: " ", maxSplits: ProtocolLimits.suggestedWords)
        let count = word.folded.split(separator: " ").count
        guard words.count > count else { return [name] }
        return [name] + (0...(words.count - count)).map { words[$0..<$0 + count].joined(separator: " ") }
    }

    private func comesBefore(_ one: NamedCandidate, _ other: NamedCandidate) -> Bool {
        if one.isGroup != other.isGroup { return other.isGroup }
        if one.isKnown != other.isKnown { return one.isKnown }
        if one.isVerified != other.isVerified { return one.isVerified }
        return (one.since, one.id) < (other.since, other.id)
    }

    // MARK: What is meant

    private func winner(of found: [Found]) -> Found? {
        if question.isStrict {
            guard found.count == 1, let only = found.first, only.fit >= .alike else { return nil }
            return only
        }
        return found.first { one in
            found.allSatisfy { $0.candidate.id == one.candidate.id || prevails(one, over: $0) }
        }
    }

    /// Whether one candidate comes before another. A name can't be taken over: a candidate that fits better wins only
    /// if it has had its name for as long. So does a verified candidate among others with the name.
    private func prevails(_ one: Found, over other: Found) -> Bool {
        // Other people decide what groups are called, and since when.
        if one.candidate.isGroup || other.candidate.isGroup { return false }
        guard one.fit >= other.fit else { return false }
        if one.candidate.isKnown != other.candidate.isKnown { return one.candidate.isKnown }
        if one.isOwnWord != other.isOwnWord { return one.isOwnWord }
        guard !one.isOwnWord, one.candidate.since <= other.candidate.since else { return false }
        return one.fit > other.fit || (one.candidate.isVerified && !other.candidate.isVerified)
    }

    /// People come before groups, verified ones before others, older names before newer ones.
    private func listed(_ found: [Found]) -> [NamedCandidate] {
        found.sorted { left, right in
            let (one, other) = (left.candidate, right.candidate)
            if one.isGroup == other.isGroup, left.isOwnWord != right.isOwnWord { return left.isOwnWord }
            return comesBefore(one, other)
        }.map(\.candidate)
    }
}

/// A word or a name, as names are compared.
struct NameWord: Sendable {
    /// Characters of an account id that lists show (40 bits).
    static let shownAccount = 13
    /// The fewest characters of a group's id that are offered for it (12 hexadecimal digits and the sign).
    static let shownGroup = 13
    /// The fewest characters with which an id can be meant: fewer would be words.
    static let shortestID = 8
    /// A word with this many digits or more is taken for a telephone number.
    private static let shortestNumber = 6

    /// Without white space around it.
    let text: String
    /// Without case, accents, width, characters without a glyph, and with single spaces.
    let folded: String

    init(_ text: String) {
        self.text = Self.spaced(text)
        folded = Self.spaced(SearchText.fold(text))
    }

    private static func spaced(_ text: String) -> String {
        text.split { $0.isWhitespace || $0 == "\u{2800}" }.joined(separator: " ")
    }

    /// `kibo1…`, or the beginning of one.
    var looksLikeAccount: Bool {
        folded.hasPrefix("kibo1") && folded.unicodeScalars.allSatisfy { $0.isASCII && $0 != " " }
    }

    var looksLikeID: Bool { looksLikeAccount || UUIDv7(folded) != nil }

    /// An e-mail address: something, an @, and something with a dot.
    private var looksLikeAddress: Bool {
        let parts = folded.split(separator: "@", omittingEmptySubsequences: false)
        return parts.count == 2 && !parts[0].isEmpty && parts[1].contains(".") && !folded.contains(" ")
    }

    private var looksLikeNumber: Bool {
        folded.filter(\.isNumber).count >= Self.shortestNumber
            && folded.allSatisfy { $0.isNumber || "+-/(). ".contains($0) }
    }

    /// Whether the word can be an alias: it doesn't read as a group, as oneself, or as an id, an address or a number.
    var canBeAlias: Bool {
        folded.first != NameRule.groupSign && !looksLikeSomeID && !looksLikeAddress && !looksLikeNumber && !isNotes
    }

    /// Whether it is the word for the notes to oneself.
    var isNotes: Bool { folded == NameRule.notesWord }

    /// An id, or what is taken for the beginning of an account's.
    private var looksLikeSomeID: Bool { looksLikeID || folded.hasPrefix("kibo1") }

    /// Whether it means one person everywhere, so that a name which reads so proves nothing.
    var isUnfollowed: Bool { looksLikeID || looksLikeAddress || looksLikeNumber || isNotes }
}
