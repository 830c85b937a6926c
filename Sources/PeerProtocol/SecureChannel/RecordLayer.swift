import Basics
import Crypto

/// Plaintext to records (`length u16 ‖ sealed`) and back, with a fresh key for a direction after every
/// ``PeerLimits/recordsPerKey`` of its records.
struct RecordLayer: ~Copyable, Sendable {
    private var transport: NoiseTransport

    init(_ transport: consuming NoiseTransport) { self.transport = transport }

    /// See ``SecureChannel/handshakeHash``.
    var handshakeHash: [UInt8] { transport.handshakeHash }

    /// Seals the plaintext in as few records as possible; none for an empty plaintext.
    mutating func seal(_ plaintext: [UInt8]) throws(NoiseError) -> [UInt8] {
        let limit = PeerLimits.recordPlaintextBytes
        let overhead = 2 + CryptoLimits.tagBytes
        var out: [UInt8] = []
        out.reserveCapacity(plaintext.count + (plaintext.count / limit + 1) * overhead)
        var rest = plaintext[...]
        while !rest.isEmpty {
            let piece = rest.prefix(limit)
            rest = rest.dropFirst(limit)
            out.appendBigEndian(UInt16(truncatingIfNeeded: piece.count + CryptoLimits.tagBytes))
            try transport.send.seal(piece, appendingTo: &out)
            if transport.send.count.isMultiple(of: PeerLimits.recordsPerKey) { transport.send.rekey() }
        }
        return out
    }

    /// Appends the plaintext of the peer's next record, which comes without its length.
    mutating func open(_ sealed: ArraySlice<UInt8>, appendingTo out: inout [UInt8]) throws(NoiseError) {
        try transport.receive.open(sealed, appendingTo: &out)
        if transport.receive.count.isMultiple(of: PeerLimits.recordsPerKey) { transport.receive.rekey() }
    }
}
