import Basics
import ControlProtocol

/// Groups as people read them: `kibo group list` and `kibo group show`.
struct GroupView {
    private let context: Context

    init(_ context: Context) { self.context = context }

    /// The part of earlier messages that new members see.
    static func history(_ group: Group) -> String {
        group.history == 0
            ? "new members see only what is written after they join"
            : "new members see the last \(Humane.count(group.history, "message"))"
    }

    func list() throws -> ExitCode {
        let result = try context.client().call("group.list")
        if context.printJSON(result) { return .done }
        let groups = try (result["groups"]?.array ?? []).map { try Group(json: $0) }
            .sorted { ($0.name, $0.id) < ($1.name, $1.id) }
        guard !groups.isEmpty else {
            context.remark("There are no groups. Make one: kibo group create NAME WHO…")
            return .done
        }
        let isForCutting = context.isForCutting
        var table = Table(
            [
                .init(title: "GROUP", shrinks: true), .init(title: "YOU"), .init(title: "MEMBERS", alignsRight: true),
                .init(title: "HERE", alignsRight: true), .init(title: "WHAT FOR", shrinks: true, isOptional: true),
            ] + (isForCutting ? [.init(title: "ID")] : []))
        for group in groups {
            let isMember = group.state == .member
            let id = isForCutting ? [Table.Cell(group.id)] : []
            table.rows.append(
                [
                    .init(Words.title(of: group), isMember ? .bold : .dim), Words.standing(group),
                    .init("\(group.members.count)"), .init(isMember ? "\(group.online)" : ""),
                    .init(Words.line(group.description), .dim),
                ] + id)
        }
        context.print(table)
        return .done
    }

    func show(_ word: String) throws -> ExitCode {
        let client = try context.client()
        let id = try context.find(word, .group).id
        let result = try client.call("group.get", ["id": .string(id)])
        if context.printJSON(result) { return .done }
        let group = try Group(json: result)
        var people = try People(client)
        people.update(group)
        let console = context.console
        console.line(console.styled(Words.name(group.name), .bold) + "  " + console.styled(group.id, .dim))
        if !group.description.isEmpty {
            console.line(ForeignText.shown(group.description))
        }
        console.line(standing(group, people))
        console.line(
            console.styled("Made \(Humane.ago(group.createdAt, now: context.now)); \(Self.history(group)).", .dim))
        if let path = group.avatar { console.line(console.styled("Avatar: \(ForeignText.escaped(path))", .dim)) }
        console.line("")
        console.write(table(group, people).render(on: console))
        for member in group.members where member.forked {
            let name = Words.name(member.displayName)
            console.line("")
            console.line(
                console.styled(
                    "A device of \(name) has signed two different messages with the same number, so members may see different messages.",
                    .yellow))
        }
        return .done
    }

    private func standing(_ group: Group, _ people: People) -> String {
        let by = group.addedBy.map { " by \(people.name($0))" } ?? ""
        switch group.state {
        case .member:
            let role = group.role ?? .member
            return
                "You are \(role == .member ? "a member" : "\(role == .owner ? "an owner" : "an admin")")\(by.isEmpty ? "" : ", added\(by)"); "
                + "\(Words.summary(group))."
        case .arriving: return "You were added\(by): \(Words.summary(group))."
        case .left: return "You have left it."
        case .removed: return "You were removed from it."
        }
    }

    private func table(_ group: Group, _ people: People) -> Table {
        var table = Table([
            .init(title: "WHO", shrinks: true), .init(title: "ROLE"), .init(title: "PRESENCE"),
            .init(title: "SINCE", isOptional: true), .init(title: "ID", isOptional: true),
        ])
        for member in group.members {
            let isOwn = member.id == people.own
            let presence: Table.Cell =
                switch member.presence {
                case .online: .init("online", .green)
                case .away: .init("away", .yellow)
                case .offline: .init("offline", .dim)
                }
            table.rows.append([
                .init(Words.name(member.displayName) + (isOwn ? " (you)" : ""), .bold), Words.cell(member.role),
                presence,
                .init(Humane.ago(member.joinedAt, now: context.now), .dim), .init(ShortID.account(member.id), .dim),
            ])
        }
        return table
    }
}
