import Basics
import Reactor
import Runtime
import Store

/// Counts messages for `system.metrics`. It looks them up after their commit, several at once, so that no commit waits.
@ReactorActor final class MessageCounter {
    private let environment: Environment
    /// Messages that were stored and are not looked up yet.
    private var waiting: [UUIDv7] = []
    private var isLooking = false

    init(environment: Environment) {
        self.environment = environment
        environment.metrics.declare(.messages, ["in", "out"])
    }

    func committed(_ events: [EventRecord]) {
        for record in events {
            if case (.message(let id), .insert) = (record.object, record.change) { waiting.append(id) }
        }
        look()
    }

    private func look() {
        guard !isLooking, !waiting.isEmpty else { return }
        isLooking = true
        let page = waiting
        waiting = []
        environment.store.read { transaction in
            let own = try transaction.ownAccount()?.account
            return try page.compactMap { try transaction.message($0) }.filter { $0.kind != .system }
                .map { $0.sender == own ? "out" : "in" }
        } then: { [weak self] result in
            guard let self else { return }
            isLooking = false
            for direction in (try? result.get()) ?? [] {
                environment.metrics.count(.messages, direction)
            }
            look()
        }
    }
}
