import Basics
import Crypto
import PeerProtocol
import Store

/// Puts frames about contacts into the outbox.
enum ContactFrames {
    static func request(note: String, to account: AccountID, in transaction: WriteTransaction) throws {
        try append(.contactRequest, try ContactRequestBody(note: note).encoded(), to: account, in: transaction)
    }

    static func answer(accepted: Bool, to account: AccountID, in transaction: WriteTransaction) throws {
        try append(.contactAnswer, try ContactAnswerBody(accepted: accepted).encoded(), to: account, in: transaction)
    }

    private static func append(
        _ kind: FrameKind, _ body: [UInt8], to account: AccountID, in transaction: WriteTransaction
    ) throws {
        var random = SodiumGenerator()
        _ = try transaction.appendOutbox(
            for: account, id: UUIDv7(at: transaction.wallTime, using: &random), kind: kind.rawValue, body: body)
    }
}
