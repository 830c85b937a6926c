import Basics

/// Rows and columns, aligned. Where the terminal is too narrow the widest texts that may be cut are cut, and then columns
/// left out that may be.
struct Table {
    /// The content of a place.
    struct Cell {
        /// Fit for a terminal: foreign text escaped, no newlines.
        let text: String
        let style: Console.Style?
        /// The part that is never cut: the beginning of the text, or the words that stand for all of it where it doesn't fit.
        let head: String?
        /// What programs get in place of the text; nil for the text itself.
        let exact: String?

        init(_ text: String, _ style: Console.Style? = nil, head: String? = nil, exact: String? = nil) {
            self.text = text
            self.style = style
            self.head = head
            self.exact = exact
        }

        /// An account's id.
        static func account(_ id: String) -> Cell { Cell(ShortID.account(id), .dim, exact: id) }

        /// How long ago something was.
        static func ago(_ time: Int64, now: WallTime) -> Cell {
            Cell(Humane.ago(time, now: now), .dim, exact: Humane.exact(time))
        }

        /// The same for people; programs get this.
        func exactly(_ exact: String) -> Cell { Cell(text, style, head: head, exact: exact) }

        /// The columns that it needs at least.
        var least: Int {
            guard let head else { return 0 }
            // One more, for the sign that something was cut.
            return DisplayWidth.of(head) + (text != head && text.hasPrefix(head) ? 1 : 0)
        }

        /// The columns for its first clause, if they are few: `paused by you and Anna` is better than `paused by both`.
        var wanted: Int {
            let width = clauseColumns
            return head == nil || width > Self.shortClause ? least : max(least, width)
        }

        private static let shortClause = 24

        private var clauseColumns: Int {
            let clause = text.prefix { $0 != "," && $0 != ":" }
            return DisplayWidth.of(String(clause)) + (clause.count < text.count ? 1 : 0)
        }

        func fitted(to width: Int) -> String {
            if let head, DisplayWidth.of(text) > width, !text.hasPrefix(head), clauseColumns > width {
                return DisplayWidth.truncate(head, to: width)
            }
            return DisplayWidth.truncate(text, to: width)
        }
    }

    /// A column.
    struct Column {
        let title: String
        var alignsRight = false
        /// Whether it may be cut where the terminal is too narrow.
        var shrinks = false
        /// Whether it may be left out where cutting is not enough.
        var isOptional = false
        /// Whether it may be left out once all the optional ones are.
        var goesLast = false
        /// Columns that are left when it is cut: fewer, and nothing can be made out.
        var keeps = 8
    }

    let columns: [Column]
    var rows: [[Cell]] = []

    init(_ columns: [Column]) { self.columns = columns }

    /// The rows for programs that cut: a line each, with a tab between two fields, whole and without a heading. No text can make
    /// a field or a row of its own.
    var tabSeparated: String {
        rows.map { row in
            // A dash is for people.
            row.map { ForeignText.escaped($0.exact ?? ($0.text == "–" ? "" : $0.text)) }.joined(separator: "\t") + "\n"
        }.joined()
    }

    /// The table with its heading; one line for each row, newlines included.
    func render(on console: Console) -> String {
        var shown = Array(columns.indices)
        var widths = columns.indices.map { index in
            ([columns[index].title] + rows.map { $0[index].text }).map(DisplayWidth.of).max() ?? 0
        }
        if let limit = console.columns {
            var least = least(widths, \.wanted)
            while excess(least, of: shown, over: limit) > 0,
                let index = shown.lastIndex(where: { columns[$0].isOptional })
                    ?? shown.lastIndex(where: { columns[$0].goesLast })
            {
                shown.remove(at: index)
            }
            if excess(least, of: shown, over: limit) > 0 { least = self.least(widths, \.least) }
            shrink(&widths, of: shown, to: limit, least: least)
        }
        var out = ""
        out += line(columns.map { Cell($0.title, .bold) }, widths, shown, console)
        for row in rows { out += line(row, widths, shown, console) }
        return out
    }

    /// The least widths that cutting can make.
    private func least(_ widths: [Int], _ need: KeyPath<Cell, Int>) -> [Int] {
        widths.indices.map { index in
            guard columns[index].shrinks else { return widths[index] }
            return min(widths[index], max(columns[index].keeps, rows.map { $0[index][keyPath: need] }.max() ?? 0))
        }
    }

    private func excess(_ widths: [Int], of shown: [Int], over limit: Int) -> Int {
        shown.reduce(2 * (shown.count - 1)) { $0 + widths[$1] } - limit
    }

    private func shrink(_ widths: inout [Int], of shown: [Int], to limit: Int, least: [Int]) {
        for _ in 0..<max(0, excess(widths, of: shown, over: limit)) {
            let candidates = shown.filter { columns[$0].shrinks && widths[$0] > least[$0] }
            guard let widest = candidates.max(by: { widths[$0] < widths[$1] }) else { return }
            widths[widest] -= 1
        }
    }

    private func line(_ cells: [Cell], _ widths: [Int], _ shown: [Int], _ console: Console) -> String {
        var out = ""
        for index in shown {
            let cell = cells[index]
            let isLast = index == shown.last
            let text = cell.fitted(to: widths[index])
            let padding = String(repeating: " ", count: max(0, widths[index] - DisplayWidth.of(text)))
            let styled = cell.style.map { console.styled(text, $0) } ?? text
            if columns[index].alignsRight {
                out += padding + styled
            } else {
                // Nothing after the last column: trailing blanks only get in the way of copying.
                out += styled + (isLast ? "" : padding)
            }
            if !isLast { out += "  " }
        }
        return out + "\n"
    }
}
