import Basics
import Glibc

/// Prints a line at once, also into a pipe: measuring takes a while, and somebody is watching.
func report(_ line: String) {
    print(line)
    fflush(nil)
}

/// Measured values, and what one says of them.
struct Figures {
    private let sorted: [Double]

    /// - Parameter values: at least one.
    init(_ values: [Double]) { sorted = values.sorted() }

    /// The nearest-rank percentile: the smallest value that at least that share of all do not exceed.
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
    /// As a number of seconds.
    var inSeconds: Double { Double(nanoseconds) / 1e9 }
    /// As a number of milliseconds.
    var inMilliseconds: Double { Double(nanoseconds) / 1e6 }
}

extension String {
    /// With spaces after it, or before it, up to a width.
    func padded(_ width: Int, left: Bool = false) -> String {
        let spaces = String(repeating: " ", count: Swift.max(0, width - count))
        return left ? spaces + self : self + spaces
    }
}
