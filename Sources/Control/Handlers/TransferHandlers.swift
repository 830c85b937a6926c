import Basics
import ControlProtocol
import Glibc
import Messaging
import Reactor
import Runtime
import Store
import Transfer
import Vocabulary

/// Lists transfers, and answers offers.
@ReactorActor struct TransferHandlers: MethodArea {
    let base: MethodBase
    let transfers: any TransferControl
    let files: any FileInspector
    let sender: DraftSender

    var methods: [String: Method] {
        [
            "transfer.send": { parameters, connection in try await send(parameters, on: connection)
            },
            "transfer.list": { parameters, _ in try await list(parameters) },
            "transfer.get": { parameters, _ in try await get(parameters).json },
            "transfer.accept": { parameters, _ in try await accept(parameters).json },
            "transfer.decline": { parameters, _ in try await decline(parameters).json },
            "transfer.cancel": { parameters, _ in try await cancel(parameters).json },
        ]
    }

    private func send(_ parameters: Parameters, on connection: any Caller) async throws -> JSONValue {
        let own = try requireAccount()
        var draft = Draft(
            own: own.id, device: own.device, text: parameters.optionalString("text") ?? "", replyTo: nil,
            key: nil,
            now: clocks.wallTime)
        draft.target = .contact(try account("to", parameters))
        draft.voice = voice
        await connection.lane.enter()
        defer { connection.lane.leave() }
        try await sender.prepare(
            &draft, paths: parameters.strings("paths").map { NamedPath($0) }, anyType: parameters.bool("anyType"))
        let message = try await sender.send(draft)
        guard let id = UUIDv7(message.id) else { throw ControlError(.internal, "the message has no id") }
        let composer = composer
        let rows = try await store.read { try $0.transfers(of: id).map { composer.transfer($0) } }
        return ["transfers": .array(rows.map(\.json))]
    }

    private func list(_ parameters: Parameters) async throws -> JSONValue {
        let state = parameters.choice("state", as: TransferState.self)
        let direction = parameters.choice("direction", as: TransferDirection.self)
        let peer = parameters.account("peer")
        let before = try position("before", parameters, ListPosition.init)
        let limit = parameters.limit
        let rows = try await store.read {
            try $0.transfers(
                state: state, peer: peer,
                direction: direction,
                before: before, limit: limit + 1)
        }
        var result: JSONObject = ["transfers": .array(rows.prefix(limit).map { shown($0).json })]
        if rows.count > limit { result["next"] = .string(rows[limit - 1].position.description) }
        return .object(result)
    }

    private func get(_ parameters: Parameters) async throws -> Transfer {
        let id = try uuid("id", parameters)
        let (found, problems) = try await store.read { (try $0.transfer(id), try $0.problems(of: id)) }
        guard let row = found else { throw ControlError.noTransfer(id) }
        var transfer = shown(row)
        transfer.problems = problems.map(TransferProblem.init)
        return transfer
    }

    /// The transfer with its running progress, which the database does not have yet.
    private func shown(_ row: TransferRow) -> Transfer {
        guard row.state == .active, let (progress, rate) = transfers.progress(of: row.id) else {
            return composer.transfer(row)
        }
        return composer.transfer(
            row, rate: rate, bytesDone: Int64(clamping: progress.bytesShown), filesDone: Int64(progress.filesDone))
    }

    // MARK: Changing

    private func accept(_ parameters: Parameters) async throws -> Transfer {
        let id = try uuid("id", parameters)
        let path = parameters.optionalString("path")
        let choices = sender.choices
        let (needed, policy, ruled) = try await store.read { transaction -> (UInt64, FilePolicy, String?) in
            let (row, policy) = (try transaction.transfer(id), try choices.files(transaction))
            let contact = try row.flatMap { try transaction.contact($0.peer) }
            return (
                row?.state == .offered ? UInt64(clamping: row?.size ?? 0) : 0, policy,
                policy.downloads.folder(for: contact)
            )
        }
        let folder = path ?? ruled ?? policy.downloads.directory
        let isDefault = path == nil && ruled == nil
        let files = files
        try await workers.files.run {
            try Self.checkDestination(folder, makesIt: isDefault)
            try Self.checkRoom(in: folder, files.destination(folder), for: needed, policy)
        }
        let anyway = parameters.bool("anyway")
        let row = try await store.commit { transaction -> TransferRow in
            guard var row = try transaction.transfer(id) else { throw ControlError.noTransfer(id) }
            guard row.direction == .incoming else {
                throw row.refusal("that transfer goes out; only the receiver accepts", .awaitReceiver)
            }
            switch row.state {
            case .queued, .active: return row
            case .offered: break
            default:
                throw row.refusal(
                    "that transfer is \(row.state.rawValue)",
                    !row.isUntaken && (row.state == .failed || row.state == .paused)
                        ? .resumeTransfer : .askToSendAgain)
            }
            if row.life.heldBack != nil, !anyway { try Self.checkTypes(of: row, policy) }
            row.queue()
            row.path = folder
            try transaction.update(row)
            try FileFrames.status(.accepted, of: row, in: transaction)
            return row
        }
        // It may wait already, and the user doesn't want to.
        transfers.hurry(id)
        return composer.transfer(row)
    }

    /// Refuses an offer that is held back, as long as the settings do not let all its types through.
    nonisolated private static func checkTypes(of row: TransferRow, _ policy: FilePolicy) throws {
        let types = row.unlisted.filter { !policy.types.allows(unlisted: $0) }
        guard !types.isEmpty else { return }
        throw ControlError(
            .typeNotAllowed, "\(ForeignText.escapedName(row.name)) is held back: \(FileType.words(types))",
            hint: .takeAnyway,
            parameters: [
                "id": .string(row.id.description), "file": .string(row.name),
                "types": .strings(types.filter { !$0.isEmpty }),
            ], field: "anyway")
    }

    /// The destination must be a folder that we may write to; the default one is made if it doesn't exist.
    nonisolated private static func checkDestination(_ path: String, makesIt: Bool) throws {
        if makesIt {
            do { try Paths.makeDirectory(path, mode: 0o755) } catch {
                throw ControlError(
                    .notAllowed, error.message, hint: .giveOtherFolder, parameters: ["path": .string(path)],
                    field: "path")
            }
        }
        var status = stat()
        guard stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFDIR else {
            throw ControlError(
                .invalid, "\(ForeignText.escaped(path)) is not a folder", hint: .makeFolder,
                parameters: ["path": .string(path)], field: "path")
        }
        guard access(path, W_OK | X_OK) == 0 else {
            throw ControlError(
                .notAllowed, "the daemon may not write to \(ForeignText.escaped(path))", hint: .giveOtherFolder,
                parameters: ["path": .string(path)], field: "path")
        }
    }

    nonisolated private static func checkRoom(
        in folder: String, _ destination: Destination, for size: UInt64, _ policy: FilePolicy
    ) throws {
        guard let free = destination.freeBytes, !policy.fits(size, in: free, promised: 0) else { return }
        throw ControlError(
            .noSpace,
            "there is not enough room in \(ForeignText.escaped(folder)): \(SizeText.text(free)) are free, "
                + "\(SizeText.text(size)) are needed, and \(SizeText.text(policy.freeSpaceReserve)) are to stay free",
            hint: .freeSpaceOrOtherFolder,
            parameters: [
                "path": .string(folder), "free": .integer(Int64(clamping: free)),
                "needed": .integer(Int64(clamping: size)),
                "reserve": .integer(Int64(clamping: policy.freeSpaceReserve)),
            ], field: "path")
    }

    private func decline(_ parameters: Parameters) async throws -> Transfer {
        try await end(parameters, as: .declined) { row in
            guard row.direction == .incoming, row.state == .offered else {
                throw row.refusal("only an offer can be declined", .cancelTransfer)
            }
        }
    }

    private func cancel(_ parameters: Parameters) async throws -> Transfer {
        try await end(parameters, as: .cancelled) { row in
            guard !row.state.isOver || row.state == .failed else {
                throw row.refusal("that transfer is \(row.state.rawValue) already", .seeTransfers)
            }
        }
    }

    private func end(
        _ parameters: Parameters, as state: TransferState, check: @escaping @Sendable (TransferRow) throws -> Void
    ) async throws -> Transfer {
        let id = try uuid("id", parameters)
        let ended = try await store.commit { transaction -> TransferRow in
            guard let before = try transaction.transfer(id) else { throw ControlError.noTransfer(id) }
            try check(before)
            var row = before
            row.state = state
            row.finishedAt = transaction.wallTime
            row.reason = nil
            row.detail = nil
            try transaction.update(row)
            try FileFrames.status(state == .declined ? .declined : .cancelled, of: row, in: transaction)
            return row
        }
        return composer.transfer(ended)
    }
}

extension ControlError {
    static func noTransfer(_ id: UUIDv7) -> ControlError {
        ControlError(
            .notFound, "there is no transfer \(id)", hint: .seeTransfers, parameters: ["id": .string(id.description)])
    }
}

extension TransferRow {
    /// The refusal of something that can't be done to a transfer in this state.
    func refusal(_ message: String, _ hint: HintCode) -> ControlError {
        let parameters: JSONObject = [
            "id": .string(id.description), "file": .string(name), "state": .string(state.rawValue),
        ]
        return ControlError(.invalid, message, hint: hint, parameters: parameters, field: "id")
    }
}
