import Basics
import Crypto
import PeerProtocol

/// What the tests of discovery share.
enum DiscoveryFixture {
    /// A key pair for each number, always the same.
    static func key(_ number: UInt64) -> SigningKey {
        var bytes = [UInt8](repeating: 0, count: 24)
        bytes.appendBigEndian(number)
        guard let key = try? SigningKey(seed: SecretBytes(moving: &bytes)) else { preconditionFailure("32 bytes") }
        return key
    }

    static func device(_ number: UInt64) -> DeviceID { DeviceID(key(number).publicKey) }

    /// A host of the subnet 198.18.0.0/15 (RFC 2544: for tests).
    static func address(_ number: UInt32, port: UInt16 = 4000) -> SocketAddress {
        SocketAddress(.v4(0xC612_0000 + number), port: port)
    }

    static let start = Instant(nanoseconds: 1_000_000_000_000)
}
