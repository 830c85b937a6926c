import Basics

/// Counts what happens, for `system.metrics`: how often something was refused, and why. Names are Prometheus's; labels are
/// words of our own, never anything that a peer chose.
struct Metrics {
    /// One series.
    struct Series: Hashable, Comparable {
        let name: String
        /// `reason="full"`; empty for none.
        let label: String

        static func < (left: Series, right: Series) -> Bool { (left.name, left.label) < (right.name, right.label) }
    }

    private var counts: [Series: UInt64] = [:]

    /// One more, or several.
    mutating func count(_ name: String, _ label: (key: String, value: String)? = nil, by amount: UInt64 = 1) {
        let series = Series(name: name, label: label.map { "\($0.key)=\"\($0.value)\"" } ?? "")
        counts[series, default: 0] &+= amount
    }

    /// What was counted so far.
    var all: [(Series, UInt64)] { counts.sorted { $0.key < $1.key }.map { ($0.key, $0.value) } }
}

/// Writes Prometheus's text format (version 0.0.4).
struct MetricsText {
    private(set) var text = ""
    private var described: Set<String> = []

    enum Kind: String { case counter, gauge }

    /// All samples of one name follow each other.
    mutating func add(_ name: String, _ kind: Kind, _ help: String, _ samples: [(label: String, value: String)]) {
        if described.insert(name).inserted { text += "# HELP \(name) \(help)\n# TYPE \(name) \(kind.rawValue)\n" }
        for (label, value) in samples { text += label.isEmpty ? "\(name) \(value)\n" : "\(name){\(label)} \(value)\n" }
    }

    mutating func gauge(_ name: String, _ help: String, _ value: some BinaryInteger) {
        add(name, .gauge, help, [("", "\(value)")])
    }
}
