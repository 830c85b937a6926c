import Basics
import PeerProtocol
import Store
import Vocabulary

/// Stores what a message from a friend or a group offers. It answers at once where nobody has to be asked: offers that
/// the settings refuse, and offers that they take.
package struct OfferReceiver {
    package let author: AccountID
    /// Nil for a member of a group that is no contact: nothing from such a member is taken unasked.
    package let contact: ContactRow?
    /// Whether other accounts than the author may have the file.
    package var isGroup = false
    package let conversation: UUIDv7
    package let message: UUIDv7
    package let policy: FilePolicy
    package let destination: Destination

    package func receive(_ offers: [AttachmentBody], in transaction: WriteTransaction) throws {
        var (promised, waiting) = try transaction.incomingLoad(of: author)
        for offer in offers {
            var row = TransferRow(
                id: offer.transfer, direction: .incoming, peer: author, conversation: conversation,
                message: message, name: offer.name, size: Int64(clamping: offer.size),
                files: Int64(clamping: offer.fileCount), state: .offered, kind: offer.kind,
                mediaType: offer.mediaType, duration: offer.duration.flatMap { Int64(exactly: $0) },
                createdAt: transaction.wallTime)
            if isGroup { row.fileRoot = offer.fileRoot }
            var verdict = policy.verdict(
                on: offer, from: contact, destination: destination, promised: promised,
                today: UInt64(clamping: transaction.unasked(.files, of: author)))
            // A flood of offers from one friend is not taken unasked.
            if case .taken = verdict, waiting >= MessagingLimits.unaskedPerPeer { verdict = .asked }
            if isGroup, offer.fileRoot == nil {
                verdict = .refused(
                    FilePolicy.Objection(reason: .invalid, detail: "it names no hash of its content"))
            }
            switch verdict {
            case .asked: break
            case .held(let types):
                row.life.heldBack = .type
                row.unlisted = types
            case .taken(let directory):
                row.state = .queued
                row.path = directory
                promised = Self.sum(promised, offer.size)
                waiting += 1
            case .refused(let objection):
                row.state = .declined
                row.reason = objection.reason
                row.detail = objection.detail
                row.finishedAt = row.createdAt
            }
            guard try transaction.place(&row) == .inserted else { continue }
            if case .taken = verdict { transaction.countUnasked(row.size, .files, of: author) }
            if let leftOut = offer.leftOut {
                try transaction.appendProblems(
                    TransferRecords.problems(of: leftOut), unnamed: TransferRecords.unnamed(of: leftOut), to: row.id)
                row.problems = Int64(clamping: leftOut.count)
            }
            // Nothing of an offer that is held back is shown before the user takes it.
            if row.life.heldBack == nil, let preview = offer.preview, PreviewRules.isPicture(preview) {
                try transaction.setAsset(row.id, preview)
            }
            switch verdict {
            case .asked: break
            case .held(let types):
                let refusal = Refusal(.typeNotAllowed, detail: FileType.words(types))
                try FileFrames.status(.held, of: row, refusal: refusal, in: transaction)
            case .taken: try FileFrames.status(.accepted, of: row, in: transaction)
            case .refused(let objection):
                try FileFrames.status(.declined, of: row, refusal: objection.refusal, in: transaction)
            }
        }
    }

    private static func sum(_ left: UInt64, _ right: UInt64) -> UInt64 {
        let (sum, overflow) = left.addingReportingOverflow(right)
        return overflow ? .max : sum
    }
}
