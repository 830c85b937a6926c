import Basics
import ControlProtocol
import Glibc
import Messaging
import PeerProtocol
import Runtime
import Store
import Transfer
import Vocabulary

extension Handlers {
    nonisolated static let transferMethods: [String: Method] = [
        "transfer.send": { handlers, parameters, connection in try await handlers.sendFiles(parameters, on: connection)
        },
        "transfer.list": { handlers, parameters, _ in try await handlers.transfers(parameters) },
        "transfer.get": { handlers, parameters, _ in try await handlers.transfer(parameters).json },
        "transfer.accept": { handlers, parameters, _ in try await handlers.acceptTransfer(parameters).json },
        "transfer.decline": { handlers, parameters, _ in try await handlers.declineTransfer(parameters).json },
        "transfer.cancel": { handlers, parameters, _ in try await handlers.cancelTransfer(parameters).json },
    ]

    func sendFiles(_ parameters: Parameters, on connection: ControlConnection) async throws -> JSONValue {
        let account = try requireAccount()
        var draft = Draft(
            own: account.id, device: account.device, text: parameters.optionalString("text") ?? "", replyTo: nil,
            key: nil,
            now: context.clocks.wallTime)
        guard let to = parameters.account("to") else {
            throw ControlError(.invalid, "to is not an account id", field: "to")
        }
        draft.target = .contact(to)
        draft.voice = context.voice
        await connection.lane.enter()
        defer { connection.lane.leave() }
        try await prepare(&draft, paths: parameters.strings("paths"))
        let message = try await send(draft)
        guard let id = UUIDv7(message.id) else { throw ControlError(.internal, "the message has no id") }
        let composer = composer
        let rows = try await context.store.read { try $0.transfers(of: id).map { composer.transfer($0) } }
        return ["transfers": .array(rows.map(\.json))]
    }

    func transfers(_ parameters: Parameters) async throws -> JSONValue {
        _ = try requireAccount()
        let state = parameters.choice("state", as: TransferState.self)
        let direction = parameters.choice("direction", as: TransferDirection.self)
        let peer = parameters.account("peer")
        let before = try parameters.optionalString("before").map { try Self.listPosition($0) }
        let limit = parameters.limit
        let rows = try await context.store.read {
            try $0.transfers(
                state: state, peer: peer,
                direction: direction,
                before: before, limit: limit + 1)
        }
        var result: JSONObject = ["transfers": .array(rows.prefix(limit).map { shown($0).json })]
        if rows.count > limit { result["next"] = .string(rows[limit - 1].position.description) }
        return .object(result)
    }

    func transfer(_ parameters: Parameters) async throws -> Transfer {
        _ = try requireAccount()
        let id = try uuid("id", parameters)
        let (found, problems) = try await context.store.read { (try $0.transfer(id), try $0.problems(of: id)) }
        guard let row = found else { throw Self.noTransfer(id) }
        var transfer = shown(row)
        transfer.problems = problems.map(TransferProblem.init)
        return transfer
    }

    /// With what a running transfer has beyond its last checkpoint.
    private func shown(_ row: TransferRow) -> Transfer {
        guard row.state == .active, let (progress, rate) = context.transfers.progress(of: row.id) else {
            return composer.transfer(row)
        }
        return composer.transfer(
            row, rate: rate, bytesDone: Int64(clamping: progress.bytesShown), filesDone: Int64(progress.filesDone))
    }

    nonisolated static func noTransfer(_ id: UUIDv7) -> ControlError {
        ControlError(.notFound, "there is no transfer \(id)", hint: .seeTransfers)
    }

    // MARK: Changing

    func acceptTransfer(_ parameters: Parameters) async throws -> Transfer {
        _ = try requireAccount()
        let id = try uuid("id", parameters)
        let folder = parameters.optionalString("path") ?? context.settings[SettingsCatalogue.filesDownloadDirectory]
        let isDefault = !parameters.has("path")
        let choices = context.choices
        let (needed, policy) = try await context.store.read { transaction -> (UInt64, FilePolicy) in
            let row = try transaction.transfer(id)
            return (row?.state == .offered ? UInt64(clamping: row?.size ?? 0) : 0, try choices.files(transaction))
        }
        let files = context.files
        try await context.workers.files.run {
            try Self.checkDestination(folder, makesIt: isDefault)
            try Self.checkRoom(in: folder, files.destination(folder), for: needed, policy)
        }
        let row = try await context.store.write { transaction -> TransferRow in
            guard var row = try transaction.transfer(id) else { throw Self.noTransfer(id) }
            guard row.direction == .incoming else {
                throw ControlError(.invalid, "that transfer goes out; only the receiver accepts", field: "id")
            }
            switch row.state {
            case .queued, .active: return row
            case .offered: break
            default:
                throw ControlError(
                    .invalid, "that transfer is \(row.state.rawValue)",
                    hint: row.state == .failed || row.state == .paused
                        ? .resumeTransfer : .askToSendAgain,
                    field: "id")
            }
            row.queue()
            row.path = folder
            try transaction.update(row)
            try FileFrames.status(.accepted, of: row, in: transaction)
            return row
        }
        context.transfers.enqueue(row)
        return composer.transfer(row)
    }

    /// The destination must be a folder that we may write to; the usual one is made when it isn't there.
    nonisolated private static func checkDestination(_ path: String, makesIt: Bool) throws {
        if makesIt {
            do { try Paths.makeDirectory(path, mode: 0o755) } catch {
                throw ControlError(.notAllowed, error.message, hint: .giveOtherFolder, field: "path")
            }
        }
        var status = stat()
        guard stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFDIR else {
            throw ControlError(
                .invalid, "\(ForeignText.escaped(path)) is not a folder", hint: .makeFolder,
                field: "path")
        }
        guard access(path, W_OK | X_OK) == 0 else {
            throw ControlError(
                .notAllowed, "the daemon may not write to \(ForeignText.escaped(path))", hint: .giveOtherFolder,
                field: "path")
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
            field: "path")
    }

    func declineTransfer(_ parameters: Parameters) async throws -> Transfer {
        try await end(parameters, as: .declined) { row in
            guard row.direction == .incoming, row.state == .offered else {
                throw ControlError(
                    .invalid, "only an offer can be declined", hint: .cancelTransfer, field: "id")
            }
        }
    }

    func cancelTransfer(_ parameters: Parameters) async throws -> Transfer {
        try await end(parameters, as: .cancelled) { row in
            guard !row.state.isOver || row.state == .failed else {
                throw ControlError(
                    .invalid, "that transfer is \(row.state.rawValue) already", field: "id")
            }
        }
    }

    private func end(
        _ parameters: Parameters, as state: TransferState, check: @escaping @Sendable (TransferRow) throws -> Void
    ) async throws -> Transfer {
        _ = try requireAccount()
        let id = try uuid("id", parameters)
        let before = try await context.store.write { transaction -> TransferRow in
            guard let before = try transaction.transfer(id) else { throw Self.noTransfer(id) }
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
        context.transfers.halt(id)
        context.transfers.removePart(of: before)
        return composer.transfer(before)
    }
}
