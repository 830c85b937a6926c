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
        let (queued, oldest) = try await store.read { (try $0.outboxCount(), try $0.oldestOutboxItem()) }
        var text = MetricsText()
        text.add(
            "kibo_build_info", .gauge, "1, with the version of the daemon.",
            [("version=\"\(ControlProtocol.productVersion)\"", "1")])
        text.gauge(
            "kibo_uptime_seconds", "Since the daemon started.",
            (clocks.now - base.environment.startedAt).milliseconds / 1000)
        text.gauge("kibo_locked", "1 while there are no keys in memory.", base.isLocked ? 1 : 0)
        text.gauge("kibo_outbox_items", "What waits for its recipient.", queued)
        let age = oldest.map { max(0, clocks.wallTime.milliseconds - $0.milliseconds) / 1000 } ?? 0
        text.gauge("kibo_outbox_oldest_seconds", "How long the oldest of these waits; 0 if none does.", age)
        text.add(
            "kibo_bytes_total", .counter, "Bytes of all connections with peers, messages and files.",
            [("direction=\"in\"", "\(Traffic.received)"), ("direction=\"out\"", "\(Traffic.sent)")])
        text.gauge("kibo_database_bytes", "Size of the database.", store.databaseBytes)
        text.gauge(
            "kibo_notifying_clients", "Subscriptions whose client tells its user of what comes.",
            Int64(events.notifiers))
        if let bytes = Self.residentBytes() { text.gauge("kibo_resident_bytes", "Memory in use (RSS).", bytes) }
        configuration.write(to: &text)
        network.open?.write(to: &text)
        let counted = network.counted
        var counts = counted.all.map { ($0.0.name, $0.0.label, $0.1) }[...]
        while let name = counts.first?.0 {
            let series = counts.prefix { $0.0 == name }
            counts = counts.dropFirst(series.count)
            text.add(name, .counter, Self.help[name] ?? "See docs/HANDBOOK.md.", series.map { ($0.1, "\($0.2)") })
        }
        return .string(text.text)
    }

    private static let help = [
        "kibo_bulk_refused_total": "Connections for files that were closed at once, by reason.",
        "kibo_call_signals_refused_total": "What peers said of calls and was not obeyed, by reason.",
        "kibo_calls_total": "Calls that are over, by outcome.",
        "kibo_clients_refused_total": "Clients of the control socket that were turned away or cut off, by reason.",
        "kibo_connections_cut_total": "Sessions' connections that were cut, by reason.",
        "kibo_dials_total": "Dials of peers' devices, by outcome.",
        "kibo_frames_ignored_total": "Frames of peers that ask for no receipt and were not obeyed, by reason.",
        "kibo_frames_refused_total": "Frames of peers that were refused, by reason.",
        "kibo_handshakes_total": "Handshakes on connections of others, by outcome.",
        "kibo_hook_runs_total": "Runs of the hook command, by outcome.",
        "kibo_messages_total": "Messages that were stored: from others, or written here.",
        "kibo_notifications_total": "Notifications for the desktop, by outcome.",
        "kibo_peer_exchange_pages_refused_total":
            "Requests for cards of others that were not answered because there were too many.",
        "kibo_requests_refused_total": "Requests of clients that were refused, by kind of error.",
        "kibo_sessions_ended_total": "Sessions that ended, by reason.",
        "kibo_sessions_opened_total": "Sessions that were opened.",
        "kibo_sessions_refused_total": "Handshakes that led to no session, by reason.",
        "kibo_transfers_total": "Transfers that are over, by outcome.",
    ]

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
