import Basics
import ControlProtocol
import Glibc
import Network
import PeerProtocol
import Reactor
import Runtime
import Store

extension Handlers {
    nonisolated static let doctorMethods: [String: Method] = [
        "system.doctor": { handlers, _, _ in await handlers.doctor() },
        "system.metrics": { handlers, _, _ in try await handlers.metrics() },
    ]

    func doctor() async -> JSONValue {
        let checks = await context.doctor.examine()
        return ["checks": .array(checks.map(\.json))]
    }

    /// Prometheus's text format, as one string.
    func metrics() async throws -> JSONValue {
        let queued = try await context.store.read { try $0.outboxCount() }
        var text = MetricsText()
        text.gauge(
            "kibo_uptime_seconds", "Since the daemon started.",
            (context.clocks.now - context.environment.startedAt).milliseconds / 1000)
        text.gauge("kibo_locked", "1 while there are no keys in memory.", context.isLocked ? 1 : 0)
        text.gauge("kibo_outbox_items", "What waits for its recipient.", queued)
        text.gauge("kibo_database_bytes", "Size of the database.", context.store.databaseBytes)
        if let bytes = Self.residentBytes() { text.gauge("kibo_resident_bytes", "Memory in use (RSS).", bytes) }
        if let network = context.network { Self.write(network, to: &text) }
        let counted = context.networkService.counted
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
        "kibo_clients_refused_total": "Clients of the control socket that were turned away or cut off, by reason.",
        "kibo_connections_cut_total": "Sessions' connections that were cut, by reason.",
        "kibo_dials_total": "Dials of peers' devices, by outcome.",
        "kibo_frames_ignored_total": "Frames of peers that ask for no receipt and were not obeyed, by reason.",
        "kibo_frames_refused_total": "Frames of peers that were refused, by reason.",
        "kibo_handshakes_total": "Handshakes on connections of others, by outcome.",
        "kibo_peer_exchange_pages_refused_total":
            "Requests for cards of others that were not answered because there were too many.",
        "kibo_sessions_ended_total": "Sessions that ended, by reason.",
        "kibo_sessions_opened_total": "Sessions that were opened.",
        "kibo_sessions_refused_total": "Handshakes that led to no session, by reason.",
    ]

    @ReactorActor private static func write(_ network: PeerNetwork, to text: inout MetricsText) {
        text.gauge("kibo_sessions", "Open sessions.", network.sessions.count)
        text.gauge("kibo_peers", "Peers on the network now.", network.directory.shown.count)
        text.gauge("kibo_dials_under_way", "Dials under way.", network.dialler.dialsUnderWay)
        text.gauge(
            "kibo_half_open", "Connections whose other side has not proved who it is.", network.doorway.halfOpen.total)
        text.add(
            "kibo_connections_refused_total", .counter, "Connections that were not let in, by reason.",
            network.doorway.halfOpen.refusedBy.map { ("reason=\"\($0)\"", "\($1)") })
        guard let discovery = network.discovery else { return }
        let counted = discovery.metrics
        text.add("kibo_datagrams_sent_total", .counter, "Datagrams sent.", [("", "\(counted.sent)")])
        text.add("kibo_datagrams_received_total", .counter, "Datagrams received.", [("", "\(counted.received)")])
        text.add("kibo_datagrams_believed_total", .counter, "Datagrams believed.", [("", "\(counted.believed)")])
        let refusals: [(String, UInt64)] = [
            ("broken_veil", counted.brokenVeils), ("forged", counted.forged), ("idle_bye", counted.idleByes),
            ("malformed", counted.malformed),
            ("other_network", discovery.strayDatagrams), ("other_realm", counted.otherRealm),
            ("over_budget", counted.overBudget), ("own", counted.own), ("stale", counted.stale),
            ("unasked_probe", counted.idleProbes), ("unknown_kind", counted.unknown),
            ("unknown_veil", counted.unknownVeils),
        ]
        text.add(
            "kibo_datagrams_refused_total", .counter, "Datagrams that told nothing, by reason.",
            refusals.map { ("reason=\"\($0)\"", "\($1)") })
        let probing: [(String, UInt64)] = [
            ("answer", counted.answers), ("suspicion_of_others", counted.suspicionsOfOthers),
            ("suspicion_of_others_left_out", counted.suspicionsLeftOut),
            ("indirect_probe_left_out", counted.indirectProbesLeftOut), ("given_up", counted.givenUp),
            ("probe", counted.probes),
            ("refutation", counted.refutations), ("suspicion", counted.suspicions),
        ]
        text.add(
            "kibo_probing_total", .counter, "What was done to find out who is still there.",
            probing.map { ("what=\"\($0)\"", "\($1)") })
        text.add(
            "kibo_strangers_forgotten_total", .counter, "Strangers forgotten to make room for others.",
            [("", "\(counted.evicted)")])
        text.add(
            "kibo_strangers_left_out_total", .counter,
            "Attempts to look at strangers that were left out because there are too many, by what was left out.",
            [
                ("what=\"card\"", "\(discovery.peerExchange.cards.leftOut)"),
                ("what=\"dial\"", "\(network.dialler.strangersLeftOut)"),
                ("what=\"hearsay\"", "\(counted.hearsayLeftOut)"),
            ])
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
