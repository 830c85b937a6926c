import Reactor
import Runtime

extension MetricsText {
    /// Adds the network's states and counters.
    @ReactorActor package mutating func add(_ network: PeerNetwork) {
        gauge("kibo_sessions", "Open sessions.", network.sessions.count)
        gauge("kibo_peers", "Peers on the network now.", network.directory.shown.count)
        gauge("kibo_dials_under_way", "Dials under way.", network.dialler.dialsUnderWay)
        gauge(
            "kibo_half_open", "Connections whose other side has not proved who it is.", network.doorway.halfOpen.total)
        add(
            "kibo_connections_refused_total", .counter, "Connections that were not let in, by reason.",
            network.doorway.halfOpen.refusedBy.map { ("reason=\"\($0)\"", "\($1)") })
        add(
            "kibo_group_graphs_read_total", .counter, "Memberships of groups that were made from their entries.",
            [("", "\(network.services.groups.account.graphs.reads)")])
        guard let discovery = network.discovery else { return }
        let counted = discovery.metrics
        add("kibo_datagrams_sent_total", .counter, "Datagrams sent.", [("", "\(counted.sent)")])
        add("kibo_datagrams_received_total", .counter, "Datagrams received.", [("", "\(counted.received)")])
        add("kibo_datagrams_believed_total", .counter, "Datagrams believed.", [("", "\(counted.believed)")])
        let refusals: [(String, UInt64)] = [
            ("broken_veil", counted.brokenVeils), ("forged", counted.forged), ("idle_bye", counted.idleByes),
            ("malformed", counted.malformed),
            ("other_network", discovery.outsiders.datagrams), ("other_realm", counted.otherRealm),
            ("over_budget", counted.overBudget), ("own", counted.own), ("stale", counted.stale),
            ("unasked_probe", counted.idleProbes), ("unknown_kind", counted.unknown),
            ("unknown_veil", counted.unknownVeils),
        ]
        add(
            "kibo_datagrams_refused_total", .counter, "Datagrams that told nothing, by reason.",
            refusals.map { ("reason=\"\($0)\"", "\($1)") })
        let probing: [(String, UInt64)] = [
            ("answer", counted.answers), ("suspicion_of_others", counted.suspicionsOfOthers),
            ("suspicion_of_others_left_out", counted.suspicionsLeftOut),
            ("indirect_probe_left_out", counted.indirectProbesLeftOut), ("given_up", counted.givenUp),
            ("probe", counted.probes),
            ("refutation", counted.refutations), ("suspicion", counted.suspicions),
        ]
        add(
            "kibo_probing_total", .counter, "What was done to find out who is still there.",
            probing.map { ("what=\"\($0)\"", "\($1)") })
        add(
            "kibo_strangers_forgotten_total", .counter, "Strangers forgotten to make room for others.",
            [("", "\(counted.evicted)")])
        add(
            "kibo_strangers_left_out_total", .counter,
            "Attempts to look at strangers that were left out because there are too many, by what was left out.",
            [
                ("what=\"card\"", "\(discovery.peerExchange.cards.leftOut)"),
                ("what=\"dial\"", "\(network.dialler.strangersLeftOut)"),
                ("what=\"hearsay\"", "\(counted.hearsayLeftOut)"),
            ])
    }
}
