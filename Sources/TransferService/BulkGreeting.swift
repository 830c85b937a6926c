import Basics
import Messaging
import Store
import Transfer

/// What a peer that dialled a bulk connection wants. Blocking, on the transfer's thread.
package enum BulkGreeting {
    /// The peer wants something that we send.
    case give(OpenRequest, SendPlan)
    /// The peer wants to hand over what we have accepted.
    case take(TransferRow)
    /// The peer wants to hand over what is here already; it was told so.
    case nothing
    /// The peer wants what is here of a group's file, or a file that goes with a parcel.
    case share(PieceRequest, SharedFile)

    /// Reads the request and checks whether the account may have what it asks for. If it may not, tells it why.
    /// - Parameters:
    ///   - isFriend: whether the account is a friend; one that is not may only ask for files of groups.
    ///   - parcels: the folder with the sealed files that are kept for others.
    package static func read(
        _ connection: BulkConnection, from account: AccountID, isFriend: Bool, store: Store,
        members: any GroupMembership, parcels: String, sharedFiles: SharedFiles
    ) throws -> BulkGreeting {
        let greeting = try connection.receiveGreeting()
        do {
            switch greeting {
            case .pieces(let request):
                let right = try store.readAndWait {
                    try PieceRight(request, by: account, members: members, parcels: parcels, in: $0)
                }
                let file = try sharedFiles.enter(right.id, isRenewed: right.isOfParcel) {
                    try right.sharedFile(from: store)
                }
                return .share(request, file)
            case .open where !isFriend, .call where !isFriend:
                throw TransferFailure.peer(.notFound, detail: "no such transfer")
            case .open(let request):
                let plan = try TransferRecords.sendPlan(request.transfer, to: account, from: store)
                return .give(request, plan)
            case .call(let id):
                let row = try store.readAndWait { try TransferRecords.called(id, by: account, in: $0) }
                if row.state != .done { return .take(row) }
                connection.answerDone()
                return .nothing
            }
        } catch {
            let failure = error as? TransferFailure
            connection.reject(failure?.reason ?? .internal, detail: failure?.told ?? "")
            throw error
        }
    }
}

extension TransferRecords {
    /// Finds what a sender that dialled wants to hand over, if we want it now; it may be here already.
    static func called(_ id: UUIDv7, by account: AccountID, in transaction: ReadTransaction) throws -> TransferRow {
        guard let row = try transaction.transfer(id, from: account), row.fileRoot == nil else {
            throw TransferFailure.peer(.notFound, detail: "no such transfer")
        }
        guard row.life.pausedBy == nil else { throw TransferFailure.peer(.busy, detail: "the transfer is paused") }
        switch row.state {
        case .queued, .active, .paused, .done: return row
        case .cancelled, .declined: throw TransferFailure.peer(.cancelled, detail: "the transfer was cancelled")
        // Our answer, or the news that we have given up, is on its way.
        case .offered, .failed:
            throw TransferFailure.peer(.busy, detail: TransferFailure.told(row.detail ?? "the transfer waits here"))
        }
    }
}
