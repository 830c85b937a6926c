import Basics
import Crypto
import Vocabulary

/// The small messages of a bulk connection. Each is one Noise transport message with a CBOR map, in which key 0 is the
/// kind.
public enum BulkMessage: Hashable, Sendable {
    /// From a sender that dialled: the transfer in question. The receiver answers with `open`.
    case call(transfer: UUIDv7)
    /// From the receiver: begin.
    case open(OpenRequest)
    /// From the sender: the cipher, a fresh key for this connection, and whether manifest pages come first.
    case accept(BulkCipher.Kind, key: [UInt8], sendsManifest: Bool)
    /// From the sender: a refusal.
    case reject(Reason, detail: String)
    /// From the receiver: ranges of chunks that it lacks, in ascending order over all messages. The last message is
    /// marked complete.
    case want([Range<UInt64>], isComplete: Bool)
    /// From the receiver: that many more bytes of records may come.
    case credit(UInt64)
    /// From the receiver: everything is in its place, on disk.
    case done
    /// From the receiver: it gives up.
    case failed(Reason, detail: String)
    /// From the receiver: files of a folder that it refuses; at most ``TransferLimits/refusalsPerMessage`` in one
    /// message.
    case refused([RefusedFile])
    /// From the receiver of a group's file, instead of `open`: begin.
    case pieces(PieceRequest)
    /// From the receiver of a group's file: that many of these chunks, and the giver chooses which. The ranges ascend.
    case ask([Range<UInt64>], count: Int)
}

/// The receiver's first message.
public struct OpenRequest: Hashable, Sendable {
    /// The version of this protocol; a sender refuses others with `unsupported`.
    public static let version: UInt64 = 1
    public let transfer: UUIDv7
    /// The ciphers that the receiver can open, best first.
    public let ciphers: [BulkCipher.Kind]
    /// The digest of the manifest that it already has, which then needn't be sent again.
    public let manifestDigest: Checksum?
}

/// A receiver's first message to any member that may have something of a group's file.
public struct PieceRequest: Hashable, Sendable {
    public let transfer: UUIDv7
    /// The root in the signed message. A holder of another file with that id refuses.
    public let fileRoot: TreeHash
    /// The ciphers that the receiver can open, best first.
    public let ciphers: [BulkCipher.Kind]
    /// Whether manifest and hashes have to come first.
    public let wantsList: Bool
}

extension BulkMessage {
    /// An error: the bytes are not a message.
    public struct Malformed: Error, Hashable, Sendable, CustomStringConvertible {
        public var description: String { "the bytes are no message" }
    }

    public func encoded() -> [UInt8] {
        let map: CBORMap =
            switch self {
            case .call(let transfer): [0: .unsigned(0), 1: .unsigned(OpenRequest.version), 2: .bytes(transfer.bytes)]
            case .open(let request): Self.map(request)
            case .accept(let cipher, let key, let sendsManifest):
                [0: .unsigned(2), 1: .unsigned(cipher.wireNumber), 2: .bytes(key), 3: .boolean(sendsManifest)]
            case .reject(let reason, let detail):
                [0: .unsigned(3), 1: .text(reason.rawValue), 2: .text(detail)]
            case .want(let ranges, let isComplete):
                [
                    0: .unsigned(4),
                    1: Self.flat(ranges), 2: .boolean(isComplete),
                ]
            case .credit(let bytes): [0: .unsigned(5), 1: .unsigned(bytes)]
            case .done: [0: .unsigned(6)]
            case .failed(let reason, let detail): [0: .unsigned(7), 1: .text(reason.rawValue), 2: .text(detail)]
            case .refused(let files):
                [
                    0: .unsigned(8),
                    1: .array(files.map { .array([.unsigned(UInt64($0.file)), .text($0.reason.rawValue)]) }),
                ]
            case .pieces(let request):
                [
                    0: .unsigned(9), 1: .unsigned(OpenRequest.version), 2: .bytes(request.transfer.bytes),
                    3: .array(request.ciphers.map { .unsigned($0.wireNumber) }), 4: .bytes(request.fileRoot.bytes),
                    5: .boolean(request.wantsList),
                ]
            case .ask(let ranges, let count):
                [0: .unsigned(10), 1: Self.flat(ranges), 2: .unsigned(UInt64(clamping: count))]
            }
        return CBOR.map(map).encoded()
    }

    private static func flat(_ ranges: [Range<UInt64>]) -> CBOR {
        .array(ranges.flatMap { [.unsigned($0.lowerBound), .unsigned($0.upperBound - $0.lowerBound)] })
    }

    private static func map(_ request: OpenRequest) -> CBORMap {
        var map: CBORMap = [
            0: .unsigned(1), 1: .unsigned(OpenRequest.version), 2: .bytes(request.transfer.bytes),
            3: .array(request.ciphers.map { .unsigned($0.wireNumber) }),
        ]
        if let digest = request.manifestDigest { map[4] = .bytes(digest.bytes) }
        return map
    }

    public init(decoding bytes: ArraySlice<UInt8>) throws(Malformed) {
        guard let map = (try? CBORDecoder.decode(bytes))?.mapValue, let kind = map[0]?.unsignedValue,
            let message = Self.message(kind, map)
        else { throw Malformed() }
        self = message
    }

    private static func message(_ kind: UInt64, _ map: CBORMap) -> BulkMessage? {
        switch kind {
        case 0:
            guard map[1]?.unsignedValue == OpenRequest.version, let transfer = transfer(map[2]) else { return nil }
            return .call(transfer: transfer)
        case 1: return open(map)
        case 2:
            guard let number = map[1]?.unsignedValue, let cipher = BulkCipher.Kind(wireNumber: number),
                let key = map[2]?.bytesValue, key.count == 32, let sendsManifest = map[3]?.booleanValue
            else { return nil }
            return .accept(cipher, key: key, sendsManifest: sendsManifest)
        case 3: return refusal(map).map { .reject($0, detail: $1) }
        case 4: return want(map)
        case 5: return map[1]?.unsignedValue.map { .credit($0) }
        case 6: return .done
        case 7: return refusal(map).map { .failed($0, detail: $1) }
        case 8: return refused(map)
        case 9: return gather(map)
        case 10:
            guard let ranges = ranges(map[1]), let number = map[2]?.unsignedValue, let count = Int(exactly: number),
                1...TransferLimits.Swarm.asked ~= count,
                // Ranges must not overlap, so that no chunk counts twice.
                zip(ranges, ranges.dropFirst()).allSatisfy({ $0.upperBound <= $1.lowerBound })
            else { return nil }
            return .ask(ranges, count: count)
        default: return nil
        }
    }

    private static func open(_ map: CBORMap) -> BulkMessage? {
        guard map[1]?.unsignedValue == OpenRequest.version, let transfer = transfer(map[2]),
            let numbers = map[3]?.arrayValue, numbers.count <= 16
        else { return nil }
        var digest: Checksum?
        if let field = map[4] {
            guard let bytes = field.bytesValue, let value = Checksum(bytes: bytes) else { return nil }
            digest = value
        }
        // Ciphers of later versions are skipped.
        let ciphers = numbers.compactMap { $0.unsignedValue.flatMap { BulkCipher.Kind(wireNumber: $0) } }
        return .open(OpenRequest(transfer: transfer, ciphers: ciphers, manifestDigest: digest))
    }

    private static func gather(_ map: CBORMap) -> BulkMessage? {
        guard map[1]?.unsignedValue == OpenRequest.version, let transfer = transfer(map[2]),
            let numbers = map[3]?.arrayValue, numbers.count <= 16,
            let fileRoot = map[4]?.bytesValue.flatMap({ TreeHash($0) }), let wantsList = map[5]?.booleanValue
        else { return nil }
        let ciphers = numbers.compactMap { $0.unsignedValue.flatMap { BulkCipher.Kind(wireNumber: $0) } }
        return .pieces(PieceRequest(transfer: transfer, fileRoot: fileRoot, ciphers: ciphers, wantsList: wantsList))
    }

    private static func want(_ map: CBORMap) -> BulkMessage? {
        guard let ranges = ranges(map[1]), let isComplete = map[2]?.booleanValue else { return nil }
        return .want(ranges, isComplete: isComplete)
    }

    private static func ranges(_ field: CBOR?) -> [Range<UInt64>]? {
        guard let numbers = field?.arrayValue, numbers.count % 2 == 0,
            numbers.count <= TransferLimits.rangesPerMessage * 2
        else { return nil }
        var ranges: [Range<UInt64>] = []
        ranges.reserveCapacity(numbers.count / 2)
        for index in stride(from: 0, to: numbers.count, by: 2) {
            guard let first = numbers[index].unsignedValue, let count = numbers[index + 1].unsignedValue, count > 0
            else { return nil }
            let (end, overflow) = first.addingReportingOverflow(count)
            guard !overflow else { return nil }
            ranges.append(first..<end)
        }
        return ranges
    }

    private static func refused(_ map: CBORMap) -> BulkMessage? {
        guard let items = map[1]?.arrayValue, !items.isEmpty, items.count <= TransferLimits.refusalsPerMessage else {
            return nil
        }
        var files: [RefusedFile] = []
        files.reserveCapacity(items.count)
        for item in items {
            guard let fields = item.arrayValue, fields.count >= 2, let number = fields[0].unsignedValue,
                let file = UInt32(exactly: number), let reason = fields[1].textValue
            else { return nil }
            files.append(RefusedFile(file: file, reason: Reason(code: reason)))
        }
        return .refused(files)
    }

    private static func transfer(_ field: CBOR?) -> UUIDv7? { field?.bytesValue.flatMap { UUIDv7(bytes: $0) } }

    /// The reason and detail of a refusal, or of a `failed` record's plaintext.
    static func refusal(_ map: CBORMap) -> (Reason, String)? {
        guard let reason = map[1]?.textValue, let detail = map[2]?.textValue else { return nil }
        return (
            Reason(code: reason), String(detail.prefix(TransferLimits.detailCharacters))
        )
    }
}

extension BulkCipher.Kind {
    /// 1: ChaCha20-Poly1305 (RFC 8439), 2: AES-256-GCM.
    var wireNumber: UInt64 {
        switch self {
        case .chacha20Poly1305: 1
        case .aes256GCM: 2
        }
    }

    init?(wireNumber: UInt64) {
        switch wireNumber {
        case 1: self = .chacha20Poly1305
        case 2: self = .aes256GCM
        default: return nil
        }
    }
}
