/// The last lines of the terminal, drawn over again and again. The cursor is hidden meanwhile; ``end()`` brings it back.
///
/// Where there is no terminal nothing is drawn: the caller prints what matters another way.
final class LiveRegion {
    private let console: Console
    private var drawnLines = 0
    private var drawn = ""
    private var isHiding = false

    init(_ console: Console) { self.console = console }

    deinit { end() }

    /// Whether drawing does anything.
    var isLive: Bool { console.isTerminal }

    /// Replaces what was drawn before. Lines that the terminal has no space for are left out.
    func draw(_ text: String) {
        guard isLive else { return }
        var lines = text.split(separator: "\n", omittingEmptySubsequences: false)
        if lines.last == "" { lines.removeLast() }
        if let rows = console.rows, rows > 2 { lines = Array(lines.prefix(rows - 1)) }
        // A line that wraps would take two rows, and the next drawing would miss one.
        let shown = lines.map { line in console.columns.map { DisplayWidth.crop(String(line), to: $0) } ?? String(line)
        }
        let picture = shown.joined(separator: "\n")
        if drawnLines > 0, picture == drawn { return }
        drawn = picture
        var out = isHiding ? "" : "\u{1B}[?25l"
        isHiding = true
        // Writes over the old lines first and only then clears the rest, so that nothing flickers.
        if drawnLines > 0 { out += "\u{1B}[\(drawnLines)A\r" }
        for line in shown { out += line + "\u{1B}[K\n" }
        if drawnLines > shown.count { out += "\u{1B}[J" }
        drawnLines = shown.count
        console.write(out)
    }

    /// Takes away what was drawn.
    func clear() {
        guard drawnLines > 0 else { return }
        console.write(erasure)
        drawnLines = 0
    }

    /// Leaves what was drawn and shows the cursor again. May be called more than once.
    func end() {
        guard isHiding else { return }
        console.write("\u{1B}[?25h")
        isHiding = false
        drawnLines = 0
    }

    private var erasure: String { drawnLines > 0 ? "\u{1B}[\(drawnLines)A\r\u{1B}[J" : "" }
}
