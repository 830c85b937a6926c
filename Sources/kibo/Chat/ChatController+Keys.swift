import Basics
import ControlProtocol

extension ChatController {
    /// Somebody has pressed a key.
    mutating func pressed(_ key: Key) {
        switch key {
        case .enter: enter()
        case .escape: escape()
        case .tab: complete()
        case .pageUp: page(up: true)
        case .pageDown: page(up: false)
        case .previous: select(previous: true)
        case .next: select(previous: false)
        case .control("c"): interrupt()
        case .control("d") where state.editor.isEmpty: effects.append(.quit)
        case .control("z"): effects.append(.suspend)
        case .control("l"): effects.append(.repaint)
        default:
            switch state.editor.handle(key) {
            case .changed: edited()
            case .moved: break
            // At the ends of the text and of what was written before there is nothing to say.
            case .ignored: break
            case .full: notify("That is more than a message holds: send it as a file, with /file", isBad: true)
            }
        }
    }

    private mutating func interrupt() {
        if state.editor.isEmpty {
            effects.append(.quit)
            return
        }
        // It stays within reach of the Up key.
        state.editor.finish()
        state.composing = .message
        stopTyping()
        notify("Ctrl-C again leaves")
    }

    /// Closes what lies on top.
    private mutating func escape() {
        if state.panel != nil {
            state.panel = nil
        } else if state.composing != .message {
            if case .edit = state.composing { state.editor.replace(with: "") }
            state.composing = .message
        } else if state.selection != nil {
            state.selection = nil
        } else {
            toNewest()
        }
        state.notice = nil
    }

    mutating func toNewest() {
        state.anchor = nil
        state.newBelow = 0
    }

    private mutating func enter() {
        let text = state.editor.text
        if text.trimmed.isEmpty {
            state.panel = nil
            return
        }
        // What was wrong before is over, unless it is wrong again.
        state.notice = nil
        switch SlashCommand.read(text) {
        case .message(let text): submit(text)
        case .unknown(let word):
            notify("There is no command \(TextWrap.shown(word)); // at the beginning sends a slash", isBad: true)
        case .command(let command):
            stopTyping()
            // What can't be done stays there to be mended.
            if run(command) { state.editor.finish() }
        }
    }

    private mutating func submit(_ text: String) {
        if case .edit = state.composing, !state.isConnected {
            notify("The daemon is away: try again when it is back", isBad: true)
            return
        }
        state.editor.finish()
        stopTyping()
        switch state.composing {
        case .message: send(text)
        case .reply(let id): send(text, replyTo: id)
        case .edit(let id): change(id, to: text)
        }
        state.composing = .message
    }

    mutating func send(_ text: String, replyTo: String? = nil, files: [String] = []) {
        let pending = ChatState.Pending(
            key: surroundings.key(), text: text, replyTo: replyTo, files: files, since: now)
        state.pending.append(pending)
        state.unreadMark = nil
        state.selection = nil
        state.panel = nil
        toNewest()
        send(pending)
    }

    mutating func change(_ id: String, to text: String) {
        call(
            "message.edit", ["id": .string(id), "text": .string(text)],
            .edited(id, text: text, asOf: state.model.lastSeq))
    }

    private mutating func complete() {
        let text = state.editor.text
        guard text.hasPrefix("/"), !text.contains(where: \.isWhitespace) else { return }
        let found = SlashCommand.completions(text)
        if found.count == 1 {
            state.editor.replace(with: found[0] + " ")
        } else if !found.isEmpty {
            notify(found.joined(separator: "  "))
        }
    }

    // MARK: Moving through the messages

    private mutating func page(up: Bool) {
        let screen = screen
        if var panel = state.panel {
            let step = max(1, screen.messageRows - 1)
            panel.top = max(0, min(panel.top + (up ? -step : step), screen.lines(of: panel).count - screen.messageRows))
            state.panel = panel
            return
        }
        let viewport = screen.viewport
        // One line of the old page stays, to find one's place by.
        let step = max(1, screen.messageRows - 1)
        state.anchor = up ? viewport.up(step) : viewport.down(step)
        if state.anchor == nil { state.newBelow = 0 }
    }

    private mutating func select(previous: Bool) {
        let model = state.model
        guard model.count > 0 else { return }
        let current = state.selection.flatMap { model.index(of: $0) }
        let next: Int
        if let current {
            next = previous ? max(0, current - 1) : current + 1
        } else {
            if !previous { return }
            next = screen.viewport.view().last.flatMap { model.index(of: $0.id) } ?? model.count - 1
        }
        guard let message = model[next] else {
            state.selection = nil
            return
        }
        state.panel = nil
        state.selection = message.id
        let screen = screen
        if !screen.viewport.view().ids.contains(message.id) {
            state.anchor = screen.viewport.anchor(showing: message.id)
        }
        if next == 0 { loadOlder() }
    }
}
