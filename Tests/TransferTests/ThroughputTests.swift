import Basics
import Foundation
import Testing

@testable import Transfer

/// A measurement rather than a test. It is off unless KIBO_MEASURE names a file or folder to send.
/// `Benchmarks/pipeline.c` gives the limit.
@Suite("Throughput", .serialized, .enabled(if: ProcessInfo.processInfo.environment["KIBO_MEASURE"] != nil))
struct ThroughputTests {
    @Test("the rate from disk to disk over TCP on loopback is measured")
    func measure() throws {
        let source = ProcessInfo.processInfo.environment["KIBO_MEASURE"] ?? ""
        let folder = try TemporaryFolder()
        var usedBefore = 0.0
        for round in 0..<4 {
            let destination = try folder.folder("out\(round)")
            let scenario = try Scenario(source, to: destination)
            let journal = MemoryJournal()
            let begin = SystemClocks().now
            let (sent, received) = try scenario.run(journal, tcp: true, files: SystemFiles())
            let seconds = Double((SystemClocks().now - begin).nanoseconds) / 1e9
            _ = try sent.get()
            let outcome = try received.get()
            let status = (try? String(contentsOfFile: "/proc/self/status", encoding: .utf8)) ?? ""
            let peak = status.split(separator: "\n").first { $0.hasPrefix("VmHWM") } ?? ""
            let megabytes = Double(outcome.size) / 1e6
            var usage = rusage()
            getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &usage)
            let used =
                Double(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec)
                + Double(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) / 1e6
            defer { usedBefore = used }
            print(String(format: "%.2f s of processor", used - usedBefore), terminator: ", ")
            print(String(format: "%.0f MB/s synced (%.2f s)", megabytes / seconds, seconds), peak)
            try FileManager.default.removeItem(atPath: destination)
        }
    }
}
