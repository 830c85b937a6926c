import Basics
import PeerProtocol

/// The figures of a ``SimulatedSegment`` for a span of time.
package struct SimulationFigures: Sendable {
    /// Simulated time.
    package internal(set) var time: Duration = .zero
    /// Datagrams sent by all hosts, by kind; a broadcast counts once.
    package private(set) var sent: [DiscoveryDatagram.Kind: Int] = [:]
    /// The datagrams' bytes, without headers of UDP, IP and Ethernet.
    package private(set) var bytes = 0
    /// The number of datagrams that reached listeners.
    package internal(set) var received = 0
    /// The number of signatures that the listeners would have checked.
    package internal(set) var checks = 0
    /// The numbers of dials, of the sessions they led to, and of pages of peer exchange.
    package internal(set) var dials = 0
    package internal(set) var sessions = 0
    package internal(set) var pages = 0
    /// How often a listener gave up a host that was up.
    package internal(set) var wronglyLost = 0

    mutating func count(_ kind: DiscoveryDatagram.Kind, _ length: Int) {
        sent[kind, default: 0] += 1
        bytes += length
    }

    /// The number of HELLO, BEACON, BYE and SUSPECT datagrams, which every host of the segment gets.
    package var broadcasts: Int {
        [.hello, .beacon, .bye, .suspect].reduce(0) { $0 + sent[$1, default: 0] }
    }

    /// The number of probes, indirect probes and their answers, which one host gets.
    package var unicasts: Int { [.probe, .probeAck, .probeRequest].reduce(0) { $0 + sent[$1, default: 0] } }

    package var suspicions: Int { sent[.suspect, default: 0] }

    /// A count per second of simulated time.
    package func perSecond(_ count: Int) -> Double {
        time > .zero ? Double(count) / (Double(time.nanoseconds) / 1e9) : 0
    }
}

/// How long it took until hosts noticed something.
package struct SimulatedDelays: Sendable {
    private let sorted: [Double]

    package init(_ moments: some Sequence<Instant>, since start: Instant) {
        sorted = moments.map { Double(($0 - start).nanoseconds) / 1e9 }.sorted()
    }

    package var count: Int { sorted.count }
    package var mean: Double { sorted.isEmpty ? 0 : sorted.reduce(0, +) / Double(sorted.count) }
    /// The value that this share of them doesn't exceed.
    package func quantile(_ part: Double) -> Double {
        sorted.isEmpty ? 0 : sorted[min(sorted.count - 1, Int((Double(sorted.count) * part).rounded(.up)) - 1)]
    }
}
