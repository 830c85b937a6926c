/// Rows and columns, aligned; on a terminal cut to its width at the widest text column that may be cut.
struct Table {
    /// What stands in a place.
    struct Cell {
        /// Fit for a terminal: foreign text escaped, no newlines.
        let text: String
        let style: Console.Style?

        init(_ text: String, _ style: Console.Style? = nil) {
            self.text = text
            self.style = style
        }
    }

    /// A column.
    struct Column {
        let title: String
        var alignsRight = false
        /// Whether it may be cut where the terminal is too narrow.
        var shrinks = false
    }

    let columns: [Column]
    var rows: [[Cell]] = []

    init(_ columns: [Column]) { self.columns = columns }

    /// The table with its heading; one line for each row, newlines included.
    func render(on console: Console) -> String {
        var widths = columns.indices.map { index in
            ([columns[index].title] + rows.map { $0[index].text }).map(DisplayWidth.of).max() ?? 0
        }
        shrink(&widths, to: console.columns)
        var out = ""
        out += line(columns.map { Cell($0.title, .bold) }, widths, console)
        for row in rows { out += line(row, widths, console) }
        return out
    }

    /// A shrinking column keeps at least this much, or nothing can be made out.
    private static let narrowest = 8

    private func shrink(_ widths: inout [Int], to limit: Int?) {
        guard let limit else { return }
        var excess = widths.reduce(0, +) + 2 * (columns.count - 1) - limit
        while excess > 0 {
            let candidates = columns.indices.filter { columns[$0].shrinks && widths[$0] > Self.narrowest }
            guard let widest = candidates.max(by: { widths[$0] < widths[$1] }) else { return }
            widths[widest] -= 1
            excess -= 1
        }
    }

    private func line(_ cells: [Cell], _ widths: [Int], _ console: Console) -> String {
        var out = ""
        for (index, cell) in cells.enumerated() {
            let text = DisplayWidth.truncate(cell.text, to: widths[index])
            let padding = String(repeating: " ", count: max(0, widths[index] - DisplayWidth.of(text)))
            let shown = cell.style.map { console.styled(text, $0) } ?? text
            if columns[index].alignsRight {
                out += padding + shown
            } else {
                // Nothing after the last column: trailing blanks only get in the way of copying.
                out += shown + (index == cells.count - 1 ? "" : padding)
            }
            if index < cells.count - 1 { out += "  " }
        }
        return out + "\n"
    }
}
