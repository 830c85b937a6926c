import Basics
import ControlProtocol

/// The whole screen as lines: a bar with the name of the conversation, the messages, a bar with what goes on, and the
/// text being written. It is pure: the same state and size make the same lines.
struct ChatScreen {
    /// All rows of the terminal, with the cursor.
    struct Screen: Equatable {
        var rows: [StyledLine] = []
        /// Where the cursor is, from 0.
        var row = 0
        var column = 0
    }

    /// The columns and rows of a terminal.
    struct Size: Equatable {
        var columns: Int
        var rows: Int
    }

    let state: ChatState

    private static let prompt = "> "

    private var width: Int { max(4, state.size.columns) }

    /// The text being written may take a third of the screen.
    private var editor: (rows: ArraySlice<String>, cursorRow: Int, column: Int) {
        let layout = EditorLayout(state.composer.editor, width: width - Self.prompt.count)
        let window = layout.window(max(1, state.size.rows / 3))
        return (window.rows, window.cursorRow, layout.column)
    }

    /// Lines that are left for messages.
    var messageRows: Int { max(1, state.size.rows - 1 - statusTexts.count - editor.rows.count) }

    /// What the bar says. A notice that doesn't fit takes more rows, so that it can be read whole.
    private var statusTexts: [String] {
        guard let notice = state.notice else { return [doing] }
        let rows = StyledLine(notice.text).wrapped(to: width - 3).map(\.text)
        let most = max(1, state.size.rows / 3)
        guard rows.count > most else { return rows }
        return rows.prefix(most - 1) + [DisplayWidth.crop(rows[most - 1], to: width - 4) + "…"]
    }

    /// The messages in their window.
    var viewport: ChatViewport {
        ChatViewport(state, width: width, height: messageRows, now: state.now, wallTime: state.wallTime)
    }

    /// - Returns: the screen, and the messages that are on it; nil where something lies over them.
    func drawn() -> (screen: Screen, view: ChatViewport.View?) {
        let editor = editor
        var screen = Screen()
        var view: ChatViewport.View?
        screen.rows.append(titleBar)
        if let panel = state.panel {
            screen.rows += panelRows(panel)
        } else {
            let seen = viewport.view()
            screen.rows += Array(repeating: StyledLine(), count: max(0, messageRows - seen.lines.count)) + seen.lines
            view = seen
        }
        screen.rows += statusBars(view)
        // A terminal of two lines shows what is being written, and less of all else.
        let surplus = screen.rows.count + editor.rows.count - state.size.rows
        if surplus > 0 { screen.rows.removeFirst(min(surplus, screen.rows.count)) }
        screen.row = screen.rows.count + editor.cursorRow
        screen.column = min(width - 1, Self.prompt.count + editor.column)
        for (index, row) in editor.rows.enumerated() {
            var line = StyledLine(index == 0 ? prompt : "  ", .bold)
            line.append(row)
            screen.rows.append(line)
        }
        return (screen, view)
    }

    private var prompt: String {
        if case .edit = state.composer.purpose { return "e " }
        return Self.prompt
    }

    private func panelRows(_ panel: ChatState.Panel) -> [StyledLine] {
        let lines = lines(of: panel)
        // A wider window may have made them fewer.
        let body = lines.dropFirst(max(0, min(panel.top, lines.count - messageRows))).prefix(messageRows)
        return body + Array(repeating: StyledLine(), count: messageRows - body.count)
    }

    /// A panel's lines as they fit the width.
    func lines(of panel: ChatState.Panel) -> [StyledLine] {
        panel.lines.enumerated().flatMap { index, line in
            let rows = line.wrapped(to: width, indent: panel.indent)
            guard index == panel.selected else { return rows }
            return rows.map { StyledLine($0.text, .bar).padded(to: width, .bar) }
        }
    }

    /// The rows that a line of a panel takes.
    func rows(of line: StyledLine, in panel: ChatState.Panel) -> Int {
        line.wrapped(to: width, indent: panel.indent).count
    }

    // MARK: Bars

    private var titleBar: StyledLine {
        if let panel = state.panel { return bar(panel.title, "Esc closes this") }
        var left = TextWrap.shown(Words.name(state.title))
        if let contact = state.contact.flatMap({ state.people.contacts[$0] }) {
            left += " · " + Words.cell(contact, now: state.wallTime).text
            if contact.trust == .changed { left += " · the key has changed!" }
            if contact.relation != .friend { left += " · not a friend" }
        }
        if let group = state.group.flatMap({ state.people.groups[$0] }) { left += " · " + Words.summary(group) }
        if state.isMuted { left += " · muted" }
        if state.calls.engaged?.conversation == state.model.conversation { left += " · in a call" }
        return bar(left, "/help")
    }

    private func statusBars(_ view: ChatViewport.View?) -> [StyledLine] {
        let texts = statusTexts
        let (place, last) = (place(view), texts.last ?? "")
        // A notice goes before the place.
        let fits = state.notice == nil || DisplayWidth.of(last) + DisplayWidth.of(place) + 4 <= width
        return texts.dropLast().map { bar($0, "") } + [bar(last, fits ? place : "")]
    }

    /// The text about what goes on, the most urgent first.
    private var doing: String {
        if !state.isConnected { return "The daemon isn't running; the chat continues when it is back" }
        if let call = state.calls.ringing {
            let what = call.media == .video ? "is calling with video" : "calls"
            return "\(state.name(of: call)) \(what): /answer or /decline"
        }
        let names = state.typing.filter { $0.value > state.now }.map { state.people.name($0.key) }.sorted()
        let typing =
            names.isEmpty ? "" : names.joined(separator: ", ") + (names.count == 1 ? " is typing" : " are typing")
        switch state.composer.purpose {
        case .message:
            if !typing.isEmpty { return typing }
            if state.wanted != nil { return "Loading older messages" }
            let news = state.chats.unread(besides: state.model.conversation)
            return news.isEmpty ? "" : "New: \(news) · Alt-Down or /chat"
        case .edit(let id): return "Editing: \(excerpt(id)) · Esc cancels"
        case .reply(let id): return "Replying to: \(excerpt(id)) · Esc cancels"
        }
    }

    private func excerpt(_ id: String) -> String {
        state.message(id).map { DisplayWidth.truncate(TextWrap.shown(Words.excerpt($0)), to: 30) } ?? "a message"
    }

    private func place(_ view: ChatViewport.View?) -> String {
        if let panel = state.panel {
            let left = lines(of: panel).count - panel.top - messageRows
            if left > 0 { return "PageDown: \(Humane.count(Int64(left), "line")) more" }
            return panel.top > 0 ? "PageUp goes back" : ""
        }
        let above = view.map(viewport.unreadAbove) ?? 0
        var places: [String] = []
        if above > 0 { places.append("\(above) \(state.hasNewAbove ? "new" : "unread") above · PageUp") }
        if state.newBelow > 0 {
            places.append("PageDown: \(state.newBelow) new below")
        } else if state.anchor != nil {
            places.append("PageDown for more")
        }
        // Where there is no space for both, the new ones below show themselves sooner or later.
        let all = places.joined(separator: "  ")
        return DisplayWidth.of(all) + 12 <= width ? all : places.first ?? ""
    }

    /// Left and right of a bar in reverse.
    private func bar(_ left: String, _ right: String) -> StyledLine {
        let right = DisplayWidth.of(right) + 12 <= width ? right + " " : ""
        let left = DisplayWidth.truncate(" " + left, to: width - DisplayWidth.of(right) - 1)
        let gap = width - DisplayWidth.of(left) - DisplayWidth.of(right)
        return StyledLine(left + String(repeating: " ", count: max(0, gap)) + right, .bar)
    }
}
