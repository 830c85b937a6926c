import Basics
import ControlProtocol
import PeerProtocol
import Store

/// Applies a peer's receipts to what waits in the outbox.
enum OutgoingReceipts {
    static func apply(
        _ status: ReceiptBody.Status, _ ids: [UUIDv7], from account: AccountID, in transaction: WriteTransaction
    ) throws {
        switch status {
        case .stored: _ = try transaction.acknowledge(ids, by: account)
        case .read: try transaction.advance(ids, at: account, to: .read)
        case .refused(let refusal):
            // A reason that we don't know is kept as detail: kinds are ours to promise.
            let kind = ErrorKind(rawValue: refusal.reason.rawValue) ?? .internal
            let detail = refusal.detail ?? (kind == .internal ? refusal.reason.rawValue : nil)
            _ = try transaction.refuse(ids, by: account, reason: kind.rawValue, detail: detail)
        }
    }
}
