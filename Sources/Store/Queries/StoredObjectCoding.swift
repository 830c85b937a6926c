import Basics
import Vocabulary

/// The bytes of a UUID.
private let identifierBytes = 16

/// An object's form in the event log: a byte for the kind, then its identifier.
extension StoredObject {
    var encoded: [UInt8] {
        switch self {
        case .account: [0]
        case .contact(let id): [1] + id.bytes
        case .conversation(let id): [2] + id.bytes
        case .message(let id): [3] + id.bytes
        case .group(let id): [4] + id.bytes
        case .transfer(let id): [5] + id.bytes
        case .setting(let key): [6] + Array(key.utf8)
        }
    }

    /// - Throws: ``StoreError/corrupt(detail:)`` for bytes that ``encoded`` doesn't make.
    init(encoded bytes: [UInt8]) throws(StoreError) {
        let rest = Array(bytes.dropFirst())
        let object: StoredObject? =
            switch bytes.first {
            case 0: .account
            case 1: AccountID(bytes: rest).map { .contact($0) }
            case 2: UUIDv7(bytes: rest).map { .conversation($0) }
            case 3: UUIDv7(bytes: rest.prefix(identifierBytes)).map { .message($0) }
            case 4: UUIDv7(bytes: rest).map { .group($0) }
            case 5: UUIDv7(bytes: rest).map { .transfer($0) }
            case 6: .setting(String(decoding: rest, as: UTF8.self))
            default: nil
            }
        guard let object else { throw .corrupt(detail: "an event names no object") }
        self = object
    }
}

/// Behind the identifier of a message, the log has a byte for what of it changed, if that is known.
extension EventRecord {
    var encodedObject: [UInt8] { aspects.isEmpty ? object.encoded : object.encoded + [aspects.rawValue] }

    /// What the bytes of ``encodedObject`` say beside the object.
    static func aspects(encoded bytes: [UInt8]) -> MessageAspects {
        guard bytes.first == 3, bytes.count == 2 + identifierBytes, let last = bytes.last else { return [] }
        return MessageAspects(rawValue: last)
    }
}
