import Basics
import ControlProtocol
import Store

/// Everybody, and all groups, that a name may mean; as of one moment, for one question.
struct NameLookup: Sendable {
    private(set) var candidates: [NamedCandidate] = []
    private var objects: [String: Named] = [:]
    /// Where to look if nobody fits.
    private let hint: String

    init(hint: String = "") { self.hint = hint }

    /// What a word leads to.
    /// - Parameter isStrict: only a whole name, alias or id counts, and only if it fits nobody else.
    /// - Throws: a refusal with those who may be meant.
    func resolve(_ word: String, isStrict: Bool) throws(ControlError) -> Named {
        switch NameRule(word, isStrict: isStrict).answer(among: candidates) {
        case .one(let found, let others):
            guard var named = named(found) else { break }
            named.others = Int64(others.count)
            return named
        case .several(let found):
            throw ControlError(
                .ambiguous,
                found.count > 1
                    ? "\"\(Self.shown(word))\" may mean any of \(found.count) \(Self.kinds(of: found))"
                    : "\"\(Self.shown(word))\" is not the whole name",
                hint: "Say which by its word: an alias, the beginning of an id, or the name of a group after a colon.",
                field: "name", candidates: list(found))
        case .nobody(let claiming):
            guard !claiming.isEmpty else { break }
            throw ControlError(
                .notFound,
                "\"\(Self.shown(word))\" is only what somebody calls themselves; an id, an address or a number "
                    + "is not followed as a name",
                hint: "Say whom by their word, or give them an alias.", field: "name", candidates: list(claiming))
        }
        throw ControlError(
            .notFound,
            word.first == NameRule.groupSign
                ? "no group is called \"\(Self.shown(word))\"" : "nobody is called \"\(Self.shown(word))\"",
            hint: hint, field: "name")
    }

    /// A word as people see it again: without the sign, which they may not have typed.
    private static func shown(_ word: String) -> String {
        ForeignText.escapedName(word.first == NameRule.groupSign ? String(word.dropFirst()) : word)
    }

    private static func kinds(of found: [NamedCandidate]) -> String {
        if found.allSatisfy(\.isGroup) { return "groups" }
        return found.contains(where: \.isGroup) ? "people and groups" : "people"
    }

    /// Whether anybody fits a word, be it several.
    func has(_ word: String) -> Bool {
        if case .nobody = NameRule(word, isStrict: false).answer(among: candidates) { false } else { true }
    }

    private func list(_ found: [NamedCandidate]) -> [Named] {
        found.prefix(Limits.nameCandidates).compactMap(named)
    }

    private func named(_ candidate: NamedCandidate) -> Named? {
        guard var named = objects[candidate.id] else { return nil }
        named.word = word(for: candidate, named)
        return named
    }

    /// The shortest that leads to one and nobody else, whatever others call themselves.
    private func word(for candidate: NamedCandidate, _ named: Named) -> String {
        let words =
            candidate.isGroup
            ? [String(NameRule.groupSign) + named.name]
            : [named.alias, String(candidate.id.prefix(NameWord.shownAccount))]
        return words.first { word in
            guard !word.isEmpty, !ForeignText.hasInvisible(word) else { return false }
            guard case .one(let found, _) = NameRule(word, isStrict: true).answer(among: candidates) else {
                return false
            }
            return found.id == candidate.id
        } ?? candidate.id
    }

    // MARK: Who there is

    mutating func add(_ row: ContactNameRow) {
        let isFriend = row.relation == .friend
        add(
            NamedCandidate(
                id: row.account.description, conversation: row.conversation?.description, alias: row.alias,
                name: row.displayName, isVerified: row.trust == .verified, since: row.namedAt,
                isKnown: isFriend || row.conversation != nil),
            Named(
                kind: .person, id: row.account.description, name: row.alias.isEmpty ? row.displayName : row.alias,
                alias: row.alias, relation: Relation(row.relation), trust: Trust(row.trust),
                since: row.namedAt.milliseconds, conversation: row.conversation?.description, word: ""))
    }

    /// Somebody who is no contact: on the network, or a member of a group.
    mutating func add(stranger id: String, name: String, isKnown: Bool, since: WallTime) {
        guard objects[id] == nil else { return }
        add(
            NamedCandidate(id: id, name: name, since: since, isKnown: isKnown),
            Named(kind: .person, id: id, name: name, relation: Relation.none, trust: .unverified, word: ""))
    }

    mutating func add(_ row: GroupRow, conversation: String?, members: Int, addedBy: String?) {
        let id = row.id.description
        add(
            NamedCandidate(id: id, conversation: conversation, isGroup: true, name: row.name),
            Named(
                kind: .group, id: id, name: row.name, members: Int64(members), addedBy: addedBy,
                conversation: conversation, word: ""))
    }

    /// An account that nobody here has heard of: its id is clear all the same.
    mutating func addUnknown(_ id: AccountID) {
        add(stranger: id.description, name: Names.placeholder(for: id), isKnown: false, since: .init(milliseconds: 0))
    }

    private mutating func add(_ candidate: NamedCandidate, _ named: Named) {
        candidates.append(candidate)
        objects[candidate.id] = named
    }
}
