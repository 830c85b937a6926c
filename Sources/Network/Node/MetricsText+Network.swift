import Reactor
import Runtime

extension MetricsText {
    /// Adds the network's states and counters.
    @ReactorActor package mutating func add(_ network: PeerNetwork) {
        add(.sessions, network.sessions.count)
        add(.peers, network.directory.shown.count)
        add(.dialsUnderWay, network.dialler.dialsUnderWay)
        add(.halfOpen, network.doorway.halfOpen.total)
        add(.connectionsRefused, network.doorway.halfOpen.refusedBy.map { ($0, $1) })
        add(.groupGraphsRead, network.services.groups.account.graphs.reads)
        guard let discovery = network.discovery else { return }
        let counted = discovery.metrics
        add(.datagramsSent, counted.sent)
        add(.datagramsReceived, counted.received)
        add(.datagramsBelieved, counted.believed)
        let refusals: [(value: String, number: UInt64)] = [
            ("broken_veil", counted.brokenVeils), ("forged", counted.forged), ("idle_bye", counted.idleByes),
            ("malformed", counted.malformed),
            ("other_network", discovery.outsiders.datagrams), ("other_realm", counted.otherRealm),
            ("over_budget", counted.overBudget), ("own", counted.own), ("stale", counted.stale),
            ("unasked_probe", counted.idleProbes), ("unknown_kind", counted.unknown),
            ("unknown_veil", counted.unknownVeils),
        ]
        add(.datagramsRefused, refusals)
        let probing: [(value: String, number: UInt64)] = [
            ("answer", counted.answers), ("suspicion_of_others", counted.suspicionsOfOthers),
            ("suspicion_of_others_left_out", counted.suspicionsLeftOut),
            ("indirect_probe_left_out", counted.indirectProbesLeftOut), ("given_up", counted.givenUp),
            ("probe", counted.probes),
            ("refutation", counted.refutations), ("suspicion", counted.suspicions),
        ]
        add(.probing, probing)
        add(.strangersForgotten, counted.evicted)
        add(
            .strangersLeftOut,
            [
                ("card", UInt64(clamping: discovery.peerExchange.cards.leftOut)),
                ("dial", UInt64(clamping: network.dialler.strangersLeftOut)), ("hearsay", counted.hearsayLeftOut),
            ])
    }
}
