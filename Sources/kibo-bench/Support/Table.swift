/// Rows of text under a head. The first column is aligned at the left, the others at the right.
struct Table {
    private var rows: [[String]]

    init(_ head: [String]) { rows = [head] }

    /// - Parameter cells: at most as many as the head has; missing ones are empty.
    mutating func add(_ cells: [String]) { rows.append(cells) }

    var lines: [String] {
        let widths = (rows.first ?? []).indices.map { column in
            rows.map { column < $0.count ? $0[column].count : 0 }.max() ?? 0
        }
        return rows.map { row in
            var line = ""
            for (column, width) in widths.enumerated() {
                let cell = column < row.count ? row[column] : ""
                line += column == 0 ? cell.padded(width) : "  " + cell.padded(width, left: true)
            }
            while line.hasSuffix(" ") { line.removeLast() }
            return line
        }
    }

    /// Prints the table, indented.
    func print() { for line in lines { report("  " + line) } }
}

/// A limit that measured values have to keep.
struct Bound {
    /// Whether it holds.
    enum Verdict: String {
        case holds
        /// Half of the values keep the limit, but not 99 of 100.
        case mostly = "p50 only"
        case broken = "NO"
    }

    /// The greatest value allowed.
    let limit: Double

    func verdict(_ figures: Figures) -> Verdict {
        if figures.percentile(99) <= limit { return .holds }
        return figures.median <= limit ? .mostly : .broken
    }
}
