import Foundation
import Testing

@testable import Runtime

/// Goal: what Prometheus reads is well formed, and the handbook says what each metric counts.
@Suite("Metrics")
struct MetricsTests {
    @Test("Each metric is described once, before its samples, and a metric without a label has one")
    func text() {
        var metrics = Metrics()
        metrics.count(.dials, "connected")
        metrics.count(.sessionsOpened)
        metrics.count(.dials, "connected", by: 4)
        metrics.count(.dials, "closed")
        metrics.declare(.calls, ["busy"])
        var text = MetricsText()
        text.add(.peers, 3)
        metrics.write(to: &text)
        #expect(
            text.text == """
                # HELP kibo_peers \(Metric.peers.help)
                # TYPE kibo_peers gauge
                kibo_peers 3
                # HELP kibo_sessions_opened_total \(Metric.sessionsOpened.help)
                # TYPE kibo_sessions_opened_total counter
                kibo_sessions_opened_total 1
                # HELP kibo_dials_total \(Metric.dials.help)
                # TYPE kibo_dials_total counter
                kibo_dials_total{outcome="closed"} 1
                kibo_dials_total{outcome="connected"} 5
                # HELP kibo_calls_total \(Metric.calls.help)
                # TYPE kibo_calls_total counter
                kibo_calls_total{outcome="busy"} 0

                """)
    }

    @Test("Prometheus takes each name and each description as it is", arguments: Metric.allCases)
    func words(metric: Metric) {
        #expect(metric.rawValue.wholeMatch(of: /kibo_[a-z]+(_[a-z]+)*/) != nil)
        #expect(metric.help.allSatisfy { $0 != "\\" && $0 != "\n" && $0 != "`" } && metric.help.hasSuffix("."))
        #expect(metric.details?.contains("|") != true, "the handbook has it in a table")
    }

    @Test("docs/HANDBOOK.md has the table of all metrics; KIBO_WRITE_DOCS=1 writes it again")
    func handbook() throws {
        let (begin, end) = ("<!-- metrics: begin -->\n", "<!-- metrics: end -->")
        let url = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().appendingPathComponent("docs/HANDBOOK.md")
        let document = try String(contentsOf: url, encoding: .utf8)
        let from = try #require(document.range(of: begin)).upperBound
        let to = try #require(document.range(of: end, range: from..<document.endIndex)).lowerBound
        if ProcessInfo.processInfo.environment["KIBO_WRITE_DOCS"] == "1" {
            let text = document[..<from] + Metric.table + document[to...]
            try text.write(to: url, atomically: true, encoding: .utf8)
        } else {
            #expect(String(document[from..<to]) == Metric.table, "run this test once with KIBO_WRITE_DOCS=1")
        }
    }
}
