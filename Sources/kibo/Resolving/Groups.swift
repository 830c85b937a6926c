import Basics
import ControlProtocol

/// Finding groups, and those who are in them, by what a person calls them.
struct Groups {
    let people: People

    init(_ client: ControlClient) throws { people = try People(client, withGroups: true) }

    /// In order of their names.
    var all: [Group] { people.groups.values.sorted { ($0.name, $0.id) < ($1.name, $1.id) } }

    /// The group that a person means by a word: its name, its id, that of its conversation, or the beginning of one.
    func group(_ word: String) throws(Failure) -> Group {
        if let group = people.group(ofConversation: word.lowercased()) { return group }
        let candidates = all.map { group in
            Candidate(
                id: group.id, names: [group.name],
                label: "\(Words.name(group.name))  \(group.id)  \(Words.standing(group).text)",
                isLikely: group.state == .member)
        }
        let found = try Resolver.resolve(
            word, among: candidates, kind: "groups",
            hint: candidates.isEmpty ? "Make one with: kibo group create NAME WHO…" : "See: kibo group list")
        guard let group = people.groups[found.id] else { throw Failure(.notFound, "no groups fit \"\(word)\"") }
        return group
    }

    /// The member that a person means by a word.
    func member(_ word: String, of group: Group) throws(Failure) -> Group.Member {
        let candidates = group.members.map { member in
            let contact = people.contacts[member.id]
            let names = [member.displayName, contact?.alias ?? "", contact?.displayName ?? ""].filter { !$0.isEmpty }
            let name = Words.name(member.displayName)
            return Candidate(
                id: member.id, names: names,
                label: "\(name)  \(ShortID.account(member.id))  \(Words.cell(member.role).text)",
                isLikely: member.id != people.own)
        }
        let whole = AccountID(word)?.description ?? word
        let found = try Resolver.resolve(
            whole, among: candidates, kind: "members of \(group.name)",
            hint: "See: kibo group show \(Shell.quoted(group.name))")
        guard let member = group.members.first(where: { $0.id == found.id }) else {
            throw Failure(.notFound, "no members of \(group.name) fit \"\(word)\"")
        }
        return member
    }
}
