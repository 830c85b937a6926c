import Testing

/// Reads a QR code of level L up to version 11 that has no damage (ISO/IEC 18004): format, mask, the zigzag, the
/// blocks, and one segment of bytes. Error correction is left out: there are no errors.
struct QRReader {
    private let modules: [[Bool]]
    private let version: Int
    private var size: Int { modules.count }

    /// Data bytes of each block at level L, by version (table 9).
    private static let blocks: [[Int]] = [
        [19], [34], [55], [80], [108], [68, 68], [78, 78], [97, 97], [116, 116], [68, 68, 69, 69],
        [81, 81, 81, 81],
    ]
    /// Centres of the alignment patterns, by version (annex E).
    private static let centres: [[Int]] = [
        [], [6, 18], [6, 22], [6, 26], [6, 30], [6, 34], [6, 22, 38], [6, 24, 42], [6, 26, 46], [6, 28, 50],
        [6, 30, 54],
    ]

    init(_ modules: [[Bool]]) throws {
        self.modules = modules
        version = (modules.count - 17) / 4
        try #require(modules.count == version * 4 + 17 && 1...11 ~= version)
    }

    private func isFunction(_ row: Int, _ column: Int) -> Bool {
        if row == 6 || column == 6 { return true }
        if row < 9, column < 9 || column >= size - 8 { return true }
        if row >= size - 8, column < 9 { return true }
        if version >= 7, row < 6 && column >= size - 11 || column < 6 && row >= size - 11 { return true }
        let centres = Self.centres[version - 1]
        for y in centres {
            for x in centres {
                let isFinder = (y == 6 && x == 6) || (y == 6 && x == size - 7) || (y == size - 7 && x == 6)
                if !isFinder, abs(row - y) <= 2, abs(column - x) <= 2 { return true }
            }
        }
        return false
    }

    private func mask() throws -> Int {
        // These are the first five of the fifteen bits of format, around the upper left pattern.
        var bits = 0
        for column in 0..<5 { bits = bits << 1 | (modules[8][column] ? 1 : 0) }
        bits ^= 0b10101
        try #require(bits >> 3 == 0b01, "not level L")
        return bits & 7
    }

    private static func flips(_ mask: Int, _ i: Int, _ j: Int) -> Bool {
        switch mask {
        case 0: (i + j) % 2 == 0
        case 1: i % 2 == 0
        case 2: j % 3 == 0
        case 3: (i + j) % 3 == 0
        case 4: (i / 2 + j / 3) % 2 == 0
        case 5: i * j % 2 + i * j % 3 == 0
        case 6: (i * j % 2 + i * j % 3) % 2 == 0
        default: ((i + j) % 2 + i * j % 3) % 2 == 0
        }
    }

    /// All code words in the order of the zigzag.
    private func words() throws -> [UInt8] {
        let mask = try mask()
        var bits: [Bool] = []
        var column = size - 1
        var isUp = true
        while column > 0 {
            if column == 6 { column -= 1 }
            for step in 0..<size {
                let row = isUp ? size - 1 - step : step
                for x in [column, column - 1] where !isFunction(row, x) {
                    bits.append(modules[row][x] != Self.flips(mask, row, x))
                }
            }
            isUp.toggle()
            column -= 2
        }
        return stride(from: 0, to: bits.count - bits.count % 8, by: 8).map { start in
            bits[start..<start + 8].reduce(0) { $0 << 1 | ($1 ? 1 : 0) }
        }
    }

    /// The text that the code holds.
    func text() throws -> String {
        let lengths = Self.blocks[version - 1]
        var blocks = lengths.map { _ in [UInt8]() }
        var rest = try words()[...]
        for index in 0..<(lengths.max() ?? 0) {
            for (block, length) in lengths.enumerated() where index < length {
                let word = rest.popFirst()
                blocks[block].append(try #require(word))
            }
        }
        var bits = blocks.joined().flatMap { byte in (0..<8).map { byte >> (7 - $0) & 1 } }[...]
        func number(_ count: Int) -> Int {
            defer { bits = bits.dropFirst(count) }
            return bits.prefix(count).reduce(0) { $0 << 1 | Int($1) }
        }
        try #require(number(4) == 0b0100, "not a segment of bytes")
        let count = number(version < 10 ? 8 : 16)
        return String(decoding: (0..<count).map { _ in UInt8(number(8)) }, as: UTF8.self)
    }
}
