import Basics

/// Counts what happens, for `system.metrics`: how often something was refused, and why. The values of labels are words of
/// our own, never anything that a peer chose.
package struct Metrics {
    /// The counts of one metric by the value of its label; under an empty one if it has no label.
    private var counts: [Metric: [String: UInt64]] = [:]

    package init() {}

    /// Counts one more, or several.
    /// - Parameter value: of the metric's label; empty if it has none.
    package mutating func count(_ metric: Metric, _ value: String = "", by amount: UInt64 = 1) {
        counts[metric, default: [:]][value, default: 0] &+= amount
    }

    /// Adds series with 0, so that they are there before something is counted.
    package mutating func declare(_ metric: Metric, _ values: [String] = [""]) {
        for value in values { count(metric, value, by: 0) }
    }

    /// What was counted so far.
    package subscript(metric: Metric, value: String) -> UInt64 { counts[metric]?[value] ?? 0 }

    /// Adds all that was counted so far, in a lasting order.
    package func write(to text: inout MetricsText) {
        for metric in Metric.allCases {
            guard let counts = counts[metric] else { continue }
            text.add(metric, counts.sorted { $0.key < $1.key }.map { ($0.key, $0.value) })
        }
    }
}

/// Writes Prometheus's text format (version 0.0.4).
package struct MetricsText {
    package private(set) var text = ""

    package init() {}

    /// Adds a metric: the number for each value of its label.
    package mutating func add(_ metric: Metric, _ samples: [(value: String, number: UInt64)]) {
        text += "# HELP \(metric.rawValue) \(metric.help)\n# TYPE \(metric.rawValue) \(metric.kind.rawValue)\n"
        for (value, number) in samples {
            let label = metric.label.map { "{\($0)=\"\(value)\"}" } ?? ""
            text += "\(metric.rawValue)\(label) \(number)\n"
        }
    }

    /// Adds a metric without a label. A negative number counts as 0.
    package mutating func add(_ metric: Metric, _ number: some BinaryInteger) {
        add(metric, [("", UInt64(clamping: number))])
    }
}
