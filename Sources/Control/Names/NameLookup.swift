import Basics
import ControlProtocol
import Messaging
import Store
import Vocabulary

/// All people and groups that a name may mean, at one moment and for one question.
struct NameLookup: Sendable {
    private(set) var candidates: [NamedCandidate] = []
    private var objects: [String: Named] = [:]
    /// Where to look if no candidate fits.
    private let hint: HintCode?

    init(hint: HintCode? = nil) { self.hint = hint }

    /// Finds what a word means.
    /// - Parameter isStrict: only a whole name, alias or id counts, and only if it fits no other candidate.
    /// - Throws: a refusal with the candidates.
    func resolve(_ word: String, isStrict: Bool) throws(ControlError) -> Named {
        switch NameRule(word, isStrict: isStrict).answer(among: candidates) {
        case .one(let match, let others):
            guard var named = named(match) else { break }
            named.others = Int64(others.count)
            return named
        case .several(let several):
            throw ControlError(
                .ambiguous,
                several.count > 1
                    ? "\"\(Self.shown(word))\" may mean any of \(several.count) \(Self.kinds(of: several))"
                    : "\"\(Self.shown(word))\" is not the whole name",
                hint: .chooseCandidate, field: "name",
                candidates: several.count > 1 ? list(several) : list(several).map(byName))
        case .nobody(let claiming):
            guard !claiming.isEmpty else { break }
            throw ControlError(
                .notFound,
                "\"\(Self.shown(word))\" is only a name that a person has chosen; an id, an address or a number "
                    + "is not followed as a name",
                hint: .nameByWord, field: "name", candidates: list(claiming))
        }
        let isChat = hint == .seeChatsAndPeople || candidates.contains(where: \.isGroup)
        let kind = word.first == NameRule.groupSign ? "group" : isChat ? "person or chat" : "person"
        let message = "no \(kind) matches \"\(Self.shown(word))\""
        guard let near = NameRule(word, isStrict: false).nearest(among: candidates).flatMap(named).map(byName) else {
            throw ControlError(.notFound, message, hint: hint, field: "name")
        }
        throw ControlError(
            .notFound, message, hint: .nearestName,
            parameters: ["name": .string(near.name), "word": .string(near.word)], field: "name", candidates: [near])
    }

    /// The same person with the name as the word, if it means nobody else: it is easier to type than an id.
    private func byName(_ named: Named) -> Named {
        guard named.kind == .person, !ForeignText.hasInvisible(named.name),
            case .one(let found, _) = NameRule(named.name, isStrict: true).answer(among: candidates),
            found.id == named.id
        else { return named }
        var named = named
        named.word = named.name
        return named
    }

    /// The word as it is shown to people: without the sign, which they may not have typed.
    private static func shown(_ word: String) -> String {
        ForeignText.escapedName(word.first == NameRule.groupSign ? String(word.dropFirst()) : word)
    }

    private static func kinds(of found: [NamedCandidate]) -> String {
        if found.allSatisfy(\.isGroup) { return "groups" }
        return found.contains(where: \.isGroup) ? "people and groups" : "people"
    }

    /// Whether one or several candidates fit a word.
    func has(_ word: String) -> Bool {
        if case .nobody = NameRule(word, isStrict: false).answer(among: candidates) { false } else { true }
    }

    private func list(_ found: [NamedCandidate]) -> [Named] {
        found.prefix(ProtocolLimits.nameCandidates).compactMap(named)
    }

    private func named(_ candidate: NamedCandidate) -> Named? {
        guard var named = objects[candidate.id] else { return nil }
        named.word = word(for: candidate, named)
        return named
    }

    /// The shortest word that means this candidate alone, whatever others call themselves.
    private func word(for candidate: NamedCandidate, _ named: Named) -> String {
        if candidate.isNotes { return NameRule.notesWord }
        let words =
            candidate.isGroup
            ? [named.name, beginning(of: candidate)].map { String(NameRule.groupSign) + $0 }
            : [named.alias, String(candidate.id.prefix(NameWord.shownAccount))]
        return words.first { word in
            guard !word.isEmpty, !ForeignText.hasInvisible(word) else { return false }
            guard case .one(let found, _) = NameRule(word, isStrict: true).answer(among: candidates) else {
                return false
            }
            return found.id == candidate.id
        } ?? candidate.id
    }

    /// As much of a group's id as distinguishes it from all other groups.
    private func beginning(of group: NamedCandidate) -> String {
        let others = candidates.lazy.filter { $0.isGroup && $0.id != group.id }.flatMap {
            [$0.id, $0.conversation].compactMap { $0 }
        }
        let shared = others.map { zip($0, group.id).prefix { $0 == $1 }.count }.max() ?? 0
        return String(group.id.prefix(max(NameWord.shownGroup, shared + 1)))
    }

    // MARK: People that the word can't mean

    /// The refusal that says that the person is no friend; nil if the word means no person.
    func noFriend(_ word: String) throws(ControlError) -> ControlError? {
        guard word.first != NameRule.groupSign, has(word) else { return nil }
        let named = try resolve(word, isStrict: false)
        let name = ForeignText.escapedName(named.name)
        // Use their name, if it is a plain one that means no other person.
        let isPlain = named.name.allSatisfy { $0.isLetter && $0.isASCII }
        let isClear = isPlain && (try? resolve(named.name, isStrict: true).id) == named.id
        let parameters: JSONObject = [
            "name": .string(named.name), "word": .string(isClear ? named.name : named.word),
        ]
        switch named.relation {
        case .blocked:
            return ControlError(
                .blocked, "you have blocked \(name)", hint: .unblock, parameters: parameters, field: "name",
                candidates: [named])
        case .requested:
            return ControlError(
                .notFound, "\(name) has not answered your request yet",
                hint: .awaitAnswer, parameters: parameters, field: "name", candidates: [named])
        case .incoming:
            return ControlError(
                .notFound, "\(name) asks to be your friend, and is none yet", hint: .answerRequest,
                parameters: parameters,
                field: "name", candidates: [named])
        default:
            return ControlError(
                .notFound, "\(name) is no friend of yours", hint: .addContact, parameters: parameters, field: "name",
                candidates: [named])
        }
    }

    /// The refusal that says that there is no request from or to the person; nil if the word means no person.
    func noRequest(_ word: String) throws(ControlError) -> ControlError? {
        guard word.first != NameRule.groupSign, has(word) else { return nil }
        let named = try resolve(word, isStrict: false)
        return ControlError(
            .notFound,
            "there is no request of \(ForeignText.escapedName(named.name)) to answer, nor one of yours to take back",
            hint: .seeRequests, field: "name", candidates: [named])
    }

    // MARK: Candidates

    mutating func add(_ row: ContactNameRow) {
        let isFriend = row.relation == .friend
        add(
            NamedCandidate(
                id: row.account.description, conversation: row.conversation?.description, alias: row.alias,
                name: row.displayName, isVerified: row.trust == .verified, since: row.namedAt,
                isKnown: isFriend || row.conversation != nil),
            Named(
                kind: .person, id: row.account.description, name: row.alias.isEmpty ? row.displayName : row.alias,
                alias: row.alias, relation: row.relation, trust: row.trust,
                since: row.namedAt.milliseconds, conversation: row.conversation?.description, word: ""))
    }

    /// A person who is no contact: on the network, or a member of a group.
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

    /// The user, for notes to oneself.
    mutating func add(notesOf own: AccountID, conversation: String?) {
        let id = own.description
        add(
            NamedCandidate(id: id, conversation: conversation, isNotes: true, name: Names.notes),
            Named(kind: .notes, id: id, name: Names.notes, conversation: conversation, word: ""))
    }

    /// Adds an unknown account. Even so, its id is clear.
    mutating func addUnknown(_ id: AccountID) {
        add(stranger: id.description, name: Names.placeholder(for: id), isKnown: false, since: .init(milliseconds: 0))
    }

    private mutating func add(_ candidate: NamedCandidate, _ named: Named) {
        candidates.append(candidate)
        objects[candidate.id] = named
    }
}
