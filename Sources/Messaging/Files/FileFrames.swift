import Basics
import Crypto
import PeerProtocol
import Store

/// Puts frames about transfers into the outbox.
package enum FileFrames {
    package static func status(
        _ status: FileStatusBody.Status, of row: TransferRow, refusal: Refusal? = nil, in transaction: WriteTransaction
    ) throws {
        // Each member decides about a group's file alone, and no peer is told.
        guard row.fileRoot == nil else { return }
        var random = SodiumGenerator()
        let body = FileStatusBody(transfer: row.wireID, status: status, refusal: refusal)
        _ = try transaction.appendOutbox(
            for: row.peer, id: UUIDv7(at: transaction.wallTime, using: &random), kind: FrameKind.fileStatus.rawValue,
            body: try body.encoded())
    }

    /// Does the same as ``status(_:of:refusal:in:)``, but not while the same status waits to be told.
    package static func statusOnce(
        _ status: FileStatusBody.Status, of row: TransferRow, refusal: Refusal? = nil, in transaction: WriteTransaction
    ) throws {
        guard row.fileRoot == nil else { return }
        let label = Array("kibo-file-status".utf8) + [UInt8(truncatingIfNeeded: status.rawValue)]
        var words = HashWords(Blake2b.hash(row.id.bytes + label))
        let id = UUIDv7(at: row.createdAt, using: &words)
        guard try transaction.outboxItem(id, for: row.peer) == nil else { return }
        let body = FileStatusBody(transfer: row.wireID, status: status, refusal: refusal)
        _ = try transaction.appendOutbox(
            for: row.peer, id: id, kind: FrameKind.fileStatus.rawValue, body: try body.encoded())
    }

    /// Tells a peer that believes that a transfer goes on how it ended: the peer's data are an older copy.
    package static func ending(of row: TransferRow, in transaction: WriteTransaction) throws {
        switch (row.state, row.direction) {
        case (.done, .incoming): try statusOnce(.done, of: row, in: transaction)
        case (.declined, .incoming): try statusOnce(.declined, of: row, in: transaction)
        case (.cancelled, _): try statusOnce(.cancelled, of: row, in: transaction)
        case (.failed, _):
            try statusOnce(
                .failed, of: row, refusal: Refusal(row.life.failure ?? .internal, detail: row.detail), in: transaction)
        default: break
        }
    }

    /// Asks about offers that, as far as we know, were not answered: our data may be an older copy.
    package static func ask(about offers: [TransferRow], in transaction: WriteTransaction) throws {
        for row in offers.suffix(MessagingLimits.offersAsked) {
            try statusOnce(row.isPaused(by: .us) ? .paused : .resumed, of: row, in: transaction)
        }
    }
}
