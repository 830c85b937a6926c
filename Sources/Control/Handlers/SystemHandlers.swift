import Basics
import ControlProtocol
import Store

extension Handlers {
    nonisolated static let systemMethods: [String: Method] = [
        "system.hello": { handlers, _, _ in handlers.hello().json },
        "system.status": { handlers, _, _ in try await handlers.status().json },
        "system.schema": { _, _, _ in Catalogue.openRPC(version: ControlProtocol.productVersion) },
        "system.shutdown": { handlers, _, _ in handlers.shutdown() },
    ]

    func hello() -> DaemonHello {
        DaemonHello(
            version: ControlProtocol.productVersion, protocol: 1, api: Int64(ControlProtocol.version),
            capabilities: ["direct", "files", "events"],
            account: context.profile?.account.description)
    }

    func status() async throws -> DaemonStatus {
        let (queued, transfers) = try await context.store.read {
            (try $0.outboxCount(), try $0.unfinishedTransfers().count)
        }
        return DaemonStatus(
            uptime: (context.clocks.now - context.environment.startedAt).milliseconds,
            listen: context.network?.listenAddresses.map(\.description) ?? [],
            interfaces: context.network?.interfaceNames ?? [],
            peers: Int64(context.network?.shown.count ?? 0),
            sessions: Int64(context.network?.sessionCount ?? 0), queued: queued, transfers: Int64(transfers),
            locked: context.isLocked, data: context.environment.directory, databaseBytes: context.store.databaseBytes,
            full: context.store.isFull, epoch: context.store.logEpoch.description)
    }

    /// The reply leaves first: the daemon stops at a later turn.
    func shutdown() -> JSONValue {
        context.stopSoon()
        return [:]
    }
}
