import Basics
import Reactor
import Store
import Transfer

/// Removes what an incoming transfer left behind that will not go on.
@ReactorActor enum PartRemoval {
    /// Only when no thread writes there any more.
    static func start(
        _ id: UUIDv7, _ context: Context, _ log: Logger, then done: @escaping @ReactorActor () -> Void
    ) {
        let store = context.store
        Task { @ReactorActor in
            do {
                try await context.files.run {
                    try store.readAndWait { try TransferRecords.receivePlan(id, in: $0) }.discardPart()
                }
                try await store.write { try $0.removeParts(of: id) }
            } catch {
                log.warning("a partial file may be left over", [("transfer", "\(id)"), ("error", "\(error)")])
            }
            done()
        }
    }
}
