import Basics

/// The outcome of frames that needed a receipt.
///
/// CBOR `{1: status, 2: [ids], 3: reason?, 4: detail?}`.
public struct ReceiptBody: WireBody {
    /// The outcome of the frames.
    public enum Status: Hashable, Sendable {
        /// Committed to the receiver's disk: it is the receiver's now, and need not be sent again.
        case stored
        /// A person has seen it. Follows `stored`.
        case read
        /// Will never be taken: don't send it again.
        case refused(Refusal)
    }

    public let status: Status
    /// 1 to ``PeerLimits/receiptIDs``.
    public let ids: [UUIDv7]

    public init(status: Status, ids: [UUIDv7]) {
        self.status = status
        self.ids = ids
    }

    /// - Throws: ``WireError``; `.unsupported` for a status that this version doesn't know.
    public init(decoding bytes: [UInt8]) throws(WireError) {
        let body = try BodyReader(bytes)
        switch try body.unsigned(1, "status") {
        case 1: status = .stored
        case 2: status = .read
        case 3:
            guard let refusal = try body.refusal(reason: 3, detail: 4) else { throw .missing(field: "reason") }
            status = .refused(refusal)
        default: throw .unsupported(field: "status")
        }
        ids = try body.list(2, "ids", maximum: PeerLimits.receiptIDs, BodyReader.id)
    }

    /// - Throws: `.invalid` for no identifier or a zero one, `.tooLong` for too many.
    public func encoded() throws(WireError) -> [UInt8] {
        guard !ids.isEmpty, !ids.contains(.zero) else { throw .invalid(field: "ids") }
        try FieldRules.bytes(ids.count, "ids", maximum: PeerLimits.receiptIDs)
        var map: CBORMap = [2: .array(ids.map { .bytes($0.bytes) })]
        switch status {
        case .stored: map[1] = .unsigned(1)
        case .read: map[1] = .unsigned(2)
        case .refused(let refusal):
            map[1] = .unsigned(3)
            map[3] = .text(refusal.reason.rawValue)
            if let detail = refusal.detail { map[4] = .text(detail) }
        }
        return CBOR.map(map).encoded()
    }
}
