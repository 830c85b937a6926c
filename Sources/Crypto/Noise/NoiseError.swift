/// Why a Noise message was refused. Any of these errors ends a handshake.
public enum NoiseError: Error, Hashable, Sendable, CustomStringConvertible {
    /// A message, with its tag, is longer than 65,535 bytes.
    case messageTooLong
    /// A message is too short for the keys and tags that it must hold.
    case messageTooShort
    /// The message was changed, or made with other keys, another pre-shared key, another prologue, or out of order.
    case authenticationFailed
    /// The peer sent a public key of small order.
    case lowOrderPoint
    /// 2^64 − 1 messages were sealed or opened under one key.
    case counterExhausted
    /// The caller wrote in the peer's turn, read in ours, or split before the end.
    case outOfTurn
    /// The handshake failed before; nothing can be done with it.
    case failedBefore
    /// The pre-shared key has another length than 32 bytes.
    case presharedKeyLength

    public var description: String {
        switch self {
        case .messageTooLong: "the message is too long"
        case .messageTooShort: "the message is too short"
        case .authenticationFailed: "the message was changed, or made with other keys, in another realm or out of order"
        case .lowOrderPoint: "the public key is of small order"
        case .counterExhausted: "the key has sealed as much as it may"
        case .outOfTurn: "it is not this side's turn"
        case .failedBefore: "the handshake failed before"
        case .presharedKeyLength: "the pre-shared key has a wrong length"
        }
    }
}
