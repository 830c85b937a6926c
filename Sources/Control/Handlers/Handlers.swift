import Basics
import ControlProtocol
import Messaging
import Reactor
import Store
import Transfer

/// The methods of the control interface, each in an extension of its room.
@ReactorActor final class Handlers {
    unowned let context: ControlContext

    init(context: ControlContext) { self.context = context }

    /// Carries out one request whose line was well-formed.
    /// - Throws: `RPCError` for an unknown method or parameters, `ControlError` for a refusal.
    func handle(_ request: RPCRequest, on connection: ControlConnection) async throws -> JSONValue {
        guard let specification = Catalogue.method(request.method), let method = Self.methods[request.method] else {
            throw RPCError.methodNotFound(request.method)
        }
        if context.isLocked, !isAnsweredWhileLocked(specification) { throw MessagingError.locked }
        let parameters = try Catalogue.validate(request)
        // Requests about conversations take effect in the order in which they came (CONTROL-API.md): a read sees what was
        // written before it on the same connection.
        switch specification.effect {
        case .none: return try await method(self, parameters, connection)
        case .reads:
            try await settle(connection)
            return try await method(self, parameters, connection)
        case .writes:
            InteractivePriority.shared.claim()
            connection.writes += 1
            defer { connection.writes -= 1 }
            return try await method(self, parameters, connection)
        }
    }

    /// Carries out one method whose parameters have been checked.
    typealias Method = @ReactorActor @Sendable (Handlers, Parameters, ControlConnection) async throws -> JSONValue

    /// Every method by its name, the same names as in ``Catalogue/methods``.
    nonisolated static let methods: [String: Method] = [
        systemMethods, doctorMethods, accountMethods, profileMethods, peopleMethods, contactMethods, trustMethods,
        nameMethods, addressBookMethods, groupMethods, conversationMethods, messageMethods, amendmentMethods,
        searchMethods, transferMethods, transferPauseMethods, typingMethods, settingsMethods, eventMethods,
    ].reduce(into: [:]) { all, part in
        all.merge(part) { _, _ in preconditionFailure("two handlers have one name") }
    }

    private func isAnsweredWhileLocked(_ method: MethodSpec) -> Bool {
        switch method.whileLocked {
        case .answered: true
        case .history: mayReadLocked
        case .refused: false
        }
    }

    /// Waits until what this connection asked for before is committed: reads have a snapshot of their own, and it begins
    /// when they do.
    private func settle(_ connection: ControlConnection) async throws {
        guard connection.writes > 0 else { return }
        await connection.lane.pass()
        try await context.store.write { _ in }
    }

    var composer: ObjectComposer { context.composer }

    /// Whether the history may be read, also while the account is locked.
    var mayReadLocked: Bool { context.settings[SettingsCatalogue.historyWhileLocked] }

    /// Whose account this is, or the refusal that everything gives which needs one. Whether it may be used while it is locked
    /// was asked before, of the method's name.
    func requireAccount() throws -> OwnAccount {
        guard let profile = context.profile else {
            throw ControlError.noAccount
        }
        return OwnAccount(id: profile.account, device: profile.device)
    }
}

extension RPCError {
    /// What a client is told of any error. What is not foreseen is `internal`, with the details in the log only.
    init(describing error: any Error, method: String, log: Logger) {
        switch error {
        case let error as RPCError: self = error
        case let error as ControlError: self.init(error)
        case let error as MessagingError: self.init(ControlError(error))
        case is CancellationError: self.init(ControlError(.cancelled, "the connection was closed"))
        case StoreError.full:
            self.init(
                ControlError(
                    .noSpace, "the disk that holds Kibo's data is full", hint: .freeSpace))
        default:
            log.error("a request failed", [("method", method), ("error", "\(error)")])
            self.init(
                ControlError(
                    .internal, "the daemon failed to do this", hint: .seeLog))
        }
    }
}
