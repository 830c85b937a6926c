import Crypto

/// Why a channel ended. After any of these the connection is to be closed without another byte; every later call throws
/// `.over`.
public enum ChannelError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The peer that dialled does not speak Kibo.
    case notKibo
    /// The peer speaks a version of the wire that we don't.
    case unsupportedVersion(UInt8)
    /// The preface names a purpose that this version doesn't know.
    case unknownPurpose(UInt8)
    /// One side has a realm key and the other none. (Two different realm keys show as a failed handshake.)
    case realmMismatch
    /// A handshake message of a length that can't be right.
    case handshakeLength(Int)
    /// A handshake message was refused. `authenticationFailed` also means: other realm, other prologue, tampering.
    case handshake(NoiseError)
    /// The peer is not who it says it is, or can't prove it.
    case identity(IdentityError)
    /// We answer only who knocks with a key that we gave, and this one didn't. Also: the knock was heard before.
    case noKnock
    /// The peer knocked with another's key.
    case wrongKnock
    /// Another peer answered than the one we dialled, and has not been told who we are.
    case unexpected
    /// The peer is this very device: we dialled ourselves.
    case ourselves
    /// The peer has this device's keys and is another run: the data directory was copied.
    case copy
    /// The handshake was not through in time.
    case handshakeTimeout
    /// A record's length is out of bounds.
    case recordLength(Int)
    /// A record was changed, replayed, left out or reordered.
    case record(NoiseError)
    /// Sealing before the handshake was through, starting twice. A mistake of the caller.
    case outOfTurn
    /// The channel ended before.
    case over

    public var description: String {
        switch self {
        case .notKibo: "the peer does not speak Kibo"
        case .unsupportedVersion(let version): "the peer speaks version \(version) of the wire"
        case .unknownPurpose(let purpose): "the peer wants something unknown: \(purpose)"
        case .realmMismatch: "one side has a realm key, and the other has none"
        case .handshakeLength(let bytes): "a handshake message has \(bytes) bytes"
        case .handshake(let error): "the handshake: \(error)"
        case .identity(let error): error.description
        case .noKnock: "the peer has no key to knock with"
        case .wrongKnock: "the peer knocked with another's key"
        case .unexpected: "another peer answered than was dialled"
        case .ourselves: "the peer is this device itself"
        case .copy: "the peer has this device's keys: the data were copied"
        case .handshakeTimeout: "the handshake took too long"
        case .recordLength(let bytes): "a record has \(bytes) bytes"
        case .record(let error): "a record: \(error)"
        case .outOfTurn: "the channel is not ready"
        case .over: "the channel has ended"
        }
    }
}
