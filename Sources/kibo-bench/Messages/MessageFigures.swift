/// What a message costs with one program: the time from sending until the other client has it, and the rate when many
/// are on their way.
struct MessageFigures {
    /// The percentiles in milliseconds.
    let p50: Double
    let p99: Double
    let perSecond: Double

    init(p50: Double, p99: Double, perSecond: Double) {
        self.p50 = p50
        self.p99 = p99
        self.perSecond = perSecond
    }

    /// Reads the last line of a contender's output, such as `p50=0.31 p99=0.55 rate=3200`; nil for any other line.
    init?(output: String) {
        guard let line = output.split(separator: "\n").last else { return nil }
        var values: [Substring: Double] = [:]
        for word in line.split(separator: " ") {
            let parts = word.split(separator: "=", maxSplits: 1)
            guard parts.count == 2, let value = Double(parts[1]), value.isFinite, value > 0 else { return nil }
            values[parts[0]] = value
        }
        guard let p50 = values["p50"], let p99 = values["p99"], let perSecond = values["rate"] else { return nil }
        self.init(p50: p50, p99: p99, perSecond: perSecond)
    }

    /// Takes the median of several rounds, value by value.
    /// - Parameter rounds: at least one.
    init(medianOf rounds: [MessageFigures]) {
        self.init(
            p50: Figures(rounds.map(\.p50)).median, p99: Figures(rounds.map(\.p99)).median,
            perSecond: Figures(rounds.map(\.perSecond)).median)
    }

    /// The three values as cells of a table.
    var cells: [String] {
        [Figures.text(p50, digits: 2), Figures.text(p99, digits: 2), Figures.text(perSecond, digits: 0)]
    }

    /// A table of Kibo and the others, with Kibo's values relative to each.
    static func table(_ rows: [(name: String, figures: MessageFigures)]) -> Table {
        var table = Table(["", "p50 ms", "p99 ms", "a second", "kibo's p50 is", "kibo's rate is"])
        for (name, figures) in rows {
            var cells = [name] + figures.cells
            if let own = rows.first?.figures, name != rows.first?.name {
                cells.append(Figures.text(own.p50 / figures.p50, digits: 2) + " times")
                cells.append(Figures.text(own.perSecond / figures.perSecond, digits: 2) + " times")
            }
            table.add(cells)
        }
        return table
    }
}
