import Basics
import Crypto
import PeerProtocol
import Store
import Vocabulary

/// What peers say about parcels, and the parcels themselves.
extension IncomingCommitter {
    func parcel(
        _ body: ParcelBody, id: UUIDv7, in transaction: WriteTransaction, _ result: inout IncomingResult
    ) throws -> CommitOutcome {
        if try transaction.ownAccount()?.account == body.to {
            return try delivery(body, id: id, in: transaction, &result)
        }
        return try deposit(body, id: id, in: transaction)
    }

    // MARK: For a friend

    /// Keeps a parcel of a friend for a friend. Nothing of it is read.
    private func deposit(_ body: ParcelBody, id: UUIDv7, in transaction: WriteTransaction) throws -> CommitOutcome {
        let policy = try choices.courier(transaction)
        guard body.from == peer.account, policy.carries else { return refused(.notAllowed) }
        guard try isCourier(for: body, in: transaction) else { return refused(.notFound, "no courier of theirs") }
        if parcelsPutOff.contains(id) { return refused(.busy, "too many parcels") }
        if let depositor = try Parcels.depositor(of: id, for: body.to, transaction) {
            return depositor == peer.account ? .stored : refused(.invalid, "this id is taken")
        }
        guard try transaction.outboxItem(id, for: body.to) == nil else {
            return refused(.invalid, "this id is taken")
        }
        let bytes = try Int64(body.encoded().count)
        if let full = try obstacle(to: bytes, for: body.to, policy, in: transaction) { return full }
        let row = ParcelRow(
            id: id, depositor: peer.account, recipient: body.to, cameAt: transaction.wallTime,
            days: min(body.days, policy.days), bytes: bytes)
        try Parcels.keep(row, in: transaction)
        try transaction.appendOutbox(
            for: body.to, id: id, kind: FrameKind.parcel.rawValue, body: body.encoded())
        try keepFiles(body, of: row, policy, in: transaction)
        return .stored
    }

    /// Notes the files of a parcel that are to be fetched from its maker. Those that don't fit are left out, and the
    /// maker is told: the parcel is still kept, and they wait for the direct path.
    private func keepFiles(
        _ body: ParcelBody, of parcel: ParcelRow, _ policy: CourierPolicy, in transaction: WriteTransaction
    ) throws {
        let records = ParcelRecords(transaction: transaction, random: random)
        guard !body.files.isEmpty, let own = try transaction.ownAccount()?.account,
            // What comes back as an answer has no files.
            try records.isCourier(own, of: body.to)
        else { return }
        var leftOut: [ParcelNewsBody.Item] = []
        for file in body.files {
            let row = SealedFileRow(
                id: file.id, parcel: parcel.id, depositor: parcel.depositor, recipient: parcel.recipient,
                root: file.root, bytes: Int64(clamping: file.bytes), days: parcel.days)
            if try hasRoom(for: row, policy, in: transaction) {
                try SealedFiles.keep(row, in: transaction)
            } else {
                leftOut.append(.init(file.id, .fileLeftOut))
            }
        }
        if !leftOut.isEmpty { try records.tell(parcel.depositor, leftOut) }
    }

    private func hasRoom(
        for file: SealedFileRow, _ policy: CourierPolicy, in transaction: WriteTransaction
    ) throws -> Bool {
        let reserve = try choices.freeSpaceReserve(transaction)
        return try file.bytes <= policy.file
            // What is asked for under this id is the transfer.
            && transaction.transfer(file.id) == nil && SealedFiles.kept(file.id, transaction) == nil
            && obstacle(to: file.bytes, for: file.recipient, policy, in: transaction) == nil
            && space.free().map { $0 >= reserve && $0 - reserve >= UInt64(clamping: file.bytes) } ?? true
    }

    /// Whether the recipient is a friend who has named us, or has left a parcel here to which this may be an answer.
    private func isCourier(for body: ParcelBody, in transaction: WriteTransaction) throws -> Bool {
        guard try transaction.contact(body.to)?.relation == .friend, let own = try transaction.ownAccount()?.account
        else { return false }
        if try ParcelRecords(transaction: transaction).isCourier(own, of: body.to) { return true }
        return try body.sealed.count <= MessagingLimits.parcelAnswerBytes
            && Parcels.mayAnswer(peer.account, to: body.to, transaction)
    }

    /// The refusal if there isn't enough room; nil if there is.
    private func obstacle(
        to bytes: Int64, for recipient: AccountID, _ policy: CourierPolicy, in transaction: WriteTransaction
    ) throws -> CommitOutcome? {
        if try space.share(by: choices, in: transaction) != nil {
            return refused(.noSpace, "the disk is nearly full")
        }
        let sums = try Parcels.sums(from: peer.account, to: recipient, in: transaction)
        // A file counts as a parcel does: there is no end of files of no bytes.
        func isFull(_ sum: ParcelSum, _ limit: (count: Int64, part: Int64)) -> Bool {
            sum.parcels + sum.files >= limit.count || sum.bytes + bytes > policy.quota / limit.part
        }
        guard !isFull(sums.all, (MessagingLimits.parcels, 1)),
            !isFull(sums.recipient, MessagingLimits.parcelsOfRecipient),
            !isFull(sums.depositor, MessagingLimits.parcelsOfDepositor),
            !isFull(sums.pair, MessagingLimits.parcelsOfPair)
        else { return refused(.noSpace, "no more parcels") }
        return nil
    }

    // MARK: For us

    /// Takes what is in a parcel as if its maker had said it in a session, and answers with what came of it.
    private func delivery(
        _ body: ParcelBody, id: UUIDv7, in transaction: WriteTransaction, _ result: inout IncomingResult
    ) throws -> CommitOutcome {
        if try Parcels.isSeen(id, from: body.from, transaction) {
            if try isExpected(from: body.from, in: transaction) {
                try ParcelRecords(transaction: transaction, random: random).expectAgain(body.files, at: peer.account)
            }
            return .stored
        }
        guard try mayBring(body, id: id, in: transaction) else { return refused(.notAllowed) }
        guard let maker = try transaction.contact(body.from), maker.relation == .friend else {
            // As somebody who isn't there: neither the courier nor the maker learns that they were removed.
            return .stored
        }
        guard maker.trust != .changed else { return refused(.busy, "the key is in doubt") }
        if try Parcels.areMany(
            FrameKind.had.rawValue, for: body.from, limit: MessagingLimits.parcelWords, transaction)
        {
            return refused(.busy, "too many answers wait")
        }
        switch opened[id] {
        case nil: return refused(.busy, "too many parcels")
        case .refused(let refusal): return .refused(refusal)
        // Another maker's parcel came under the same id.
        case .content(let content) where content.note.account != body.from:
            return refused(.busy, "two parcels of one id")
        case .content(let content):
            guard let put = try take(content, in: transaction, &result) else {
                try Parcels.see(id, from: body.from, by: peer.account, in: transaction)
                try ParcelRecords(transaction: transaction, random: random)
                    .expect(content.files, from: body.from, at: peer.account)
                result.couriers.append(.brought(maker: body.from, courier: peer.account))
                return .stored
            }
            // The parcel comes again: what is stored already is known then.
            return .refused(put)
        }
    }

    /// Whether the peer may bring us this parcel: it is a courier of ours, was given something for the maker that waits
    /// still, or brings another answer. Nothing may wait any more when that one comes.
    private func mayBring(_ body: ParcelBody, id: UUIDv7, in transaction: WriteTransaction) throws -> Bool {
        if try isExpected(from: body.from, in: transaction) { return true }
        guard try Parcels.hasBrought(peer.account, from: body.from, transaction) else { return false }
        guard case .content(let content) = opened[id] else { return true }
        return content.frames.allSatisfy { $0.kind == .had }
    }

    /// Whether the peer is a courier of ours, or was given something for the maker that waits still.
    private func isExpected(from maker: AccountID, in transaction: WriteTransaction) throws -> Bool {
        try MailNotes.isCourier(peer.account, transaction) || SentParcels.goes(to: maker, by: peer.account, transaction)
    }

    /// - Returns: the refusal of a frame that may be taken another time; nil if there was none.
    private func take(
        _ content: ParcelContent, in transaction: WriteTransaction, _ result: inout IncomingResult
    ) throws -> Refusal? {
        let note = content.note
        var inner = self
        inner.peer = PeerIdentity(
            certificate: note.certificate, staticKey: note.key, listenPort: nil, capabilities: [], softwareVersion: "")
        (inner.opened, inner.checked, inner.callsPutOff) = ([:], [:], [])
        if try MailNotes.save(
            note.encoded(), of: note.device, note.account, made: note.made, isSaidNow: false,
            devices: PeerLimits.parcelDevices, in: transaction)
        {
            result.couriers.append(.note(note))
        }
        var (stored, refusals, passing): ([UUIDv7], [HadBody.Refused], Refusal?) = ([], [], nil)
        let meter = GroupMeter()
        for frame in content.frames {
            let outcome: CommitOutcome
            do {
                let durable = try DurableFrame(frame)
                if durable.isCall {
                    outcome = refused(.unsupported, "a call in a parcel")
                } else {
                    var commit = try inner.commit([durable], meter: meter, in: transaction)
                    // What a group lacks, its members are asked for: the courier may be none, and must not learn of it.
                    commit.groups.missing = [:]
                    result.add(commit)
                    outcome = commit.outcomes.first?.outcome ?? .stored
                }
            } catch let error as WireError {
                outcome = .refused(error.refusal)
            }
            // Answers are not answered, or there would be no end.
            switch outcome {
            case .stored: if frame.kind != .had { stored.append(frame.id) }
            // It may wait for what only a member has, so it is left to the members and to the direct path.
            case .refused(let refusal) where refusal.reason == .busy && frame.kind.isOfGroups: break
            case .refused(let refusal) where refusal.isPassing: passing = refusal
            case .putOff(let refusal): passing = refusal
            case .refused(let refusal):
                if frame.kind != .had, refusals.count < PeerLimits.hadRefusals {
                    refusals.append(.init(frame.id, refusal.reason))
                }
            }
        }
        // The parcel comes again, and is answered when all of it is here.
        if passing == nil, !stored.isEmpty || !refusals.isEmpty {
            var random = random
            try transaction.appendOutbox(
                for: note.account, id: UUIDv7(at: transaction.wallTime, using: &random), kind: FrameKind.had.rawValue,
                body: HadBody(stored: stored, refused: refusals).encoded())
        }
        return passing
    }

    // MARK: Answers

    /// A friend tells what became of frames of ours that came to them in a parcel.
    func had(
        _ body: HadBody, in transaction: WriteTransaction, _ result: inout IncomingResult
    ) throws -> CommitOutcome {
        let records = ParcelRecords(transaction: transaction, random: random)
        for id in body.stored { try SentParcels.noteBringer(of: id, for: peer.account, in: transaction) }
        try records.stored(
            try transaction.acknowledge(body.stored, by: peer.account, isByCourier: true), by: peer.account)
        for item in body.refused where !Refusal(item.reason).isPassing {
            let left = try transaction.refuse([item.id], by: peer.account, reason: item.reason)
            result.couriers += try records.refused(left, by: peer.account).map { .lost($0) }
        }
        for transfer in body.files {
            _ = try fileStatus(FileStatusBody(transfer: transfer, status: .done), in: transaction)
        }
        return .stored
    }

    /// A courier tells what became of parcels of ours, or a depositor that it needs some no more.
    func parcelNews(
        _ body: ParcelNewsBody, in transaction: WriteTransaction, _ result: inout IncomingResult
    ) throws -> CommitOutcome {
        for item in body.items {
            if item.what == .notNeeded {
                try Parcels.withdraw(item.parcel, of: peer.account, in: transaction)
                continue
            }
            if item.what == .fileTaken {
                try SealedFiles.forget(item.parcel, takenBy: peer.account, in: transaction)
                continue
            }
            if item.what == .fileLeftOut {
                try SealedFiles.forgetSent(item.parcel, at: peer.account, in: transaction)
                continue
            }
            guard var row = try SentParcels.parcel(item.parcel, at: peer.account, transaction) else { continue }
            if item.what == .handedOver {
                guard row.state != .handedOver else { continue }
                row.state = .handedOver
                try SentParcels.advance(row, in: transaction)
                // An answer isn't answered. If the courier lies, what was answered comes again, and is answered again.
                try SentParcels.remove(kind: FrameKind.had.rawValue, of: row, in: transaction)
            } else {
                try SentParcels.forget(row, in: transaction)
                result.couriers.append(.lost(row.recipient))
            }
        }
        return .stored
    }
}

extension IncomingResult {
    /// Adds what frames in a parcel have brought about.
    fileprivate mutating func add(_ other: IncomingResult) {
        groups.add(other.groups)
        intake.add(other.intake)
        couriers += other.couriers
    }
}
