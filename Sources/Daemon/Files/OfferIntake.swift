import Basics
import PeerProtocol
import Store

/// Stores what a friend's message offers, and answers at once what needs no asking: what is refused by the settings, and
/// what is taken by them.
struct OfferIntake {
    let contact: ContactRow
    let conversation: UUIDv7
    let message: UUIDv7
    let place: ReceivingPlace

    func take(
        _ offers: [AttachmentBody], in transaction: WriteTransaction, _ result: inout IncomingResult
    ) throws {
        let policy = try FilePolicy(in: transaction)
        var promised = try Self.promised(in: transaction)
        for offer in offers {
            var row = TransferRow(
                id: offer.transfer, direction: .incoming, peer: contact.account, conversation: conversation,
                message: message, name: offer.name, size: Int64(clamping: offer.size),
                files: Int64(clamping: offer.fileCount), state: .offered, kind: .init(offer.kind),
                mediaType: offer.mediaType, duration: offer.duration.flatMap { Int64(exactly: $0) },
                createdAt: transaction.wallTime)
            let verdict = policy.verdict(on: offer, from: contact, place: place, promised: promised)
            switch verdict {
            case .asked: break
            case .taken(let directory):
                row.state = .queued
                row.path = directory
                promised = Self.sum(promised, offer.size)
            case .refused(let objection):
                row.state = .declined
                row.reason = objection.reason.rawValue
                row.detail = objection.detail
                row.finishedAt = row.createdAt
            }
            guard try transaction.insert(row) == .inserted else { continue }
            if let preview = offer.preview, PreviewRules.isPicture(preview) {
                try transaction.setAsset(row.id, preview)
            }
            switch verdict {
            case .asked: continue
            case .taken: try FileFrames.status(.accepted, of: row, in: transaction)
            case .refused(let objection):
                try FileFrames.status(.declined, of: row, refusal: objection.refusal, in: transaction)
            }
            result.transfers.append(row)
        }
    }

    /// Bytes that others will still need, which were taken and wait or come in.
    private static func promised(in transaction: ReadTransaction) throws -> UInt64 {
        var sum: UInt64 = 0
        for row in try transaction.unfinishedTransfers() where row.direction == .incoming && row.state != .offered {
            let left = UInt64(clamping: row.size) - min(UInt64(clamping: row.size), UInt64(clamping: row.bytesDone))
            sum = Self.sum(sum, left)
        }
        return sum
    }

    private static func sum(_ left: UInt64, _ right: UInt64) -> UInt64 {
        let (sum, overflow) = left.addingReportingOverflow(right)
        return overflow ? .max : sum
    }
}
