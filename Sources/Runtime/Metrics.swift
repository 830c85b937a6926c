import Basics

/// Counts what happens, for `system.metrics`: how often something was refused, and why. Names are Prometheus's; labels
/// are words of our own, never anything that a peer chose.
package struct Metrics {
    /// One series.
    package struct Series: Hashable, Comparable {
        package let name: String
        /// Such as `reason="full"`; empty for none.
        package let label: String

        package static func < (left: Series, right: Series) -> Bool {
            (left.name, left.label) < (right.name, right.label)
        }
    }

    private var counts: [Series: UInt64] = [:]

    package init() {}

    /// Counts one more, or several.
    package mutating func count(_ name: String, _ label: (key: String, value: String)? = nil, by amount: UInt64 = 1) {
        let series = Series(name: name, label: label.map { "\($0.key)=\"\($0.value)\"" } ?? "")
        counts[series, default: 0] &+= amount
    }

    /// Adds series with 0, so that they are there before something is counted.
    package mutating func declare(_ name: String) { count(name, by: 0) }

    /// Does the same for a name with a label.
    package mutating func declare(_ name: String, _ key: String, _ values: [String]) {
        for value in values { count(name, (key, value), by: 0) }
    }

    /// What was counted so far.
    package var all: [(Series, UInt64)] { counts.sorted { $0.key < $1.key }.map { ($0.key, $0.value) } }
}

/// Writes Prometheus's text format (version 0.0.4).
package struct MetricsText {
    package private(set) var text = ""
    private var described: Set<String> = []

    package init() {}

    package enum Kind: String { case counter, gauge }

    /// Adds a metric. All samples of one name must come in one call.
    package mutating func add(_ name: String, _ kind: Kind, _ help: String, _ samples: [(label: String, value: String)])
    {
        if described.insert(name).inserted { text += "# HELP \(name) \(help)\n# TYPE \(name) \(kind.rawValue)\n" }
        for (label, value) in samples { text += label.isEmpty ? "\(name) \(value)\n" : "\(name){\(label)} \(value)\n" }
    }

    package mutating func gauge(_ name: String, _ help: String, _ value: some BinaryInteger) {
        add(name, .gauge, help, [("", "\(value)")])
    }
}
