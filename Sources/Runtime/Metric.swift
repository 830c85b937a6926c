/// All that `system.metrics` counts and measures: the table of the handbook is written from this. Names and kinds follow
/// Prometheus's conventions.
package enum Metric: String, CaseIterable, Sendable {
    case build = "kibo_build_info"
    case uptime = "kibo_uptime_seconds"
    case locked = "kibo_locked"
    case databaseBytes = "kibo_database_bytes"
    case residentBytes = "kibo_resident_bytes"
    case outboxItems = "kibo_outbox_items"
    case outboxOldest = "kibo_outbox_oldest_seconds"
    case configurationInUse = "kibo_configuration_in_use"
    case logLines = "kibo_log_lines_total"
    case messages = "kibo_messages_total"
    case bytes = "kibo_bytes_total"
    case transfers = "kibo_transfers_total"
    case requestsRefused = "kibo_requests_refused_total"
    case clientsRefused = "kibo_clients_refused_total"
    case notifications = "kibo_notifications_total"
    case hookRuns = "kibo_hook_runs_total"
    case notifyingClients = "kibo_notifying_clients"
    case sessions = "kibo_sessions"
    case peers = "kibo_peers"
    case dialsUnderWay = "kibo_dials_under_way"
    case halfOpen = "kibo_half_open"
    case connectionsRefused = "kibo_connections_refused_total"
    case handshakes = "kibo_handshakes_total"
    case sessionsOpened = "kibo_sessions_opened_total"
    case sessionsEnded = "kibo_sessions_ended_total"
    case sessionsRefused = "kibo_sessions_refused_total"
    case connectionsCut = "kibo_connections_cut_total"
    case framesRefused = "kibo_frames_refused_total"
    case framesIgnored = "kibo_frames_ignored_total"
    case peerExchangePagesRefused = "kibo_peer_exchange_pages_refused_total"
    case bulkRefused = "kibo_bulk_refused_total"
    case dials = "kibo_dials_total"
    case datagramsSent = "kibo_datagrams_sent_total"
    case datagramsReceived = "kibo_datagrams_received_total"
    case datagramsBelieved = "kibo_datagrams_believed_total"
    case datagramsRefused = "kibo_datagrams_refused_total"
    case probing = "kibo_probing_total"
    case strangersForgotten = "kibo_strangers_forgotten_total"
    case strangersLeftOut = "kibo_strangers_left_out_total"
    case groupGraphsRead = "kibo_group_graphs_read_total"
    case calls = "kibo_calls_total"
    case callSignalsRefused = "kibo_call_signals_refused_total"

    package enum Kind: String { case counter, gauge }

    /// What ends with `_total` only rises, from the start of the daemon on.
    package var kind: Kind { rawValue.hasSuffix("_total") ? .counter : .gauge }

    /// The name of the label; nil for a metric of one series.
    package var label: String? {
        switch self {
        case .build: "version"
        case .configurationInUse, .probing, .strangersLeftOut: "what"
        case .logLines: "level"
        case .messages, .bytes: "direction"
        case .transfers, .notifications, .hookRuns, .handshakes, .dials, .calls: "outcome"
        case .requestsRefused: "kind"
        case .clientsRefused, .connectionsRefused, .sessionsEnded, .sessionsRefused, .connectionsCut,
            .framesRefused, .framesIgnored, .bulkRefused, .datagramsRefused, .callSignalsRefused:
            "reason"
        default: nil
        }
    }

    /// What it counts, in one sentence without markup.
    package var help: String {
        switch self {
        case .build: "Always 1, with the version of the daemon."
        case .uptime: "Seconds since the daemon started."
        case .locked: "1 while the account is locked, and 0 otherwise."
        case .databaseBytes: "Size of the database."
        case .residentBytes: "Memory in use (RSS)."
        case .outboxItems: "Items that wait for their recipient: what is in parcels, but not the parcels."
        case .outboxOldest: "How long the oldest of these items has waited; 0 if none waits."
        case .configurationInUse: "1 if the version that was read last is in use, 0 if it is wrong or needs a restart."
        case .logLines: "Lines of the log that are warnings or errors."
        case .messages: "Messages that were stored."
        case .bytes: "Bytes that connections with peers have carried."
        case .transfers: "Transfers that are over, by outcome."
        case .requestsRefused: "Requests of clients that were refused, by kind of error."
        case .clientsRefused: "Clients of the control socket that were turned away or cut off, by reason."
        case .notifications: "Notifications for the desktop, by outcome."
        case .hookRuns: "Runs of the hook command, by outcome."
        case .notifyingClients: "Subscriptions whose client notifies its user."
        case .sessions: "Open sessions."
        case .peers: "Peers on the network now."
        case .dialsUnderWay: "Dials under way."
        case .halfOpen: "Connections whose other side has not proved who it is."
        case .connectionsRefused: "Connections that were not let in because too many were half-open, by reason."
        case .handshakes: "Handshakes that others began, by outcome."
        case .sessionsOpened: "Sessions that were opened."
        case .sessionsEnded: "Sessions that ended, by reason."
        case .sessionsRefused: "Handshakes that led to no session, by reason."
        case .connectionsCut: "Connections of sessions that we cut, by reason."
        case .framesRefused: "Frames of peers that got a receipt with a reason."
        case .framesIgnored: "Frames of peers without a receipt that were ignored, by reason."
        case .peerExchangePagesRefused: "Requests for a page of the peer exchange that we did not answer."
        case .bulkRefused: "Connections for files that we closed at once, by reason."
        case .dials: "Our dials, by outcome."
        case .datagramsSent: "Announcements and probes that we sent."
        case .datagramsReceived: "Datagrams that we received."
        case .datagramsBelieved: "Received datagrams that we believed."
        case .datagramsRefused: "Datagrams that we received and did not use, by reason."
        case .probing: "What we did to find out who is still there."
        case .strangersForgotten: "Strangers that we forgot to make room for others."
        case .strangersLeftOut: "What we left out because there were too many strangers."
        case .groupGraphsRead: "How often we computed a group's membership from its entries on the disk."
        case .calls: "Calls that are over, by outcome."
        case .callSignalsRefused: "States and signals of calls that peers sent and we did not obey, by reason."
        }
    }

    /// What else the handbook says of it, in Markdown, such as the values of the label.
    package var details: String? {
        switch self {
        case .configurationInUse: "For the configuration and for the roster: `configuration`, `roster`."
        case .messages: "From others (`in`) and written here (`out`, once for all recipients), without lines of Kibo."
        case .bytes: "Messages, files and everything else: `in`, `out`."
        case .transfers: "`received`, `sent`, `failed`, `cancelled`, `declined`."
        case .requestsRefused:
            "The kinds are in [CONTROL-API.md](CONTROL-API.md); `wrong_request` stands for unknown methods "
                + "and parameters."
        case .clientsRefused: "`other_user`, `full`, `line_length`, `line_time`, `not_reading`."
        case .notifications:
            "`shown`, `refused` by the server, `told_by_client`, `left_out` (too many waited), `helper_ended`."
        case .hookRuns: "`done`, `failed` (and tried again), `given_up`, `left_out` (too many waited)."
        case .notifyingClients: "The client says so with `notifies`."
        case .connectionsRefused:
            "`full` in all, `source_full` from this source, `link_full` from strangers over IPv6 on this link."
        case .handshakes:
            "`done`, or why not: `timeout`, `not_kibo`, `identity`, `handshake`, `other_realm`, `no_knock`, "
                + "`wrong_knock`, `copy`, `unsupported_version`, `interrupted` …"
        case .sessionsEnded:
            "`closed_here_busy` (the peer had used up its budget, or we needed the room), "
                + "`closed_here_protocol_error` (it broke a rule), `silence` (it sent nothing for too long) …"
        case .sessionsRefused: "`full`, `blocked`, `copy` (another copy of that device's data is connected)."
        case .connectionsCut: "`not_reading`, `record` (a record was forged or too long) …"
        case .framesRefused: "`not_friends`, `too_large`, `invalid`, `busy`, `unsupported` …"
        case .framesIgnored: "`malformed`, `not_allowed`, `too_often`, `unasked`."
        case .peerExchangePagesRefused: "There were too many from that source or in all."
        case .bulkRefused: "`not_friends` (and not group mates), `busy`, `violations`."
        case .datagramsRefused:
            "`over_budget`, `forged`, `stale`, `malformed`, `other_network`, `other_realm`, `own`, "
                + "`unknown_kind`, `idle_bye`, `unasked_probe`, `unknown_veil`, `broken_veil`."
        case .probing:
            "`probe`, `answer`, `suspicion`, `suspicion_of_others` (one that we checked), "
                + "`suspicion_of_others_left_out` (there were too many), `indirect_probe_left_out` (too many "
                + "probes for others), `refutation`, `given_up`."
        case .strangersLeftOut:
            "`dial` (a dial for a stranger's card), `card` (keeping a card), `hearsay` (a dial or probe to "
                + "an address that we know only from others)."
        case .groupGraphsRead:
            "That takes milliseconds. A session adds nothing if both sides have the same membership when it "
                + "starts."
        case .calls: "`answered`, `unanswered`, `cancelled`, `declined`, `busy`, `unreachable`, `failed`."
        case .callSignalsRefused:
            "`unknown` (no such call with this device), `too_often`, `gap` (an earlier signal is missing; "
                + "this one comes again), `generation` (it belongs to another generation, and has no effect), `description` (it "
                + "breaks the rules), `fingerprint` (a different certificate from the one that its device named), "
                + "`addresses` (none where we know the device to be), `too_much`."
        default: nil
        }
    }

    /// The table of the handbook.
    package static var table: String {
        allCases.reduce(into: "| Name | Counts |\n|---|---|\n") { text, metric in
            text += "| `\(metric.rawValue)` | \(metric.help)\(metric.details.map { " \($0)" } ?? "") |\n"
        }
    }
}
