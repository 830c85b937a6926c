/// The limits of an HTTP server. Each program has its own.
package struct HTTPLimits: Sendable {
    /// Connections inside the parser.
    package let connections: Int
    /// Connections that are not served yet: they have sent nothing, or there is no room.
    package let waiting: Int
    /// Connections of one IPv4 address, or of one /64 of IPv6; nil: as many as there are.
    package let ofAddress: Int?
    /// Fields of a head.
    package let fields: Int
    /// Bytes that the parser may use for one connection.
    package let connectionMemory: Int
    /// Seconds within which a connection must send its first byte.
    package let silentSeconds: Int
    /// Seconds in which a whole head has to come.
    package let headSeconds: Int
    /// Seconds that a connection with a request waits for room.
    package let roomSeconds: Int
    /// Seconds without a byte in either direction after which a connection ends.
    package let idleSeconds: UInt32
    /// The same for answers that are read as they are played or drawn.
    package let slowReaderSeconds: UInt32
    /// Seconds in which the body of a request has to come, and one that is large.
    package let bodySeconds: Int
    package let largeBodySeconds: Int
    /// Seconds between two looks at deadlines, at least.
    package let sweepSeconds: Int
    /// Bytes of a large body for which the program is woken.
    package let wake: Int

    package init(
        connections: Int, waiting: Int, ofAddress: Int? = nil, fields: Int, connectionMemory: Int, silentSeconds: Int,
        headSeconds: Int, roomSeconds: Int, idleSeconds: UInt32, slowReaderSeconds: UInt32, bodySeconds: Int,
        largeBodySeconds: Int, sweepSeconds: Int, wake: Int
    ) {
        self.connections = connections
        self.waiting = waiting
        self.ofAddress = ofAddress
        self.fields = fields
        self.connectionMemory = connectionMemory
        self.silentSeconds = silentSeconds
        self.headSeconds = headSeconds
        self.roomSeconds = roomSeconds
        self.idleSeconds = idleSeconds
        self.slowReaderSeconds = slowReaderSeconds
        self.bodySeconds = bodySeconds
        self.largeBodySeconds = largeBodySeconds
        self.sweepSeconds = sweepSeconds
        self.wake = wake
    }
}
