import ControlProtocol
import Vocabulary

/// Puts a line of Kibo itself in a group into a sentence. Names in it are as they came; the caller escapes them.
enum LineWords {
    static func text(_ line: Message.Line) -> String {
        let text = sentence(line)
        return line.undone ? "Undone by a removal made at the same time: \(text)" : text
    }

    private static func sentence(_ line: Message.Line) -> String {
        let actor = line.actor.own ? "You" : line.actor.name
        let subjects = list(line)
        let value = line.value ?? ""
        switch line.action {
        case .created: return "\(actor) made the group “\(value)”" + (subjects.isEmpty ? "" : " with \(subjects)")
        case .added: return "\(actor) added \(subjects)"
        case .removed: return "\(actor) removed \(subjects)"
        case .roleChanged: return "\(actor) made \(subjects) \(role(line.role))"
        case .left: return "\(actor) left"
        case .renamed: return "\(actor) renamed the group to “\(value)”"
        case .described where value.isEmpty: return "\(actor) removed the description"
        case .described: return "\(actor) changed the description: \(value)"
        case .avatarChanged where line.gone: return "\(actor) removed the group's avatar"
        case .avatarChanged: return "\(actor) changed the group's avatar"
        case .historyChanged where line.count ?? 0 == 0:
            return "\(actor) decided that new members see only what is written after they join"
        case .historyChanged: return "\(actor) decided that new members see the last \(line.count ?? 0) messages"
        case .inherited: return line.actor.own ? "You are now the group's owner" : "\(actor) is the group's owner now"
        case .forked:
            let whose = line.actor.own ? "Your" : "\(actor)'s"
            return
                "\(whose) device has signed two different entries with the same number: either its data was restored "
                + "from an older copy, or its user is cheating"
        }
    }

    private static func role(_ role: GroupRole?) -> String {
        switch role {
        case .owner: "an owner"
        case .admin: "an admin"
        case .member, nil: "an ordinary member"
        }
    }

    private static func list(_ line: Message.Line) -> String {
        var words = line.subjects.map { $0.own ? "you" : $0.name }
        if line.more > 0 { words.append("\(line.more) others") }
        guard let last = words.popLast() else { return "" }
        return words.isEmpty ? last : words.joined(separator: ", ") + " and " + last
    }
}
