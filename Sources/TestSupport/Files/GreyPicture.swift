/// A picture of greys as a camera sees it, for tests of reading codes.
public struct GreyPicture: Sendable {
    public let width: Int
    public let height: Int
    /// A byte for each pixel, row by row, 0 for black.
    public private(set) var greys: [UInt8]

    /// A picture of one grey.
    public init(width: Int, height: Int, grey: UInt8 = 255) {
        self.width = width
        self.height = height
        greys = [UInt8](repeating: grey, count: width * height)
    }

    /// A picture whose greys are computed from column and row.
    public init(width: Int, height: Int, _ grey: (Int, Int) -> UInt8) {
        self.init(width: width, height: height)
        for row in 0..<height { for column in 0..<width { greys[row * width + column] = grey(column, row) } }
    }

    /// Parts of codes all over, which cost a reader of codes minutes: the mark of a corner, again and again.
    public static func bomb(side: Int = 512) -> GreyPicture {
        GreyPicture(width: side, height: side) { column, row in
            let (x, y) = (column % 14, row % 14)
            guard x < 7, y < 7 else { return 255 }
            let isFrame = x == 0 || x == 6 || y == 0 || y == 6
            return isFrame || (2...4 ~= x && 2...4 ~= y) ? 0 : 255
        }
    }

    /// Draws a code; what lies outside of the picture is left out.
    /// - Parameters:
    ///   - code: rows of what is dark.
    ///   - scale: pixels of one of its squares.
    public mutating func draw(_ code: [[Bool]], x: Int = 0, y: Int = 0, scale: Int, dark: UInt8 = 0, light: UInt8 = 255)
    {
        for (row, squares) in code.enumerated() {
            for (column, isDark) in squares.enumerated() {
                for pixel in 0..<(scale * scale) {
                    let (left, top) = (x + column * scale + pixel % scale, y + row * scale + pixel / scale)
                    guard left < width, top < height else { continue }
                    greys[top * width + left] = isDark ? dark : light
                }
            }
        }
    }

    /// The squares of a code that is written in half blocks, two rows in each line, as the daemon writes it.
    public static func squares(of blocks: String) -> [[Bool]] {
        blocks.split(separator: "\n").flatMap { line in
            [line.map { $0 == "▀" || $0 == "█" }, line.map { $0 == "▄" || $0 == "█" }]
        }
    }
}
