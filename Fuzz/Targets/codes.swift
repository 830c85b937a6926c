import CZXing

/// Gives the library that reads codes a picture of black and white squares, as kibo-media does. The first byte is the
/// number of squares in a row, the second the pixels of a square and what is behind a short last row.
enum FuzzTarget {
    static let seeds: [[UInt8]] = [
        [21, 0x80] + [UInt8](repeating: 0, count: 56), [29, 0x03] + [UInt8](repeating: 0xAA, count: 106),
        // The three corners of the smallest code.
        [21, 2]
            + squares(21) { column, row in
                let (x, y) = (column < 7 ? column : column - 14, row < 7 ? row : row - 14)
                guard 0..<7 ~= x, 0..<7 ~= y, column < 7 || row < 7 else { return (column ^ row) & 1 == 1 }
                return x == 0 || x == 6 || y == 0 || y == 6 || (2...4 ~= x && 2...4 ~= y)
            },
    ]

    /// The bits of a square picture.
    private static func squares(_ side: Int, _ isDark: (Int, Int) -> Bool) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: (side * side + 7) / 8)
        for place in 0..<(side * side) where isDark(place % side, place / side) {
            bytes[place / 8] |= 1 << UInt8(place % 8)
        }
        return bytes
    }

    static func run(_ bytes: [UInt8]) {
        guard bytes.count > 2 else { return }
        let (columns, scale) = (Int(bytes[0]) % 128 + 1, Int(bytes[1] & 3) + 1)
        let bits = (bytes.count - 2) * 8
        let rows = min((bits + columns - 1) / columns, 128)
        let (width, height) = (columns * scale, rows * scale)
        var greys = [UInt8](repeating: bytes[1] & 0x80 == 0 ? 255 : 0, count: width * height)
        for place in 0..<min(bits, rows * columns) where bytes[2 + place / 8] >> UInt8(place % 8) & 1 == 1 {
            for pixel in 0..<(scale * scale) {
                let (x, y) = (place % columns * scale + pixel % scale, place / columns * scale + pixel / scale)
                greys[y * width + x] = 255 - greys[y * width + x]
            }
        }
        let capacity = 1 << 12
        var texts = [UInt8](repeating: 0xEE, count: capacity)
        let count = Int(kibo_codes_read(greys, Int32(width), Int32(height), 4, &texts, Int32(capacity)))
        require(-1...capacity ~= count, "what is written fits")
        let written = texts.prefix(max(0, count))
        require(written.isEmpty || written.last == 0, "each text has its end")
        require(
            written.split(separator: 0, omittingEmptySubsequences: false).dropLast().count <= 4,
            "there are so many texts")
        require(texts.dropFirst(max(0, count)).allSatisfy { $0 == 0xEE }, "nothing is written behind them")
    }
}
