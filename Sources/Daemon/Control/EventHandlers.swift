import Basics
import ControlProtocol
import Store

extension Handlers {
    func subscribe(_ parameters: Parameters, on connection: ControlConnection) async throws -> JSONValue {
        let consumer = parameters.optionalString("consumer")
        let since = parameters.optionalInteger("since")
        let types = parameters.has("types") ? Set(parameters.strings("types")) : nil
        let ephemeral = parameters.bool("ephemeral")
        if context.isLocked, !LockedMethods.brings(types, mayRead: mayReadLocked) {
            throw ControlError(
                .locked, "the account is locked, and events tell what was written",
                hint:
                    "Unlock it with: kibo unlock. account.changed alone can be subscribed to, and tells when that is done."
            )
        }
        let (acknowledged, oldest) = try await context.store.read { transaction in
            (try consumer.flatMap { try transaction.consumer($0)?.acknowledged }, try transaction.oldestEvent())
        }
        // From here to the reply nothing waits: what is committed later reaches the subscription.
        let latest = context.events.latest
        let position = since ?? acknowledged ?? latest
        if let consumer, acknowledged == nil, since == nil {
            // A new consumer begins now; it is remembered, so that it finds its place when it comes back.
            try await context.store.write { try $0.acknowledge(consumer: consumer, upTo: position) }
        }
        let subscription = try connection.subscribe { number in
            Subscription(
                number: number, connection: connection, consumer: consumer, position: min(position, latest),
                types: types,
                wantsEphemeral: ephemeral)
        }
        // A place that the log has not reached: it is of another database, and what the client knows is void.
        defer { context.events.addAfterReply(subscription, gapTo: position > latest ? position : nil) }
        return [
            "subscription": .integer(subscription.number), "next": .integer(latest + 1),
            "oldest": .integer(oldest ?? latest + 1),
        ]
    }

    func acknowledgeEvents(_ parameters: Parameters) async throws -> JSONValue {
        let consumer = parameters.string("consumer")
        let seq = parameters.integer("seq")
        guard seq <= context.events.latest else {
            throw ControlError(.invalid, "there is no event \(seq) yet", field: "seq")
        }
        try await context.store.write { try $0.acknowledge(consumer: consumer, upTo: seq) }
        return [:]
    }

    func unsubscribe(_ parameters: Parameters, on connection: ControlConnection) throws -> JSONValue {
        let number = parameters.integer("subscription")
        guard connection.unsubscribe(number) else {
            throw ControlError(.notFound, "this connection has no subscription \(number)", field: "subscription")
        }
        return [:]
    }
}
