import Basics
import ControlProtocol

/// One transfer as a line with a bar: `report.pdf  ████████░░░░  62 %  40.1 of 64.0 MiB  112.0 MiB/s  0:03 left`.
enum ProgressLine {
    /// Columns of the bar itself, and with how few it is still one.
    private static let barColumns = 20
    private static let leastBar = 6
    /// Columns that a name may take, and with how few it can still be told from others.
    static let nameColumns = 28
    private static let leastName = 8
    /// Columns of the words for a state.
    private static let stateColumns = 44
    private static let gap = 2

    /// The parts of it that fit on the terminal: a line that wraps can't be drawn over.
    private struct Shape {
        var name: Int
        var bar = ProgressLine.barColumns
        var percent = 5
        /// Widths: sizes, files, then what comes last.
        var details: [Int]
        var tail: [Int]

        var width: Int {
            let parts = [name, bar, percent].filter { $0 > 0 } + details + tail
            return parts.reduce(0, +) + max(0, parts.count - 1) * ProgressLine.gap
        }

        /// Leaves out one more part: the one that people miss least goes first. False if there is nothing left to leave
        /// out.
        mutating func shrink() -> Bool {
            if !details.isEmpty {
                details.removeLast()
            } else if bar > ProgressLine.leastBar {
                bar -= 1
            } else if name > ProgressLine.leastName {
                name -= 1
            } else if bar > 0 {
                bar = 0
            } else if !tail.isEmpty {
                tail.removeLast()
            } else if name > 1 {
                name -= 1
            } else {
                return false
            }
            return true
        }
    }

    /// - Parameters:
    ///   - peer: the other side's name, to say which side has paused it.
    ///   - nameWidth: the width of the widest name, where several lines stand below each other.
    static func text(
        _ transfer: Transfer, on console: Console, peer: String? = nil, isPeerOffline: Bool = false,
        courier: String? = nil,
        nameWidth: Int = 0
    ) -> String {
        let name = Words.name(transfer.name)
        var details = ["\(Humane.size(transfer.bytesDone)) of \(Humane.size(transfer.size))"]
        if transfer.files > 1 { details.append("\(transfer.filesDone)/\(transfer.files) files") }
        var tail: [String] = []
        var style: Console.Style?
        if transfer.state == .active, !isPeerOffline {
            tail.append("\(Humane.size(transfer.rate))/s")
            if let left = transfer.secondsLeft { tail.append("\(Humane.clock(seconds: left)) left") }
        } else {
            let state = Words.cell(transfer, peer: peer, isPeerOffline: isPeerOffline, courier: courier)
            tail.append(state.fitted(to: stateColumns))
            style = state.style
        }
        var shape = Shape(
            name: min(max(DisplayWidth.of(name), nameWidth), nameColumns), details: details.map(DisplayWidth.of),
            tail: tail.map(DisplayWidth.of))
        if let columns = console.columns { while shape.width >= columns, shape.shrink() {} }
        var parts = [padded(DisplayWidth.truncate(name, to: shape.name), shape.name)]
        if shape.bar > 0 { parts.append(bar(transfer, shape.bar, on: console)) }
        parts.append(pad("\(percent(transfer)) %", shape.percent))
        parts += details.prefix(shape.details.count)
        parts += tail.prefix(shape.tail.count).map { part in style.map { console.styled(part, $0) } ?? part }
        return parts.joined(separator: String(repeating: " ", count: gap))
    }

    /// The width that the names of several lines take.
    static func nameWidth(_ transfers: some Sequence<Transfer>) -> Int {
        transfers.map { DisplayWidth.of(Words.name($0.name)) }.max() ?? 0
    }

    /// Whole percents, rounded down: 100 means all of it.
    static func percent(_ transfer: Transfer) -> Int {
        if transfer.size <= 0 { return transfer.state == .done ? 100 : 0 }
        let done = min(max(0, transfer.bytesDone), transfer.size)
        return Int(Double(done) / Double(transfer.size) * 100)
    }

    private static func bar(_ transfer: Transfer, _ columns: Int, on console: Console) -> String {
        let full = percent(transfer) * columns / 100
        let style: Console.Style = transfer.state == .active || transfer.state == .done ? .green : .yellow
        return console.styled(String(repeating: "█", count: full), style)
            + console.styled(String(repeating: "░", count: columns - full), .dim)
    }

    private static func pad(_ text: String, _ width: Int) -> String {
        String(repeating: " ", count: max(0, width - text.count)) + text
    }

    private static func padded(_ text: String, _ width: Int) -> String {
        text + String(repeating: " ", count: max(0, width - DisplayWidth.of(text)))
    }
}
