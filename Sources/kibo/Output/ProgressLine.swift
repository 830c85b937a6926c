import Basics
import ControlProtocol

/// One transfer as a line with a bar: `report.pdf  ████████░░░░  62 %  40.1 of 64.0 MiB  112.0 MiB/s  0:03 left`.
enum ProgressLine {
    /// Columns of the bar itself.
    private static let barColumns = 20
    /// Columns that a name may take.
    private static let nameColumns = 28

    static func text(_ transfer: Transfer, on console: Console) -> String {
        let name = DisplayWidth.truncate(Words.name(transfer.name), to: nameColumns)
        var parts = [name, bar(transfer, on: console), pad("\(percent(transfer)) %", 5)]
        parts.append("\(Humane.size(transfer.bytesDone)) of \(Humane.size(transfer.size))")
        if transfer.files > 1 { parts.append("\(transfer.filesDone)/\(transfer.files) files") }
        switch transfer.state {
        case .active:
            parts.append("\(Humane.size(transfer.rate))/s")
            if let left = transfer.secondsLeft { parts.append("\(Humane.clock(seconds: left)) left") }
        default:
            let state = Words.cell(transfer)
            parts.append(state.style.map { console.styled(state.text, $0) } ?? state.text)
        }
        return fit(parts, on: console)
    }

    /// Leaves parts out from the end until the line fits: a line that wraps can't be drawn over.
    private static func fit(_ parts: [String], on console: Console) -> String {
        guard let columns = console.columns else { return parts.joined(separator: "  ") }
        var parts = parts
        while parts.count > 1, visibleWidth(parts.joined(separator: "  ")) >= columns { parts.removeLast() }
        return parts.joined(separator: "  ")
    }

    /// Columns, colour codes not counted.
    private static func visibleWidth(_ text: String) -> Int {
        var isCode = false
        var plain = ""
        for character in text {
            if character == "\u{1B}" { isCode = true }
            if !isCode { plain.append(character) }
            if character == "m" { isCode = false }
        }
        return DisplayWidth.of(plain)
    }

    /// Whole percents, rounded down: 100 means all of it.
    static func percent(_ transfer: Transfer) -> Int {
        if transfer.size <= 0 { return transfer.state == .done ? 100 : 0 }
        let done = min(max(0, transfer.bytesDone), transfer.size)
        return Int(Double(done) / Double(transfer.size) * 100)
    }

    private static func bar(_ transfer: Transfer, on console: Console) -> String {
        let full = percent(transfer) * barColumns / 100
        let style: Console.Style = transfer.state == .active || transfer.state == .done ? .green : .yellow
        return console.styled(String(repeating: "█", count: full), style)
            + console.styled(String(repeating: "░", count: barColumns - full), .dim)
    }

    private static func pad(_ text: String, _ width: Int) -> String {
        String(repeating: " ", count: max(0, width - text.count)) + text
    }
}
