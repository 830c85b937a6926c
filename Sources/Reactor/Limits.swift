/// The reactor's named limits.
enum Limits {
    /// Descriptors reported by one epoll_wait. More wait for the next turn, which comes at once.
    static let eventsPerTurn = 256

    /// Bytes of the one buffer that every socket is read into; at least the largest datagram (65,535 bytes).
    static let readBufferBytes = 64 * 1024

    /// Bytes read from one stream per turn, so that a fast peer does not starve the others.
    static let readBudgetPerTurn = 256 * 1024

    /// Connections accepted from one listener per turn, for the same reason.
    static let acceptsPerTurn = 64

    /// Datagrams read from one socket per turn, for the same reason.
    static let datagramsPerTurn = 64

    /// Rounds of posted work in one turn before sockets are looked at again: jobs that beget jobs save an epoll_wait each.
    static let inboxRoundsPerTurn = 8

    /// Milliseconds that one wait lasts at most. epoll's own clock stands still while the host sleeps, ours does not: after
    /// waking up, a timer that came due during the sleep is late by no more than this.
    static let longestWaitMilliseconds: Int64 = 10_000

    /// A message up to this many bytes is copied behind its predecessor; a longer one is queued as it is.
    static let coalescedMessageBytes = 4 * 1024

    /// Bytes that coalesced messages share before a new piece begins.
    static let coalescedPieceBytes = 64 * 1024

    /// Pieces given to one sendmsg: with full pieces a megabyte, more than a socket buffer takes.
    static let piecesPerWrite = 16

    /// Bytes queued on a stream above which its handler is told when they have drained …
    static let highWaterBytes = 1024 * 1024
    /// … below this.
    static let lowWaterBytes = 256 * 1024

    /// Milliseconds between two attempts of TCP to send the same bytes, at most; the least that Linux takes. A packet a second
    /// burdens no network, and a connection goes on within a second of the moment at which its network does.
    static let longestRetransmissionPause: CInt = 1000
    /// The longest that the kernel itself allows (TCP_RTO_MAX).
    static let kernelsRetransmissionPause: CInt = 120_000

    /// How long a listener rests after the process or system ran out of descriptors.
    static let acceptPause: Duration = .milliseconds(100)

    /// Bytes of a Unix socket's path, its end mark not counted (`sun_path` of sockaddr_un).
    static let unixPathBytes = 107

    /// Bytes read of the kernel's table of IPv6 addresses: a line has some 54, a host a handful of them.
    static let addressTableBytes = 64 * 1024
}
