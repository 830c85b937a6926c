import Basics
import Glibc

/// Prints a line at once, also into a pipe, because measuring takes a while and the user is watching.
func report(_ line: String) {
    print(line)
    fflush(nil)
}

/// Measured values and their statistics.
struct Figures {
    private let sorted: [Double]

    /// - Parameter values: at least one.
    init(_ values: [Double]) { sorted = values.sorted() }

    /// The nearest-rank percentile: the smallest value that at least that share of all values do not exceed.
    func percentile(_ percent: Double) -> Double {
        guard !sorted.isEmpty else { return .nan }
        let rank = (percent / 100 * Double(sorted.count)).rounded(.up)
        return sorted[min(sorted.count, max(1, Int(rank))) - 1]
    }

    var median: Double { percentile(50) }
    var largest: Double { sorted.last ?? .nan }

    /// A number with a fixed count of decimals.
    static func text(_ value: Double, digits: Int) -> String {
        guard value.isFinite, abs(value) < 1e15 else { return "–" }
        var scale = 1.0
        for _ in 0..<digits { scale *= 10 }
        let scaled = Int64((abs(value) * scale).rounded())
        let (whole, part) = scaled.quotientAndRemainder(dividingBy: Int64(scale))
        let sign = value < 0 && scaled != 0 ? "-" : ""
        guard digits > 0 else { return "\(sign)\(whole)" }
        let decimals = String(part)
        return "\(sign)\(whole)." + String(repeating: "0", count: digits - decimals.count) + decimals
    }
}

extension Duration {
    /// The duration in seconds.
    var inSeconds: Double { Double(nanoseconds) / 1e9 }
    /// The duration in milliseconds.
    var inMilliseconds: Double { Double(nanoseconds) / 1e6 }
}

extension String {
    /// The text filled with spaces, at its end or at its beginning, up to a width.
    func padded(_ width: Int, left: Bool = false) -> String {
        let spaces = String(repeating: " ", count: Swift.max(0, width - count))
        return left ? spaces + self : self + spaces
    }
}
