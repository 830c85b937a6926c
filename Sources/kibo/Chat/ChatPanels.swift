import Basics
import ControlProtocol

/// The texts that lie over the messages.
extension ChatState.Panel {
    static func findings(_ result: JSONValue, _ people: People, now: WallTime) -> Self {
        let findings = (result["messages"]?.array ?? []).compactMap { try? Finding(json: $0) }
        let lines = findings.map { finding in
            var line = StyledLine(Humane.moment(finding.message.sentAt, now: now) + "  ", .dim)
            line.append(people.name(finding.message.sender), .bold)
            line.append("  ")
            for piece in Highlight.pieces(finding.snippet, finding.marks) {
                line.append(TextWrap.drawn(piece.text), piece.isMatch ? .match : .plain)
            }
            return line
        }
        let more = result["next"]?.string == nil ? "" : ", and more"
        let title =
            findings.isEmpty
            ? "Nothing was found" : "\(findings.count) found\(more) · Up and Down choose, Enter goes there"
        return Self(title: title, lines: lines, messages: findings.map(\.message.id))
    }

    /// All chats, with what is unread in them.
    static func chats(_ list: ChatList, besides own: String) -> Self {
        let lines = list.ordered.map { chat in
            var line = StyledLine(chat.id == own ? "» " : "  ", .dim)
            line.append(TextWrap.shown(Words.title(of: chat)), chat.unread > 0 ? .bold : .plain)
            if chat.unread > 0 {
                let isMentioned = chat.mentions > 0 && chat.letsMentionsThrough
                line.append("  \(chat.unread) new\(isMentioned ? ", mentions you" : "")", .notice)
            }
            if chat.muted { line.append("  muted", .dim) }
            return line
        }
        return Self(title: "Chats · /chat NAME goes there", lines: lines)
    }

    static func story(_ result: JSONValue, of message: String, _ excerpt: String, now: WallTime) -> Self {
        let story = Story(json: result, of: message, now: now)
        var lines = story.steps.map { step in
            var line = StyledLine(step.when + "  ", .dim)
            line.append(step.what)
            return line
        }
        if !story.now.isEmpty { lines += [StyledLine(), StyledLine("Now: " + story.now, .bold)] }
        return Self(title: "What happened to: \(excerpt)", lines: lines)
    }

    static var help: Self {
        var lines: [StyledLine] = []
        func add(_ left: String, _ right: String) {
            var line = StyledLine(left, .bold).padded(to: 33)
            line.append(right)
            lines.append(line)
        }
        for name in SlashCommand.Name.allCases { add(name.help.usage, name.help.meaning) }
        lines.append(StyledLine())
        lines.append(
            StyledLine("Without an #ID, commands apply to the selected message, or to the newest one that fits.", .dim))
        lines.append(StyledLine())
        add("Enter", "send")
        add("Alt-Enter, Ctrl-J", "a new line")
        add("PageUp, PageDown", "scroll through the messages")
        add("Alt-Up, Alt-Down", "go to the chat above or below")
        add("Ctrl-Up, Ctrl-Down", "choose a message")
        add("Tab", "complete a command, a name, a path or an emoji (:thumbs)")
        add("Up, Down", "what you wrote before")
        add("Ctrl-A E K U W Y, Alt-B F", "edit as in a shell")
        add("Ctrl-L, Ctrl-Z", "redraw the screen, suspend (fg continues)")
        add("Esc", "close this, clear the selection, back to the newest")
        return Self(title: "kibo chat", lines: lines, indent: 26)
    }
}
