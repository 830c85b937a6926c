import ControlProtocol
import Reactor
import Runtime

/// The daemon as a client of its own methods: the button of a notification does only what any client could do.
@ReactorActor package final class OwnCaller: Caller {
    private let handlers: Handlers
    package let subscriptions: ClientSubscriptions
    package var writes = 0
    package let lane = AsyncMutex()
    package var isOpen: Bool { true }
    package var bufferedBytes: Int { 0 }
    package var role: Role { .full }

    package init(handlers: Handlers, events: EventHub) {
        self.handlers = handlers
        subscriptions = ClientSubscriptions(events: events)
    }

    /// Calls methods one after another.
    /// - Parameter failed: gets each call that was refused, and why.
    package func call(
        _ calls: [(method: String, params: JSONObject)],
        failed: @escaping @ReactorActor (String, any Error) -> Void
    ) {
        Reactor.shared.task { [self] in
            for (method, params) in calls {
                do {
                    _ = try await handlers.handle(RPCRequest(id: .null, method: method, params: params), on: self)
                } catch {
                    failed(method, error)
                }
            }
        }
    }

    package func has(_ subscription: Subscription) -> Bool { false }
    package func send(_ line: [UInt8]) {}
    package func subscribe(_ make: (Int64) -> Subscription) throws -> Subscription {
        throw ControlError(.unsupported, "the daemon hears its events by itself")
    }
    package func assume(_ role: Role) throws {}
    package func checkDescriptors() throws { throw ControlError(.busy, "the daemon takes no descriptors") }
}
