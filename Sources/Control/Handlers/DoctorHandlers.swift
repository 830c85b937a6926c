import Basics
import ControlProtocol
import Glibc
import Reactor
import Runtime
import Transfer

/// Examines the daemon, and counts what it does.
@ReactorActor struct DoctorHandlers: MethodArea {
    let base: MethodBase
    let needsAccount = false
    let doctor: any Examiner
    let network: any NetworkAccess
    let configuration: any ConfigurationControl
    let events: EventHub

    var methods: [String: Method] {
        [
            "system.doctor": { _, _ in await examine() },
            "system.metrics": { _, _ in try await metrics() },
        ]
    }

    private func examine() async -> JSONValue {
        let checks = await doctor.examine()
        return ["checks": .array(checks.map(\.json))]
    }

    /// Prometheus's text format, as one string.
    private func metrics() async throws -> JSONValue {
        let (queued, oldest) = try await store.read { (try $0.ownOutboxCount(), try $0.oldestOutboxItem()) }
        var text = MetricsText()
        text.add(.build, [(ControlProtocol.productVersion, 1)])
        text.add(.uptime, (clocks.now - base.environment.startedAt).milliseconds / 1000)
        text.add(.locked, base.isLocked ? 1 : 0)
        text.add(.outboxItems, queued)
        let age = oldest.map { max(0, clocks.wallTime.milliseconds - $0.milliseconds) / 1000 } ?? 0
        text.add(.outboxOldest, age)
        text.add(.bytes, [("in", Traffic.received), ("out", Traffic.sent)])
        text.add(.databaseBytes, store.databaseBytes)
        text.add(.notifyingClients, events.notifiers)
        if let bytes = Self.residentBytes() { text.add(.residentBytes, bytes) }
        configuration.write(to: &text)
        network.open?.write(to: &text)
        network.counted.write(to: &text)
        return .string(text.text)
    }

    /// The second number of statm counts pages.
    private static func residentBytes() -> Int? {
        guard let file = fopen("/proc/self/statm", "re") else { return nil }
        defer { fclose(file) }
        var line = [CChar](repeating: 0, count: 128)
        guard fgets(&line, CInt(line.count), file) != nil else { return nil }
        let text = String(decoding: line.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
        return text.split(separator: " ").dropFirst().first.flatMap { Int($0) }.map {
            $0 * Int(sysconf(CInt(_SC_PAGESIZE)))
        }
    }
}
