import Basics
import ControlProtocol
import Messaging
import Reactor
import Store
import Transfer
import Vocabulary

/// The methods of the control interface by their names, and the rules that hold for all of them.
@ReactorActor package final class Handlers {
    let base: MethodBase
    private let uploads: UploadService
    private let methods: [String: Method]
    private let descriptorMethods: [String: DescriptorMethod]

    /// - Parameters:
    ///   - stop: ends the daemon.
    ///   - more: the methods of modules that Control doesn't know.
    package init(
        base: MethodBase, keeper: any AccountControl, profiles: any ProfileControl, avatars: any AvatarControl,
        typing: any TypingControl,
        transfers: any TransferControl, files: any FileInspector, search: any SearchControl, doctor: any Examiner,
        network: any NetworkAccess, uploads: UploadService, views: FileViews, codes: CodeReader,
        events: EventHub, choices: TransactionSettings, configuration: any ConfigurationControl,
        disk: any DiskControl, stop: @escaping @ReactorActor () -> Void,
        more: [any MethodArea]
    ) {
        self.base = base
        self.uploads = uploads
        let sender = DraftSender(base: base, files: files, choices: choices)
        let areas: [any MethodArea] = [
            SystemHandlers(
                base: base, network: network, configuration: configuration, disk: disk, stop: stop),
            DoctorHandlers(
                base: base, doctor: doctor, network: network, configuration: configuration, events: events),
            AccountHandlers(base: base, keeper: keeper, network: network),
            RecoveryHandlers(base: base, keeper: keeper),
            ProfileHandlers(base: base, profiles: profiles, avatars: avatars),
            PeopleHandlers(base: base, network: network),
            ContactHandlers(base: base, network: network),
            TrustHandlers(base: base),
            NameHandlers(base: base, network: network), RosterHandlers(base: base, network: network),
            GroupHandlers(base: base, avatars: avatars),
            ConversationHandlers(base: base),
            MessageHandlers(base: base, sender: sender),
            AmendmentHandlers(base: base, network: network),
            SearchHandlers(base: base, search: search),
            TransferHandlers(base: base, transfers: transfers, files: files, sender: sender),
            TransferPauseHandlers(base: base, transfers: transfers, sender: sender),
            TypingHandlers(base: base, typing: typing),
            SettingsHandlers(base: base, files: files),
            EventHandlers(base: base, events: events),
            UploadHandlers(base: base, uploads: uploads),
            FileHandlers(base: base, views: views),
            CodeHandlers(base: base, reader: codes),
        ]
        methods = (areas + more).reduce(into: [:]) { all, area in
            for (name, method) in area.methods {
                precondition(all[name] == nil, "two handlers have one name")
                guard area.needsAccount else {
                    all[name] = method
                    continue
                }
                all[name] = { parameters, caller in
                    _ = try area.requireAccount()
                    return try await method(parameters, caller)
                }
            }
        }
        descriptorMethods = (areas + more).reduce(into: [:]) { all, area in
            all.merge(area.descriptorMethods) { _, _ in preconditionFailure("two handlers have one name") }
        }
    }

    /// The names of all methods.
    package var names: Set<String> { Set(methods.keys).union(descriptorMethods.keys) }
    /// The names of those that pass descriptors.
    package var passing: Set<String> { Set(descriptorMethods.keys) }

    /// Carries out one request whose line was well-formed.
    /// - Throws: `RPCError` for an unknown method or parameters, `ControlError` for a refusal.
    func handle(_ request: RPCRequest, on connection: any Caller) async throws -> Outcome {
        guard let specification = Catalogue.method(request.method) else {
            throw RPCError.methodNotFound(request.method)
        }
        if base.isLocked, !isAnsweredWhileLocked(specification) { throw MessagingError.locked }
        if let objection = connection.role.objection(to: specification, request.params) { throw objection }
        var parameters = try Catalogue.validate(request)
        var held: [UUIDv7] = []
        var isDone = false
        defer { uploads.release(held, isSent: isDone && specification.sendsFiles) }
        parameters = try parameters.resolvingUploads { upload in
            let path = try uploads.hold(upload)
            held.append(upload)
            return path
        }
        let outcome = try await perform(specification, parameters, connection)
        isDone = true
        return outcome
    }

    private func perform(
        _ specification: MethodSpec, _ parameters: Parameters, _ connection: any Caller
    ) async throws -> Outcome {
        // Requests about conversations take effect in the order in which they came (CONTROL-API.md): a read sees what was
        // written before it on the same connection.
        switch specification.effect {
        case .none: return try await perform(specification.name, parameters, connection)
        case .reads:
            try await settle(connection)
            return try await perform(specification.name, parameters, connection)
        case .writes:
            InteractivePriority.shared.claim()
            connection.writes += 1
            defer { connection.writes -= 1 }
            return try await perform(specification.name, parameters, connection)
        }
    }

    private func perform(
        _ name: String, _ parameters: Parameters, _ connection: any Caller
    ) async throws -> Outcome {
        if let method = methods[name] { return Outcome(try await method(parameters, connection)) }
        guard let method = descriptorMethods[name] else { throw RPCError.methodNotFound(name) }
        // A client that takes no descriptors must not make the daemon open more of them.
        try connection.checkDescriptors()
        return try await method(parameters)
    }

    private func isAnsweredWhileLocked(_ method: MethodSpec) -> Bool {
        switch method.whileLocked {
        case .answered: true
        case .history: base.mayReadLocked
        case .refused: false
        }
    }

    /// Waits until the earlier requests of this connection are committed. A read sees the database as it is when the
    /// read begins.
    private func settle(_ connection: any Caller) async throws {
        guard connection.writes > 0 else { return }
        await connection.lane.pass()
        try await base.environment.store.commit { _ in }
    }
}

extension RPCError {
    /// The kinds by which refusals are counted.
    static let words = Reason.allCases.map(\.rawValue) + ["wrong_request"]
    /// The kind of this one: `wrong_request` stands for unknown methods and parameters.
    var word: String { kind?.rawValue ?? "wrong_request" }

    /// Turns any error into one for the client. An unexpected one becomes `internal`, and only the log has its details.
    init(describing error: any Error, method: String, log: Logger) {
        switch error {
        case let error as RPCError: self = error
        case let error as ControlError: self.init(error)
        case let error as MessagingError: self.init(ControlError(error))
        case is CancellationError: self.init(ControlError(.cancelled, "the connection was closed"))
        case StoreError.full:
            self.init(
                ControlError(.noSpace, "the disk that holds Kibo's data is full", hint: .freeSpace))
        default:
            log.error("a request failed", [("method", method), ("error", "\(error)")])
            self.init(
                ControlError(.internal, "the daemon failed to do this", hint: .seeLog))
        }
    }
}
