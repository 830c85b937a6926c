import Basics
import ControlProtocol
import Reactor
import Store

/// Subscribes clients to events.
@ReactorActor struct EventHandlers: MethodArea {
    let base: MethodBase
    let needsAccount = false
    let events: EventHub

    var methods: [String: Method] {
        [
            "events.subscribe": { parameters, connection in
                try await subscribe(parameters, on: connection)
            },
            "events.ack": { parameters, _ in try await acknowledge(parameters) },
            "events.unsubscribe": { parameters, connection in try unsubscribe(parameters, on: connection)
            },
        ]
    }

    private func subscribe(_ parameters: Parameters, on connection: any Caller) async throws -> JSONValue {
        let consumer = parameters.optionalString("consumer")
        let since = parameters.optionalInteger("since")
        let types = parameters.has("types") ? Set(parameters.strings("types").compactMap(EventType.init)) : nil
        let ephemeral = parameters.bool("ephemeral")
        let notifies = parameters.bool("notifies")
        if base.isLocked, !base.mayReadLocked, !(types?.allSatisfy(\.isSentWhileLocked) ?? false) {
            throw ControlError(.locked, "the account is locked, and events tell what was written", hint: .unlock)
        }
        let (epoch, own) = (parameters.optionalString("epoch"), store.logEpoch)
        let (acknowledged, oldest, reach) = try await store.read { transaction in
            (
                try consumer.flatMap { try transaction.consumer($0)?.acknowledged }, try transaction.oldestEvent(),
                try epoch.map { try Self.reach(of: $0, own: own, in: transaction) }
            )
        }
        // Nothing waits between here and the reply, so everything committed later reaches the subscription.
        let latest = events.latest
        let position = since ?? acknowledged ?? latest
        // The log has not reached this position, or the position belongs to another log with the same numbers. Then what the client
        // knows from there on is void, and it reads everything again.
        let gap = Self.gap(before: position, reach: reach, latest: latest)
        if let consumer, acknowledged == nil, since == nil {
            // A new consumer begins now; it is remembered, so that it finds its cursor when it comes back.
            try await store.commit { try $0.acknowledge(consumer: consumer, upTo: position) }
        }
        let subscription = try connection.subscribe { number in
            Subscription(
                number: number, connection: connection, position: gap == nil ? position : latest, types: types,
                wantsEphemeral: ephemeral, notifies: notifies)
        }
        defer { events.addAfterReply(subscription, gap: gap) }
        return [
            "subscription": .integer(subscription.number), "next": .integer(latest + 1),
            "oldest": .integer(oldest ?? latest + 1), "epoch": .string(store.logEpoch.description),
        ]
    }

    /// The last event of an epoch of our log; 0 for an unknown epoch. The present one, `own`, goes on, and a full disk has not stored
    /// it yet.
    private nonisolated static func reach(
        of epoch: String, own: UUIDv7, in transaction: ReadTransaction
    ) throws -> Int64 {
        guard let id = UUIDv7(epoch) else { return 0 }
        if id == own { return .max }
        return try transaction.reach(ofEpoch: id) ?? 0
    }

    /// - Parameters:
    ///   - position: the last event that the client knows.
    ///   - reach: how far the client's epoch came in this log; nil if it named none.
    private static func gap(before position: Int64, reach: Int64?, latest: Int64) -> ClosedRange<Int64>? {
        let reached = min(reach ?? latest, latest)
        return position > reached ? reached + 1...max(position, latest) : nil
    }

    private func acknowledge(_ parameters: Parameters) async throws -> JSONValue {
        let consumer = parameters.string("consumer")
        let seq = parameters.integer("seq")
        guard seq <= events.latest else {
            throw ControlError(.invalid, "there is no event \(seq) yet", field: "seq")
        }
        let (epoch, own) = (parameters.optionalString("epoch"), store.logEpoch)
        try await store.commit { transaction in
            if let epoch, seq > (try Self.reach(of: epoch, own: own, in: transaction)) {
                throw ControlError(
                    .notFound, "this log has no event \(seq) of that epoch", hint: .giveSinceWithEpoch, field: "epoch")
            }
            try transaction.acknowledge(consumer: consumer, upTo: seq)
        }
        return [:]
    }

    private func unsubscribe(_ parameters: Parameters, on connection: any Caller) throws -> JSONValue {
        let number = parameters.integer("subscription")
        guard connection.subscriptions.end(number) else {
            throw ControlError(.notFound, "this connection has no subscription \(number)", field: "subscription")
        }
        return [:]
    }
}
