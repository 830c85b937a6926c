/// Reads what can be read of a damaged table: forward until a page can't be read, then backward from the end. Then it
/// looks into the gap between by halving it again and again, within a bounded number of tries.
struct TableSalvage {
    private let database: DamagedDatabase
    private let table: TableLayout
    /// Gets each row that could be read, once.
    private let take: ([Cell]) throws(StoreError) -> Void
    private var tries: Int

    /// A gap between two rows that were read, or before the first row, or after the last one.
    private struct Gap {
        var low: RowKey?
        var high: RowKey?
        /// The leading key values that all rows in the gap share. The gap is halved by the column after them.
        var shared: [Cell] = []
        /// The ordinals before and after the gap.
        var from: Int64
        var to: Int64

        var width: UInt64 { to > from ? UInt64(bitPattern: to &- from) : 0 }
    }

    init(
        _ table: TableLayout, of database: DamagedDatabase, tries: Int = StoreLimits.repairTries,
        take: @escaping ([Cell]) throws(StoreError) -> Void
    ) {
        self.table = table
        self.database = database
        self.tries = tries
        self.take = take
    }

    /// - Returns: whether all rows could be read.
    mutating func run() throws(StoreError) -> Bool {
        let forward = try read(after: nil, before: nil)
        if forward.end == .complete { return true }
        let backward = try readBackward(after: forward.last, before: nil)
        if backward.end == .complete { return false }
        try fill(forward.last, backward.last)
        return false
    }

    /// - Parameters:
    ///   - low: the last row before the gap; nil if none could be read.
    ///   - high: the first row behind it; nil if none could be read.
    private mutating func fill(_ low: RowKey?, _ high: RowKey?) throws(StoreError) {
        // A key like those of this table is needed to turn ordinals into keys.
        guard let sample = low ?? high ?? emptyKey else { return }
        var gaps: [Gap] = []
        if let high {
            let shared = zip(low?.cells ?? [], high.cells).prefix { $0 == $1 }.map { $0.0 }
            guard let to = high.ordinal(shared.count) else { return }
            gaps.append(Gap(low: low, high: high, shared: shared, from: low?.ordinal(shared.count) ?? -1, to: to))
        } else {
            gaps = try openGaps(low, sample)
        }
        while tries > 0, let widest = gaps.indices.max(by: { gaps[$0].width < gaps[$1].width }) {
            let gap = gaps.remove(at: widest)
            guard gap.width > 1 else { break }
            tries -= 1
            gaps += try halve(gap, sample)
        }
    }

    /// The gaps after the last readable row of a table whose end can't be read. Tries places at distances that double,
    /// and again from each row that this finds.
    private mutating func openGaps(_ low: RowKey?, _ sample: RowKey) throws(StoreError) -> [Gap] {
        if case .blob = sample.cells.first {
            return [Gap(low: low, high: nil, from: low?.ordinal() ?? -1, to: .max)]
        }
        var gaps: [Gap] = []
        var low = low
        while true {
            let from = low?.ordinal() ?? -1
            let (part, end) = try leap(from: from, after: low, sample)
            guard let first = part?.first, let last = part?.last, let place = first.ordinal() else {
                // If no place of the table can be reached, its root is lost.
                if low != nil { gaps.append(Gap(low: low, high: nil, from: from, to: end)) }
                return gaps
            }
            gaps.append(Gap(low: low, high: first, from: from, to: place))
            if part?.end == .complete { return gaps }
            low = last
        }
    }

    /// - Returns: the first rows found after a place, if there are any; otherwise how far the gap after it is worth
    ///   searching.
    private mutating func leap(
        from: Int64, after low: RowKey?, _ sample: RowKey
    ) throws(StoreError) -> (found: Part?, end: Int64) {
        for power in 0..<62 {
            let (place, overflow) = from.addingReportingOverflow(1 << Int64(power))
            if overflow { break }
            let part = try read(from: [sample.value(at: place)], after: low, before: nil)
            if part.first != nil { return (part, place) }
            if part.end == .complete { return (nil, min(place, from &+ StoreLimits.repairReach)) }
        }
        return (nil, from &+ StoreLimits.repairReach)
    }

    private mutating func halve(_ gap: Gap, _ sample: RowKey) throws(StoreError) -> [Gap] {
        let middle = gap.from &+ Int64(bitPattern: gap.width / 2)
        let column = gap.shared.count
        let start = gap.shared + [sample.value(at: middle, column)]
        let part = try read(from: start, after: gap.low, before: gap.high)
        var (lower, upper) = (gap, gap)
        lower.to = middle
        guard let first = part.first, let last = part.last else {
            if part.end == .complete { return [lower] }
            upper.from = middle
            return [lower, upper]
        }
        var gaps: [Gap] = []
        if part.end == .damaged, let end = last.ordinal(column) {
            (upper.low, upper.from) = (last, end)
            gaps.append(upper)
        }
        let below = try readBackward(after: gap.low, before: first)
        if below.end == .damaged {
            lower.high = below.last ?? first
            lower.to = min(middle, lower.high?.ordinal(column) ?? middle)
            gaps.append(lower)
        }
        return gaps
    }

    /// A key for a table that couldn't be read at all.
    private var emptyKey: RowKey? { table.key == ["rowid"] ? RowKey(cells: [.integer(0)]) : nil }

    // MARK: Reading

    private struct Part {
        var end: DamagedDatabase.End
        /// The first and the last row in the order of reading.
        var first: RowKey?
        var last: RowKey?
    }

    private func read(from start: [Cell] = [], after low: RowKey?, before high: RowKey?) throws(StoreError) -> Part {
        var conditions: [String] = []
        var values: [Cell] = []
        if !start.isEmpty {
            let columns = table.key.prefix(start.count).joined(separator: ", ")
            conditions.append("(\(columns)) >= (\(start.map { _ in "?" }.joined(separator: ", ")))")
            values += start
        }
        if let low {
            conditions.append("\(table.tuple) > \(table.placeholders)")
            values += low.cells
        }
        return try walk(
            conditions.isEmpty ? nil : conditions.joined(separator: " AND "), values, descending: false,
            isInside: { key in high.map { key < $0 } ?? true })
    }

    private func readBackward(after low: RowKey?, before high: RowKey?) throws(StoreError) -> Part {
        try walk(
            high.map { _ in "\(table.tuple) < \(table.placeholders)" }, high?.cells ?? [], descending: true,
            isInside: { key in low.map { key > $0 } ?? true })
    }

    private func walk(
        _ condition: String?, _ values: [Cell], descending: Bool, isInside: (RowKey) -> Bool
    ) throws(StoreError) -> Part {
        var part = Part(end: .complete)
        var isOutOfOrder = false
        let count = table.key.count
        let end = try database.scan(table.selection(condition, descending: descending), values) {
            (row: [Cell]) throws(StoreError) -> Bool in
            let key = RowKey(cells: Array(row.prefix(count)))
            guard isInside(key) else { return false }
            // A damaged page that looks like a page of the table may lead anywhere.
            if let last = part.last, descending ? key >= last : key <= last {
                isOutOfOrder = true
                return false
            }
            if part.first == nil { part.first = key }
            part.last = key
            try take(Array(row.dropFirst(count)))
            return true
        }
        part.end = isOutOfOrder ? .damaged : end
        return part
    }
}
