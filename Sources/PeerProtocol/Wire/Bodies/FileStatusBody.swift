import Basics

/// How a transfer stands, from either side to the other. The offer itself is in a message's attachments.
///
/// CBOR `{1: transfer, 2: status, 3: reason?, 4: detail?}`. Needs a receipt.
public struct FileStatusBody: WireBody {
    /// Where a transfer stands.
    public enum Status: UInt64, Hashable, Sendable {
        /// The receiver will fetch it.
        case accepted = 1
        /// The receiver won't, for the reason given if there is one.
        case declined = 2
        /// Either side has given it up.
        case cancelled = 3
        /// The receiver has all of it, checked and in place.
        case done = 4
        /// It can't be completed, for the reason given.
        case failed = 5
        /// This side holds it; what has been received stays.
        case paused = 6
        /// This side holds it no longer. It goes on when the other side doesn't hold it either.
        case resumed = 7
        /// The receiver holds the offer back, for the given reason: its user has to accept it explicitly. Only sent
        /// about offers that name unlisted types.
        case held = 8
    }

    public let transfer: UUIDv7
    public let status: Status
    public let refusal: Refusal?

    public init(transfer: UUIDv7, status: Status, refusal: Refusal? = nil) {
        self.transfer = transfer
        self.status = status
        self.refusal = refusal
    }

    /// - Throws: ``WireError``; `.unsupported` for a status that this version doesn't know.
    public init(decoding bytes: [UInt8]) throws(WireError) {
        let body = try BodyReader(bytes)
        transfer = try body.id(1, "transfer")
        guard let status = Status(rawValue: try body.unsigned(2, "status")) else {
            throw .unsupported(field: "status")
        }
        self.status = status
        refusal = try body.refusal(reason: 3, detail: 4)
        if status == .failed, refusal == nil { throw .missing(field: "reason") }
    }

    /// - Throws: `.invalid` for a zero transfer, `.missing` for a failure without a reason.
    public func encoded() throws(WireError) -> [UInt8] {
        guard transfer != .zero else { throw .invalid(field: "transfer") }
        if status == .failed, refusal == nil { throw .missing(field: "reason") }
        var map: CBORMap = [1: .bytes(transfer.bytes), 2: .unsigned(status.rawValue)]
        if let refusal {
            map[3] = .text(refusal.reason.rawValue)
            if let detail = refusal.detail { map[4] = .text(detail) }
        }
        return CBOR.map(map).encoded()
    }
}
