/// Why a Noise message was refused. After any of these in a handshake the handshake is over.
public enum NoiseError: Error, Hashable, Sendable {
    /// A message, its tag included, above 65,535 bytes.
    case messageTooLong
    /// A message too short for the keys and tags that it must hold.
    case messageTooShort
    /// The message was changed, or made with other keys, another pre-shared key, another prologue, or out of order.
    case authenticationFailed
    /// The peer sent a public key of small order.
    case lowOrderPoint
    /// 2^64 − 1 messages were sealed or opened under one key.
    case counterExhausted
    /// Writing when it is the peer's turn, reading when it is ours, or splitting before the end. A mistake of the caller.
    case outOfTurn
    /// The handshake failed before; nothing can be done with it.
    case failedBefore
    /// The pre-shared key has another length than 32 bytes.
    case presharedKeyLength
}
