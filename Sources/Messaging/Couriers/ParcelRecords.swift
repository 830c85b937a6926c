import Basics
import Crypto
import PeerProtocol
import Store
import Vocabulary

/// What becomes of parcels when an account has answered, when friendships end, and when time goes by. Each step is a part
/// of a transaction.
package struct ParcelRecords {
    package let transaction: WriteTransaction
    /// Makes the identifiers; simulations have their own.
    package var random: any RandomNumberGenerator & Sendable = SodiumGenerator()

    package init(
        transaction: WriteTransaction, random: any RandomNumberGenerator & Sendable = SodiumGenerator()
    ) {
        self.transaction = transaction
        self.random = random
    }

    // MARK: Made here

    /// Gives a parcel to couriers. Nothing happens if the recipient is no friend any more, a courier isn't, or the group is
    /// gone.
    /// - Returns: whether it was given to one.
    package func give(_ parcel: MadeParcel, to couriers: [(account: AccountID, days: Int)]) throws -> Bool {
        guard try isFriend(parcel.envelope.to) else { return false }
        if let group = parcel.group, try transaction.group(group) == nil { return false }
        var isGiven = false
        for courier in couriers where try isFriend(courier.account) {
            let body = ParcelBody(
                from: parcel.envelope.from, to: parcel.envelope.to, days: courier.days, sealed: parcel.sealed,
                files: parcel.files.map(\.sealed).map { ParcelFile(id: $0.file, root: $0.root, bytes: $0.size) })
            try transaction.appendOutbox(
                for: courier.account, id: parcel.envelope.id, kind: FrameKind.parcel.rawValue, body: body.encoded())
            let row = SentParcelRow(
                id: parcel.envelope.id, courier: courier.account, recipient: parcel.envelope.to,
                places: parcel.places, until: end(after: courier.days), days: courier.days)
            try SentParcels.note(row, in: parcel.group, transaction)
            for file in parcel.files {
                let row = SentSealedFileRow(
                    id: file.sealed.file, courier: courier.account, parcel: parcel.envelope.id, transfer: file.transfer,
                    root: file.sealed.root, key: file.sealed.key.bytes, leaves: file.leaves)
                try SealedFiles.note(row, in: transaction)
            }
            isGiven = true
        }
        return isGiven
    }

    private func end(after days: Int) -> WallTime { transaction.wallTime + Duration.seconds(days * 24 * 3600) }

    /// Forgets the parcels that have nothing waiting any more, and tells the couriers.
    /// - Parameter recipient: nil for those to everybody.
    package func release(to recipient: AccountID? = nil) throws {
        for row in try SentParcels.empty(to: recipient, limit: MessagingLimits.parcelsAtOnce, transaction) {
            try SentParcels.forget(row, keepingFiles: true, in: transaction)
            if row.state != .onItsWay { try tell(row.courier, row.id, .notNeeded) }
        }
    }

    // MARK: Answers

    /// An account has stored items, which have left the outbox.
    package func stored(_ left: [OutboxReceipt], by account: AccountID) throws {
        for item in left where item.kind == FrameKind.parcel.rawValue {
            if var row = try SentParcels.parcel(item.id, at: account, transaction) {
                row.state = .kept
                row.until = end(after: row.days)
                try SentParcels.advance(row, in: transaction)
            } else if let parcel = try Parcels.kept(item.id, for: account, transaction) {
                try Parcels.handOver(parcel, in: transaction)
                try tell(parcel.depositor, item.id, .handedOver)
            }
        }
        try release(to: account)
    }

    /// An account has refused items for good, which have left the outbox.
    /// - Returns: the accounts for which a parcel of ours is lost.
    package func refused(_ left: [OutboxReceipt], by account: AccountID) throws -> [AccountID] {
        var lost: [AccountID] = []
        for item in left where item.kind == FrameKind.parcel.rawValue {
            if let row = try SentParcels.parcel(item.id, at: account, transaction) {
                try SentParcels.forget(row, in: transaction)
                lost.append(row.recipient)
            } else if let parcel = try Parcels.kept(item.id, for: account, transaction) {
                try Parcels.drop(item.id, for: account, in: transaction)
                try tell(parcel.depositor, item.id, .dropped)
            }
        }
        try release(to: account)
        return lost
    }

    /// Tells a friend what became of a parcel.
    func tell(_ account: AccountID, _ parcel: UUIDv7, _ what: ParcelNewsBody.What) throws {
        try tell(account, [.init(parcel, what)])
    }

    /// Tells a friend what became of parcels and files.
    /// - Parameter news: 1 to ``PeerLimits/parcelNews``.
    func tell(_ account: AccountID, _ news: [ParcelNewsBody.Item]) throws {
        // Beyond some hundreds the depositor learns it when the days are over.
        guard try isFriend(account),
            try !Parcels.areMany(
                FrameKind.parcelNews.rawValue, for: account, limit: MessagingLimits.parcelWords, transaction)
        else { return }
        var random = random
        try transaction.appendOutbox(
            for: account, id: UUIDv7(at: transaction.wallTime, using: &random), kind: FrameKind.parcelNews.rawValue,
            body: ParcelNewsBody(news).encoded())
    }

    private func isFriend(_ account: AccountID) throws -> Bool {
        try transaction.contact(account)?.relation == .friend
    }

    // MARK: Time

    /// Drops what is over: parcels that have been kept for their days, that can't be handed over any more, or that nobody
    /// needs, and what was remembered long enough.
    /// - Returns: the accounts for which a parcel of ours is lost.
    package func tidyUp() throws -> [AccountID] {
        let limit = MessagingLimits.parcelsAtOnce
        for parcel in try Parcels.ended(limit: limit, in: transaction) {
            try drop(parcel, .expired)
        }
        for parcel in try Parcels.strayed(limit: limit, transaction) { try drop(parcel, .dropped) }
        var lost: [AccountID] = []
        for row in try Set(SentParcels.ended(limit: limit, in: transaction)) {
            try SentParcels.forget(row, in: transaction)
            if row.state == .kept { try tell(row.courier, row.id, .notNeeded) }
            lost.append(row.recipient)
        }
        try SealedFiles.forgetEnded(in: transaction)
        try releaseFiles()
        try SealedFiles.forgetSent(in: transaction)
        try Parcels.dropNameless(kind: FrameKind.parcel.rawValue, in: transaction)
        try release()
        try Parcels.forgetAnswers(
            olderThan: .seconds(PeerLimits.parcelDays.upperBound * 24 * 3600), in: transaction)
        let memory = MessagingLimits.parcelMemory
        try Parcels.forgetSeen(olderThan: memory.time, beyond: memory.count, in: transaction)
        return lost
    }

    /// Drops the parcels of an account, or for it, that are kept here, by the user's word, and what is left of others.
    /// - Returns: how many parcels had something here.
    package func dropAll(ofOrFor account: AccountID) throws -> Int {
        let parcels = try Parcels.kept(ofOrFor: account, transaction)
        let left = try SealedFiles.outstaying(limit: Int(MessagingLimits.parcels), transaction)
            .count { $0.depositor == account || $0.recipient == account }
        for parcel in parcels { try drop(parcel, .dropped) }
        try SealedFiles.forget(ofOrFor: account, in: transaction)
        return parcels.count + left
    }

    /// Drops the parcels for an account that lets this one carry no more.
    package func dropAll(for recipient: AccountID) throws {
        for parcel in try Parcels.kept(ofOrFor: recipient, transaction) where parcel.recipient == recipient {
            try drop(parcel, .dropped)
        }
        try SealedFiles.forget(ofOrFor: recipient, isOnlyFor: true, in: transaction)
    }

    // MARK: Files for us

    /// Notes the files for which a parcel has told how they are opened, and that its courier keeps.
    func expect(_ files: [SealedFile], from maker: AccountID, at courier: AccountID) throws {
        for file in files {
            guard let row = try transaction.transfer(file.transfer, from: maker), row.direction == .incoming,
                row.kind != .folder, row.fileRoot == nil, row.size == Int64(clamping: file.size), !row.state.isOver
            else {
                // Another maker may have given its file the id of one that we want.
                if try SealedFiles.coming(file.file, transaction) == nil { try tell(courier, file.file, .fileTaken) }
                continue
            }
            try expect(
                ComingSealedFileRow(
                    id: file.file, courier: courier, transfer: row.id, root: file.root, key: file.key.bytes,
                    modified: file.modified, mode: file.mode))
        }
    }

    /// A courier brings a parcel that another one has brought before: it keeps the same files.
    func expectAgain(_ files: [ParcelFile], at courier: AccountID) throws {
        for file in files {
            if let known = try SealedFiles.coming(file.id, transaction) {
                try expect(known.at(courier))
            } else {
                try tell(courier, file.id, .fileTaken)
            }
        }
    }

    /// Remembers one sealing of a file for each courier. If the courier has an earlier one, it is told to drop that, so a
    /// maker who seals a file again and again doesn't fill the table.
    private func expect(_ file: ComingSealedFileRow) throws {
        for other in try SealedFiles.coming(of: file.transfer, transaction)
        where other.courier == file.courier && other.id != file.id {
            try release(other.id, at: other.courier)
        }
        try SealedFiles.expect(file, in: transaction)
    }

    /// A file is here whole. If couriers had it, they are told, and its sender is told in a way that couriers carry.
    package func arrived(_ row: TransferRow) throws {
        let coming = try SealedFiles.coming(of: row.id, transaction)
        guard !coming.isEmpty else { return }
        for file in coming { try release(file.id, at: file.courier) }
        var random = random
        try transaction.appendOutbox(
            for: row.peer, id: UUIDv7(at: transaction.wallTime, using: &random), kind: FrameKind.had.rawValue,
            body: HadBody(files: [row.wireID]).encoded())
    }

    /// Tells couriers which files they need not keep any more: those for this account, and those of it.
    package func releaseFiles() throws {
        let limit = MessagingLimits.parcelsAtOnce
        for file in try SealedFiles.needless(limit: limit, transaction) { try release(file.id, at: file.courier) }
        for file in try SealedFiles.needlessSent(limit: limit, transaction) {
            try SealedFiles.forgetSent(file.id, at: file.courier, in: transaction)
            try tell(file.courier, file.id, .fileTaken)
        }
    }

    /// Forgets that a courier keeps a file for this account, and tells it that it need not.
    package func release(_ file: UUIDv7, at courier: AccountID) throws {
        try SealedFiles.forget(file, at: courier, in: transaction)
        try tell(courier, file, .fileTaken)
    }

    /// Whether an account has named a courier, as the notes of its devices say.
    package func isCourier(_ courier: AccountID, of account: AccountID) throws -> Bool {
        try MailNotes.of(account, limit: PeerLimits.parcelDevices, transaction)
            .contains { (try? MailNote(trusting: $0))?.couriers.contains(courier) == true }
    }

    private func drop(_ parcel: ParcelRow, _ what: ParcelNewsBody.What) throws {
        try Parcels.drop(parcel.id, for: parcel.recipient, in: transaction)
        try tell(parcel.depositor, parcel.id, what)
    }
}
