import Basics
import ControlProtocol

/// The messages that fit the screen, and scrolling through them. Only what is seen is laid out, however much is loaded.
struct ChatViewport {
    /// The visible part: lines, and which messages they are of.
    struct View {
        var lines: [StyledLine] = []
        /// The highest message that is at least partly in sight.
        var first: Message?
        /// The lowest message that is at least partly in sight.
        var last: Message?
        /// The greatest arrival of what is seen.
        var arrival: Int64 = 0
        /// All that are seen.
        var ids: Set<String> = []
        /// Whether the very first line is seen.
        var isAtTop = false
    }

    /// A line: the block from −1 (what stands above all), and how many of its lines are below.
    private struct Edge {
        var block: Int
        var hidden: Int
    }

    let state: ChatState
    let height: Int
    private let layout: MessageBlock
    /// Pending messages that are not loaded as messages already.
    private let pending: [ChatState.Pending]

    /// A message that the daemon takes at once is not shown as pending before: it would only flicker.
    private static let patience = Duration.milliseconds(400)

    init(_ state: ChatState, width: Int, height: Int, now: Instant, wallTime: WallTime) {
        self.state = state
        self.height = max(1, height)
        layout = MessageBlock(state, width: width, now: wallTime)
        pending = state.pending.filter { !$0.isHere && (!state.isConnected || now - $0.since >= Self.patience) }
    }

    private var lastBlock: Int { state.model.count + pending.count - 1 }

    private func lines(_ block: Int) -> [StyledLine] {
        if block < 0 { return top }
        if let message = state.model[block], block < state.model.count {
            return layout.lines(message, after: block > 0 ? state.model[block - 1] : nil)
        }
        let index = block - state.model.count
        return pending.indices.contains(index) ? layout.lines(pending[index]) : []
    }

    private var top: [StyledLine] {
        if state.isDeleted {
            let next = state.canBeginAnew ? ": what you write starts a new one" : ""
            return [layout.rule("this conversation was deleted\(next)", .notice)]
        }
        if !state.model.isLoaded { return [] }
        if state.model.hasOlder { return [layout.rule("loading older messages", .dim)] }
        return [layout.rule(state.model.count == 0 ? "no messages yet" : "the beginning", .dim)]
    }

    private var edge: Edge {
        guard let anchor = state.anchor, state.model.count > 0 else { return Edge(block: lastBlock, hidden: 0) }
        if let index = state.model.index(of: anchor.id) { return Edge(block: index, hidden: anchor.hidden) }
        return Edge(block: min(state.model.index(at: anchor.position), state.model.count - 1), hidden: 0)
    }

    /// The part that is visible now.
    func view() -> View {
        var view = View()
        let edge = edge
        var block = edge.block
        while block >= -1, view.lines.count < height {
            let all = lines(block)
            let part = block == edge.block ? all.dropLast(edge.hidden) : all[...]
            view.lines.insert(contentsOf: part.suffix(height - view.lines.count), at: 0)
            if !part.isEmpty { note(block, in: &view) }
            if block == -1 { view.isAtTop = true }
            block -= 1
        }
        // A wider window may have made the part above shorter than the window: then more of what is below is seen.
        var below = edge
        while view.lines.count < height, below.block <= lastBlock, state.anchor != nil {
            view.lines += lines(below.block).suffix(below.hidden).prefix(height - view.lines.count)
            if below.hidden > 0 { note(below.block, in: &view) }
            below.block += 1
            below.hidden = below.block <= lastBlock ? lines(below.block).count : 0
        }
        return view
    }

    private func note(_ block: Int, in view: inout View) {
        guard block >= 0, block < state.model.count, let message = state.model[block] else { return }
        view.ids.insert(message.id)
        view.arrival = max(view.arrival, message.arrival)
        if view.first.flatMap({ state.model.index(of: $0.id) }).map({ block < $0 }) ?? true { view.first = message }
        if view.last.flatMap({ state.model.index(of: $0.id) }).map({ block > $0 }) ?? true { view.last = message }
    }

    /// How many unread ones stand above what is seen, as far as that is known.
    func unreadAbove(_ view: View) -> Int64 {
        guard let first = view.first, let top = state.model.index(of: first.id) else { return 0 }
        let loaded = state.model.unread.subtracting(state.marked).filter { id in
            // A message before the loaded part has no place.
            state.model.index(of: id).map { $0 < top } ?? true
        }
        return Int64(loaded.count) + (state.model.hasOlder ? state.unreadOlder : 0)
    }

    // MARK: Scrolling

    /// The edge so many lines further up, but not beyond the first line.
    func up(_ count: Int) -> ChatState.Anchor? {
        var edge = edge
        edge.hidden += count
        while edge.block > 0 {
            let size = lines(edge.block).count
            if edge.hidden < size { break }
            edge.hidden -= size
            edge.block -= 1
        }
        // The window stays full: back down by what is missing above.
        var above = lines(max(0, edge.block)).count - edge.hidden
        var block = edge.block - 1
        while above < height, block >= -1 {
            above += lines(block).count
            block -= 1
        }
        return above < height ? down(from: edge, height - above) : anchor(edge)
    }

    /// The edge so many lines further down; nil at the newest.
    func down(_ count: Int) -> ChatState.Anchor? { down(from: edge, count) }

    private func down(from edge: Edge, _ count: Int) -> ChatState.Anchor? {
        var edge = edge
        edge.hidden -= count
        while edge.hidden < 0, edge.block < lastBlock {
            edge.block += 1
            edge.hidden += lines(edge.block).count
        }
        return anchor(edge)
    }

    /// With a message's first line at the top of the window, or as near to it as the newest allows.
    func anchor(showing id: String) -> ChatState.Anchor? {
        guard let index = state.model.index(of: id) else { return state.anchor }
        return down(from: Edge(block: index, hidden: lines(index).count), height)
    }

    private func anchor(_ edge: Edge) -> ChatState.Anchor? {
        if edge.block >= lastBlock, edge.hidden <= 0 { return nil }
        guard edge.block >= 0, edge.block < state.model.count, let message = state.model[edge.block] else { return nil }
        return ChatState.Anchor(id: message.id, position: message.position, hidden: max(0, edge.hidden))
    }
}
