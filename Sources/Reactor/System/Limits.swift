/// The reactor's named limits.
enum ReactorLimits {
    /// Descriptors reported by one epoll_wait at most. The next turn, which comes at once, reports the rest.
    static let eventsPerTurn = 256

    /// Bytes of the one buffer that every socket is read into; at least the largest datagram (65,535 bytes).
    static let readBufferBytes = 64 * 1024

    /// Bytes read from one stream per turn, so that a fast peer does not starve the others.
    static let readBudgetPerTurn = 256 * 1024

    /// Connections accepted from one listener per turn, so that one listener does not starve the others.
    static let acceptsPerTurn = 64

    /// Datagrams read from one socket per turn, so that one socket does not starve the others.
    static let datagramsPerTurn = 64

    /// Rounds of posted work in one turn before sockets are looked at again. A job that posts another job saves an
    /// epoll_wait.
    static let inboxRoundsPerTurn = 8

    /// A wait of more than this many milliseconds is also ended by an alarm. epoll's own clock stops while the host
    /// sleeps, but ours doesn't. So a timer that came due during the sleep runs at once when the host wakes up, or at
    /// most this much later.
    static let longWaitMilliseconds: Int64 = 500

    /// A message of up to this many bytes is copied behind its predecessor; a longer one is queued as it is.
    static let coalescedMessageBytes = 4 * 1024

    /// Bytes that coalesced messages share before a new piece begins.
    static let coalescedPieceBytes = 64 * 1024

    /// Pieces given to one sendmsg. Full pieces add up to a megabyte, more than a socket buffer takes.
    static let piecesPerWrite = 16

    /// Bytes queued on a stream above which its handler is told when they have drained …
    static let highWaterBytes = 1024 * 1024
    /// … below this.
    static let lowWaterBytes = 256 * 1024

    /// Milliseconds at most between two attempts of TCP to send the same bytes: the least that Linux allows. One packet
    /// a second burdens no network, and a connection resumes within a second after its network does.
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
