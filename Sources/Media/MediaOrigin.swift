import Basics

/// Whose bytes a file has. It decides which process looks at them, and whether any program but kibo-media may.
package enum MediaOrigin: Hashable, Sendable {
    /// The user's own file, which the user sends.
    case own
    /// It has come from this account, or may have. Only kibo-media looks at it, without rights.
    case peer(AccountID)
    /// The same for one of the devices with LocalSend.
    case guest
}
