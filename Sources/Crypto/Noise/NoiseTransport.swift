/// The result of a finished handshake: a cipher for each direction and the hash that identifies this channel.
public struct NoiseTransport: ~Copyable, Sendable {
    public var send: NoiseCipher
    public var receive: NoiseCipher
    /// 64 bytes, the same on both sides and on no other channel (Noise revision 34, §11.2).
    public let handshakeHash: [UInt8]
}
