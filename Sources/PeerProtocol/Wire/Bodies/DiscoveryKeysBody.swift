import Basics
import Crypto

/// The keys by which the sender can be recognised under its veil, and which of the receiver's it has. CBOR `{1: number, 2: shared
/// key, 3: pair key, 4: number held}`. Needs no receipt; it goes to friends, and to accounts that the sender has asked
/// to become one.
public struct DiscoveryKeysBody: WireBody {
    /// The number of this shared key of the sender, counted from 1.
    public let number: UInt32
    /// The key that all friends of the sender have.
    public let shared: SharedKey
    /// The key that the receiver alone has.
    public let pair: SharedKey
    /// The number of the receiver's shared key that the sender has; 0: none.
    public let held: UInt32

    public init(number: UInt32, shared: SharedKey, pair: SharedKey, held: UInt32) {
        self.number = number
        self.shared = shared
        self.pair = pair
        self.held = held
    }

    public init(decoding bytes: [UInt8]) throws(WireError) {
        let body = try BodyReader(bytes)
        guard let number = UInt32(exactly: try body.unsigned(1, "number")), number > 0 else {
            throw .invalid(field: "number")
        }
        guard let held = UInt32(exactly: try body.unsigned(4, "number held")) else {
            throw .invalid(field: "number held")
        }
        self.number = number
        self.held = held
        shared = try Self.key(body, 2, "shared key")
        pair = try Self.key(body, 3, "pair key")
    }

    public func encoded() -> [UInt8] {
        CBOR.map([
            1: .unsigned(UInt64(number)), 2: .bytes(shared.bytes), 3: .bytes(pair.bytes), 4: .unsigned(UInt64(held)),
        ]).encoded()
    }

    private static func key(_ body: BodyReader, _ key: UInt64, _ field: String) throws(WireError) -> SharedKey {
        guard let key = SharedKey(bytes: try body.bytes(key, field, maximum: CryptoLimits.keyBytes)) else {
            throw .invalid(field: field)
        }
        return key
    }
}
