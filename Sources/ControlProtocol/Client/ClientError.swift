/// Why a client did not get what it asked for.
public enum ClientError: Error, Hashable, Sendable {
    /// No program answers at that path; the reason is in the system's words.
    case noDaemon(path: String, reason: String)
    /// This user may not open the socket at that path, or look into a directory on the way.
    case denied(path: String)
    /// The program that answers at that path is neither this user's nor root's. For root: or it is at a place where
    /// others could have put it. Nothing was sent.
    case foreignDaemon(path: String, uid: UInt32)
    /// The daemon has ended the connection.
    case disconnected
    /// It took longer than the caller wants to wait. The connection is still good.
    case timedOut
    /// ``ControlClient/interruptDescriptor`` became readable while waiting. The connection is still good.
    case interrupted
    /// The bytes that came are not this protocol.
    case broken(String)
    /// The daemon says no.
    case refused(RPCError)
}

extension ClientError: CustomStringConvertible {
    public var description: String {
        switch self {
        case .noDaemon(let path, let reason): "no daemon answers at \(path): \(reason)"
        case .denied(let path): "this user may not open the daemon's socket at \(path): permission denied"
        case .foreignDaemon(let path, let uid): "what answers at \(path) belongs to another user (uid \(uid))"
        case .disconnected: "the daemon has ended the connection"
        case .timedOut: "the daemon has not answered in time"
        case .interrupted: "interrupted"
        case .broken(let what): "the daemon has sent something that can't be understood: \(what)"
        case .refused(let error): error.message
        }
    }
}
