import Basics
import Vocabulary

extension Message {
    /// What it says, whatever its kind: its text, or a sentence in English for a line of Kibo itself and for a call. Names in it are as
    /// they came; who shows it escapes them.
    public var words: String {
        line.map(\.words) ?? call.map { (unread ? "missed " : "") + $0.words } ?? text
    }

    /// The same as a sentence, if Kibo itself says it; nil for what a person wrote.
    package var ownSentence: String? {
        switch kind {
        case .text, .file: nil
        case .system: words
        case .call: words.prefix(1).uppercased() + words.dropFirst()
        }
    }
}

extension Message.Line {
    /// The line as a sentence.
    public var words: String { undone ? "Undone by a removal made at the same time: \(sentence)" : sentence }

    private var sentence: String {
        let who = actor.own ? "You" : actor.name
        let subjects = names
        let value = value ?? ""
        switch action {
        case .created: return "\(who) made the group “\(value)”" + (subjects.isEmpty ? "" : " with \(subjects)")
        case .added: return "\(who) added \(subjects)"
        case .removed: return "\(who) removed \(subjects)"
        case .roleChanged: return "\(who) made \(subjects) \(Self.word(role))"
        case .left: return "\(who) left"
        case .renamed: return "\(who) renamed the group to “\(value)”"
        case .described where value.isEmpty: return "\(who) removed the description"
        case .described: return "\(who) changed the description: \(value)"
        case .avatarChanged where gone: return "\(who) removed the group's avatar"
        case .avatarChanged: return "\(who) changed the group's avatar"
        case .historyChanged where count ?? 0 == 0:
            return "\(who) decided that new members see only what is written after they join"
        case .historyChanged: return "\(who) decided that new members see the last \(count ?? 0) messages"
        case .inherited: return actor.own ? "You are now the group's owner" : "\(who) is the group's owner now"
        case .forked:
            let whose = actor.own ? "Your" : "\(actor.name)'s"
            return
                "\(whose) device has signed two different entries with the same number: either its data was restored "
                + "from an older copy, or its user is cheating"
        }
    }

    private static func word(_ role: GroupRole?) -> String {
        switch role {
        case .owner: "an owner"
        case .admin: "an admin"
        case .member, nil: "an ordinary member"
        }
    }

    private var names: String {
        var words = subjects.map { $0.own ? "you" : $0.name }
        if more > 0 { words.append("\(more) others") }
        guard let last = words.popLast() else { return "" }
        return words.isEmpty ? last : words.joined(separator: ", ") + " and " + last
    }
}

extension Message.Call {
    /// What stays of the call, in a few words: `call, 2:03`.
    var words: String {
        let what = media == .picture ? "video call" : "call"
        return switch outcome {
        case .answered: duration > 0 ? "\(what), \(SpanText.clock(seconds: duration / 1000))" : what
        case .unanswered: "\(what), not answered"
        case .cancelled: "\(what), cancelled"
        case .declined: "\(what), declined"
        case .busy: "\(what), busy"
        case .unreachable: "\(what), could not ring"
        case .failed: "\(what), no connection"
        }
    }
}
