import CLinux

/// epoll's event bits, as asked for and as reported.
struct Readiness: OptionSet {
    let rawValue: UInt32

    static let input = Readiness(rawValue: EPOLLIN.rawValue)
    static let output = Readiness(rawValue: EPOLLOUT.rawValue)
    /// The peer has finished writing.
    static let peerFinished = Readiness(rawValue: EPOLLRDHUP.rawValue)
    /// Both directions are over. Always reported. Data may still be unread.
    static let hangUp = Readiness(rawValue: EPOLLHUP.rawValue)
    /// An error is pending on the socket. Always reported.
    static let failure = Readiness(rawValue: EPOLLERR.rawValue)
    static let edgeTriggered = Readiness(rawValue: 1 << 31)
}
