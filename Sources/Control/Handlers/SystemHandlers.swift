import Basics
import ControlProtocol
import Reactor

/// Says who the daemon is, and ends it.
@ReactorActor struct SystemHandlers: MethodArea {
    let base: MethodBase
    let needsAccount = false
    let network: any NetworkAccess
    let configuration: any ConfigurationControl
    let disk: any DiskControl
    let stop: @ReactorActor () -> Void

    var methods: [String: Method] {
        [
            "system.hello": { parameters, connection in
                if let role: Role = parameters.choice("role") { try connection.assume(role) }
                return hello().json
            },
            "system.status": { _, _ in try await status().json },
            "system.schema": { _, _ in Self.schema }, "rpc.discover": { _, _ in Self.schema },
            "system.reload": { _, _ in ["atNextStart": .strings(try await configuration.reload())] },
            "system.shutdown": { _, _ in shutdown() },
        ]
    }

    private static var schema: JSONValue { Catalogue.openRPC(version: ControlProtocol.productVersion) }

    private func hello() -> DaemonHello {
        DaemonHello(
            version: ControlProtocol.productVersion, protocol: 1, api: Int64(ControlProtocol.version),
            capabilities: ["direct", "files", "events"],
            account: base.profile?.account.description)
    }

    private func status() async throws -> DaemonStatus {
        let entries = base.isLocked ? [] : base.environment.putOff.current
        let (queued, transfers, putOff) = try await store.read { transaction in
            (
                try transaction.ownOutboxCount(), try transaction.unfinishedTransfers().count,
                try entries.map { entry in
                    DaemonStatus.PutOff(
                        account: entry.account.description, name: try transaction.contact(entry.account)?.shownName,
                        reason: entry.reason, since: entry.since.milliseconds)
                }
            )
        }
        return DaemonStatus(
            uptime: (clocks.now - base.environment.startedAt).milliseconds,
            listen: network.open?.listenAddresses.map(\.description) ?? [],
            interfaces: network.open?.interfaceNames ?? [],
            peers: Int64(network.open?.shown.count ?? 0),
            sessions: Int64(network.open?.sessionCount ?? 0), queued: queued, transfers: Int64(transfers),
            locked: base.isLocked, data: base.environment.directory, databaseBytes: store.databaseBytes,
            disk: disk.state, putOff: putOff, epoch: store.logEpoch.description)
    }

    /// The reply leaves first: the daemon stops at a later turn.
    private func shutdown() -> JSONValue {
        let stop = stop
        _ = Reactor.shared.schedule(at: clocks.now + .milliseconds(20)) { stop() }
        return [:]
    }
}
