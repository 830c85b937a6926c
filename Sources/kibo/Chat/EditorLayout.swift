/// The text being written, in rows of the screen.
struct EditorLayout {
    let rows: [String]
    /// Where the cursor is: row, and column in cells.
    let row: Int
    let column: Int

    /// - Parameter width: columns of a row; a character that doesn't fit goes to the next.
    init(_ editor: LineEditor, width: Int) {
        let width = max(2, width)
        var rows = [""]
        var used = 0
        func add(_ text: String) {
            for character in text {
                if character == "\n" {
                    rows.append("")
                    used = 0
                    continue
                }
                // A tab is drawn as blanks; nothing else in it is wider than two columns.
                let shown = TextWrap.shown(String(character))
                let wide = DisplayWidth.of(shown)
                if used + wide > width {
                    rows.append("")
                    used = 0
                }
                rows[rows.count - 1] += shown
                used += wide
            }
        }
        add(editor.before)
        if used >= width {
            rows.append("")
            used = 0
        }
        (row, column) = (rows.count - 1, used)
        add(editor.after)
        self.rows = rows
    }

    /// The rows to show where there is space for so many: those around the cursor.
    func window(_ height: Int) -> (rows: ArraySlice<String>, cursorRow: Int) {
        let height = max(1, height)
        let first = max(0, min(row - height + 1 + (rows.count > row + 1 ? 1 : 0), rows.count - height))
        let start = min(first, row)
        return (rows[start..<min(rows.count, start + height)], row - start)
    }
}
