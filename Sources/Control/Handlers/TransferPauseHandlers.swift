import Basics
import ControlProtocol
import Messaging
import Reactor
import Store
import Transfer

/// Pauses and resumes transfers.
@ReactorActor struct TransferPauseHandlers: MethodArea {
    let base: MethodBase
    let transfers: any TransferControl
    let sender: DraftSender

    var methods: [String: Method] {
        [
            "transfer.pause": { parameters, _ in try await pause(parameters).json },
            "transfer.resume": { parameters, _ in try await resume(parameters).json },
        ]
    }

    private func pause(_ parameters: Parameters) async throws -> Transfer {
        let id = try uuid("id", parameters)
        let row = try await store.commit { transaction -> TransferRow in
            guard var row = try transaction.transfer(id) else { throw ControlError.noTransfer(id) }
            switch row.state {
            case .queued, .active, .paused: break
            case .offered:
                throw row.refusal(
                    "that transfer waits for an answer", row.direction == .incoming ? .declineOffer : .takeOfferBack)
            case .done, .declined, .cancelled, .failed:
                throw row.refusal("that transfer is \(row.state.rawValue) already", .seeTransfers)
            }
            guard row.pause(by: .us) else { return row }
            try transaction.update(row)
            try FileFrames.status(.paused, of: row, in: transaction)
            return row
        }
        return composer.transfer(row)
    }

    private func resume(_ parameters: Parameters) async throws -> Transfer {
        let account = try requireAccount()
        let id = try uuid("id", parameters)
        let row = try await store.commit { transaction -> TransferRow in
            guard var row = try transaction.transfer(id) else { throw ControlError.noTransfer(id) }
            switch row.state {
            case .active, .queued: return row
            case .failed where row.needsFreshOffer: return row
            case .failed where row.isOfAnotherSource:
                throw row.refusal("the file has changed at the other side since it was offered", .askForNewVersion)
            case .failed where row.isUntaken: throw row.refusal("that offer has failed", .askToSendAgain)
            case .failed, .paused: break
            case .offered:
                throw row.refusal(
                    "that transfer waits for an answer", row.direction == .incoming ? .acceptOffer : .awaitReceiver)
            case .done, .declined, .cancelled:
                throw row.refusal("that transfer is \(row.state.rawValue)", .sendAgain)
            }
            if row.resume(by: .us) {
                try transaction.update(row)
                try FileFrames.status(.resumed, of: row, in: transaction)
                return row
            }
            guard !row.isPaused(by: .peer) else {
                throw row.refusal("the other side has paused that transfer", .awaitResume)
            }
            row.queue()
            try transaction.update(row)
            // Either side may have given up; the receiver fetches again when it gets this.
            try FileFrames.status(.accepted, of: row, in: transaction)
            return row
        }
        if row.needsFreshOffer { return try await offerAfresh(row, by: account) }
        // It may wait already, and the user doesn't want to.
        transfers.hurry(id)
        return composer.transfer(row)
    }

    /// Offers the file again: it has changed since the offer.
    private func offerAfresh(_ row: TransferRow, by account: OwnAccount) async throws -> Transfer {
        // The new offer has the old one's text, if that was not deleted.
        let before = try await store.read { transaction in
            try row.message.flatMap { try transaction.message($0) }.flatMap { $0.deleted ? nil : $0 }
        }
        var draft = Draft(
            own: account.id, device: account.device, text: before?.text ?? "", replyTo: before?.replyTo, key: nil,
            now: clocks.wallTime)
        draft.voice = voice
        draft.target = row.isSharedByUs ? .conversation(row.conversation ?? .zero) : .contact(row.peer)
        // The file may have been offered under another name than its own.
        let paths = row.path.map { [NamedPath($0, name: row.name)] } ?? []
        try await sender.prepare(&draft, paths: paths, anyType: !row.unlisted.isEmpty)
        let message = try await sender.send(draft)
        let composer = composer
        guard let id = UUIDv7(message.id),
            let fresh = try await store.read({ try $0.transfers(of: id).first.map { composer.transfer($0) } })
        else { throw ControlError(.internal, "the new offer can't be found") }
        return fresh
    }
}

extension TransferRow {
    /// Whether only a new offer can be accepted, because what was offered has changed.
    fileprivate var needsFreshOffer: Bool { isOfAnotherSource && direction == .outgoing }

    /// Whether it failed because the source has changed.
    var isOfAnotherSource: Bool { state == .failed && life.failure == .sourceChanged }
}
