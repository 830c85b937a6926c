import Basics
import ControlProtocol

/// The texts that lie over the messages.
extension ChatState.Panel {
    static func findings(_ result: JSONValue, _ people: People, now: WallTime) -> Self {
        let found = (result["messages"]?.array ?? []).compactMap { try? Finding(json: $0) }
        let lines = found.map { finding in
            var line = StyledLine(Humane.moment(finding.message.sentAt, now: now) + "  ", .dim)
            line.append(people.name(finding.message.sender), .bold)
            line.append("  ")
            for piece in Highlight.pieces(finding.snippet, finding.marks) {
                line.append(TextWrap.shown(piece.text), piece.isMatch ? .match : .plain)
            }
            return line
        }
        let more = result["next"]?.string == nil ? "" : ", and more"
        let title = found.isEmpty ? "Nothing was found" : "\(found.count) found, the newest first\(more)"
        return Self(title: title, lines: lines)
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
            var line = StyledLine(left, .bold).padded(to: 26)
            line.append(right)
            lines.append(line)
        }
        for name in SlashCommand.Name.allCases { add(name.help.usage, name.help.meaning) }
        lines.append(StyledLine())
        lines.append(StyledLine("Without an #ID the selected message is meant, else the newest that fits.", .dim))
        lines.append(StyledLine())
        add("Enter", "send")
        add("Alt-Enter, Ctrl-J", "a new line")
        add("PageUp, PageDown", "scroll through the messages")
        add("Alt-Up, Alt-Down", "choose a message")
        add("Up, Down", "what you wrote before")
        add("Ctrl-A E K U W Y, Alt-B F", "edit as in a shell")
        add("Ctrl-L, Ctrl-Z", "draw anew, stop for a while (fg goes on)")
        add("Esc", "close this, choose nothing, back to the newest")
        return Self(title: "kibo chat", lines: lines, indent: 26)
    }
}
