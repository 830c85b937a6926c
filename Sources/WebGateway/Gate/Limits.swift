/// The gateway's named limits.
enum WebLimits {
    // MARK: The parser and the gate

    /// Bytes of a request's head: browsers send 1 to 2 KiB, with long cookies of other servers of this host some more.
    static let headBytes = 32 << 10
    /// Bytes that the parser may use for one connection: half of them for what is read at once, more than a piece's ``pieceWake``.
    static let connectionMemory = 160 << 10
    /// Bytes of a request's target: the longest route has two ids of 64 characters.
    static let targetBytes = 1_024
    /// Fields of a head: browsers send some 20.
    static let fields = 64
    /// Characters of an id in a target, and of an epoch: an account id has 59, a UUID 36.
    static let idCharacters = 64
    /// Characters of an asset's name.
    static let assetNameCharacters = 128

    // MARK: Connections

    /// Connections of all browsers: six for each, and a stream.
    static let connections = 64
    /// Connections that are not served yet: they have sent nothing, or there is no room.
    static let waiting = 64
    /// Seconds within which a connection must send its first byte.
    static let silentSeconds = 2
    /// Seconds in which a whole head has to come: on this host it takes a millisecond.
    static let headSeconds = 10
    /// Seconds that a connection with a request waits for room.
    static let roomSeconds = 30
    /// Seconds without a byte in either direction after which a connection ends.
    static let idleSeconds: UInt32 = 30
    /// The same for answers that a browser reads as it plays or draws them.
    static let slowReaderSeconds: UInt32 = 120
    /// Seconds in which the body of a request has to come, and a piece of a file, which may be read from a slow disk.
    static let bodySeconds = 30
    static let pieceSeconds = 300
    /// Seconds between two looks at deadlines, at least.
    static let sweepSeconds = 5

    // MARK: Bodies and requests

    /// Bytes of the body of `/rpc`: as long as a line of the control interface.
    static let rpcBytes = 1 << 20
    /// Bytes of the body of `/login` and `/logout`.
    static let loginBytes = 1_024
    /// Requests in one body.
    static let batch = 50
    /// Requests of one login that have no answer yet.
    static let callsUnderWay = 64
    /// Bytes that wait to be written to the daemon; beyond them requests are refused.
    static let lineBacklog = 4 << 20
    /// Bytes of one piece of an upload.
    static let pieceBytes = 16 << 20
    /// Bytes of a piece for which the worker is woken.
    static let pieceWake = 64 << 10
    /// Bytes of a piece that are handed to the daemon at once: they fit into the socket's buffer of 208 KiB.
    static let pieceBatch = 128 << 10
    /// Bytes of a piece that wait for the daemon; with more than these a stream tells when they have gone.
    static let pieceBacklog = 1 << 20
    /// If a piece breaks off, seconds within which its received bytes must reach the daemon.
    static let pieceFlushSeconds: Int64 = 30

    // MARK: Logins

    /// Links that wait to be used, and how many seconds each works.
    static let tokens = 8
    static let tokenSeconds = 60
    /// Logins that are remembered: each browser profile of a person has one.
    static let logins = 64
    /// Tries of a link in a minute.
    static let tries: UInt32 = 10
    /// Milliseconds without use after which a login ends: 30 days.
    static let loginLife: Int64 = 30 * 86_400_000
    /// Milliseconds after which a use is written down again: the disk needs no write for each request.
    static let useGranularity: Int64 = 3_600_000
    /// Bytes of a browser's own name that are kept.
    static let agentBytes = 128
    /// Cookies of our name that are looked at in one request: browsers keep 180 for a host, and send the longest path first.
    static let cookies = 256
    /// Characters of a place in the page, in a ticket.
    static let placeCharacters = 200
    /// Milliseconds for which it is said that the page has moved to another port: a day.
    static let moveTold: Int64 = 86_400_000
    /// Bytes of a token and of a cookie before they are written as letters.
    static let secretBytes = 32

    // MARK: Lines and streams

    /// Lines to the daemon: one for each login that is in use.
    static let lines = 16
    /// Seconds that a line stays when no request or stream uses it.
    static let lineRest = 60
    /// Milliseconds before a line is asked for again for waiting streams. Each attempt adds as much again, up to the
    /// longest wait. A killed daemon is back within a second; for one that was stopped there is no hurry.
    static let lineRetryStep = 50
    static let longestLineRetry = 750
    /// Seconds that the daemon has to answer the broker's greeting.
    static let greetingSeconds: Int32 = 5
    /// Seconds that the service manager has to answer the broker, which serves nobody meanwhile; and for which its answer holds.
    static let managerSeconds = 5
    static let managerPause = 5
    /// Streams of one login: one for each profile is needed, tabs without a shared worker have their own.
    static let streams = 8
    /// Bytes that wait for a slow stream before it rests.
    static let streamBacklog = 1 << 20
    /// Seconds between two comments in a stream, by which a dead browser is noticed.
    static let beatSeconds = 15

    // MARK: The programs

    /// Files and bytes of the page.
    static let assetFiles = 512
    static let assetBytes = 16 << 20
    /// Seconds without streams and requests after which the worker ends.
    static let workerRest = 600
    /// The first port that is tried, and how many.
    static let firstPort: UInt16 = 15_427
    static let ports: UInt16 = 64
    /// How often the port that browsers know is tried, and how many milliseconds lie between two tries.
    static let portTries = 40
    static let portPause: Int32 = 50
    /// Bytes of the hash that names the folder of a gateway for a daemon at an unusual place.
    static let placeBytes = 16
    /// Bytes of a request on `web.sock`, and connections to it.
    static let doorBytes = 4_096
    static let doorConnections = 8
    /// Descriptors of the worker: connections, those that wait, lines, files, and a dozen of its own.
    static let descriptors: UInt64 = 320
    /// Seconds between two starts of a worker that died at once.
    static let restartPause: UInt32 = 1
}
