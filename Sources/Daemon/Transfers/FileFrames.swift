import Basics
import Crypto
import PeerProtocol
import Store

/// Puts frames about transfers into the outbox.
enum FileFrames {
    static func status(
        _ status: FileStatusBody.Status, of row: TransferRow, refusal: Refusal? = nil, in transaction: WriteTransaction
    ) throws {
        // Of a group's file everybody decides alone, and nobody is told.
        guard row.root == nil else { return }
        var random = SodiumGenerator()
        let body = FileStatusBody(transfer: row.id, status: status, refusal: refusal)
        _ = try transaction.appendOutbox(
            for: row.peer, id: UUIDv7(at: transaction.wallTime, using: &random), kind: FrameKind.fileStatus.rawValue,
            body: try body.encoded())
    }
}
