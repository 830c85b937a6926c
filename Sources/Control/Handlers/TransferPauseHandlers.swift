import Basics
import ControlProtocol
import Messaging
import Store
import Transfer

/// Pausing and going on.
extension Handlers {
    nonisolated static let transferPauseMethods: [String: Method] = [
        "transfer.pause": { handlers, parameters, _ in try await handlers.pauseTransfer(parameters).json },
        "transfer.resume": { handlers, parameters, _ in try await handlers.resumeTransfer(parameters).json },
    ]

    func pauseTransfer(_ parameters: Parameters) async throws -> Transfer {
        _ = try requireAccount()
        let id = try uuid("id", parameters)
        let row = try await context.store.write { transaction -> TransferRow in
            guard var row = try transaction.transfer(id) else { throw Self.noTransfer(id) }
            switch row.state {
            case .queued, .active, .paused: break
            case .offered:
                throw ControlError(
                    .invalid, "that transfer waits for an answer",
                    hint: row.direction == .incoming ? .declineOffer : .takeOfferBack,
                    field: "id")
            case .done, .declined, .cancelled, .failed:
                throw ControlError(
                    .invalid, "that transfer is \(row.state.rawValue) already", field: "id")
            }
            guard row.pause(by: .us) else { return row }
            try transaction.update(row)
            try FileFrames.status(.paused, of: row, in: transaction)
            return row
        }
        context.transfers.halt(id)
        return composer.transfer(row)
    }

    func resumeTransfer(_ parameters: Parameters) async throws -> Transfer {
        let account = try requireAccount()
        let id = try uuid("id", parameters)
        let row = try await context.store.write { transaction -> TransferRow in
            guard var row = try transaction.transfer(id) else { throw Self.noTransfer(id) }
            switch row.state {
            case .active, .queued: return row
            case .failed where row.needsFreshOffer: return row
            case .failed where row.isOfAnotherSource:
                throw ControlError(
                    .invalid, "the file has changed at the other side since it was offered",
                    hint: .askForNewVersion, field: "id")
            case .failed, .paused: break
            case .offered:
                throw ControlError(
                    .invalid, "that transfer waits for an answer",
                    hint: row.direction == .incoming ? .acceptOffer : .awaitReceiver,
                    field: "id")
            case .done, .declined, .cancelled:
                throw ControlError(
                    .invalid, "that transfer is \(row.state.rawValue)", hint: .sendAgain,
                    field: "id")
            }
            if row.resume(by: .us) {
                try transaction.update(row)
                try FileFrames.status(.resumed, of: row, in: transaction)
                return row
            }
            guard !row.isPaused(by: .peer) else {
                throw ControlError(
                    .invalid, "the other side has paused that transfer", hint: .awaitResume,
                    field: "id")
            }
            row.queue()
            try transaction.update(row)
            // Either side may have given up; the receiver fetches again when it hears this.
            try FileFrames.status(.accepted, of: row, in: transaction)
            return row
        }
        if row.needsFreshOffer { return try await offerAfresh(row, by: account) }
        if row.state == .queued { context.transfers.enqueue(row) }
        return composer.transfer(row)
    }

    /// The file is another one than was offered: looked at again, and offered as what it is now.
    private func offerAfresh(_ row: TransferRow, by account: OwnAccount) async throws -> Transfer {
        // With what was said to it, if that is still there.
        let before = try await context.store.read { transaction in
            try row.message.flatMap { try transaction.message($0) }.flatMap { $0.deleted ? nil : $0 }
        }
        var draft = Draft(
            own: account.id, device: account.device, text: before?.text ?? "", replyTo: before?.replyTo, key: nil,
            now: context.clocks.wallTime)
        draft.voice = context.voice
        draft.target = row.isSharedByUs ? .conversation(row.conversation ?? .zero) : .contact(row.peer)
        try await prepare(&draft, paths: row.path.map { [$0] } ?? [])
        let message = try await send(draft)
        let composer = composer
        guard let id = UUIDv7(message.id),
            let fresh = try await context.store.read({ try $0.transfers(of: id).first.map { composer.transfer($0) } })
        else { throw ControlError(.internal, "the new offer can't be found") }
        return fresh
    }
}

extension TransferRow {
    /// What was offered is not there any more: only another offer can be accepted.
    fileprivate var needsFreshOffer: Bool { isOfAnotherSource && direction == .outgoing }

    /// It failed because the source is another one by now.
    var isOfAnotherSource: Bool { state == .failed && life.failure == .sourceChanged }
}
