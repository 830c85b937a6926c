import Basics
import CLinux
import Glibc

/// A connected Unix stream socket that is waited for with poll(2). Owns its descriptor.
struct UnixSocket: ~Copyable {
    let descriptor: CInt

    /// The result of a wait.
    struct Readiness {
        var canRead = false
        var canWrite = false
    }

    /// Takes a connected socket over and makes it non-blocking.
    init(adopting descriptor: CInt) {
        self.descriptor = descriptor
        _ = fcntl(descriptor, F_SETFL, fcntl(descriptor, F_GETFL) | O_NONBLOCK)
        _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
    }

    deinit { close(descriptor) }

    /// Connects, and makes sure that this user may tell secrets to the other side (``SocketOwner``): in `/tmp` any user
    /// could have been first.
    static func connect(path: String) throws(ClientError) -> UnixSocket {
        let bytes = Array(path.utf8)
        guard !bytes.isEmpty, bytes.count <= ProtocolLimits.socketPathBytes, !bytes.contains(0) else {
            throw .noDaemon(path: path, reason: "a socket's path has 1 to \(ProtocolLimits.socketPathBytes) bytes")
        }
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: bytes) }
        let descriptor = Glibc.socket(AF_UNIX, CInt(SOCK_STREAM.rawValue) | CInt(SOCK_CLOEXEC.rawValue), 0)
        guard descriptor >= 0 else { throw .noDaemon(path: path, reason: Self.systemMessage()) }
        let socket = UnixSocket(connecting: descriptor)
        var result: CInt
        repeat {
            result = withUnsafePointer(to: &address) { pointer in
                pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    Glibc.connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
                }
            }
        } while result != 0 && errno == EINTR
        guard result == 0 else {
            throw errno == EACCES || errno == EPERM
                ? .denied(path: path) : .noDaemon(path: path, reason: Self.systemMessage())
        }
        try socket.checkOwner(path: path)
        _ = fcntl(descriptor, F_SETFL, fcntl(descriptor, F_GETFL) | O_NONBLOCK)
        return socket
    }

    /// Still blocking, so that connect(2) waits for space in the backlog.
    private init(connecting descriptor: CInt) { self.descriptor = descriptor }

    private borrowing func checkOwner(path: String) throws(ClientError) {
        // struct ucred: pid, uid, gid, of 32 bits each (unix(7)).
        var credentials: [UInt32] = [0, .max, .max]
        var length = socklen_t(12)
        guard getsockopt(descriptor, SOL_SOCKET, SO_PEERCRED, &credentials, &length) == 0, length == 12 else {
            throw .noDaemon(path: path, reason: Self.systemMessage())
        }
        guard SocketOwner.isTrusted(credentials[1], own: geteuid(), path: path) else {
            throw .foreignDaemon(path: path, uid: credentials[1])
        }
    }

    /// Waits until the socket can be read or, if asked for, written.
    ///
    /// - Parameter interrupt: another descriptor; its becoming readable ends the wait with ``ClientError/interrupted``.
    borrowing func wait(
        toWrite: Bool, until deadline: Instant?, interrupt: CInt?
    ) throws(ClientError) -> Readiness {
        let events = Int16(POLLIN) | (toWrite ? Int16(POLLOUT) : 0)
        var waits = [pollfd(fd: descriptor, events: events, revents: 0)]
        if let interrupt { waits.append(pollfd(fd: interrupt, events: Int16(POLLIN), revents: 0)) }
        while true {
            let count = poll(&waits, nfds_t(waits.count), Self.milliseconds(until: deadline))
            if count < 0 {
                guard errno == EINTR else { throw .broken("poll: \(Self.systemMessage())") }
                continue
            }
            if waits.count > 1, waits[1].revents != 0 { throw .interrupted }
            if waits[0].revents != 0 {
                let events = CInt(waits[0].revents)
                // After a hang-up, reading shows what there is to know.
                return Readiness(
                    canRead: events & (POLLIN | POLLHUP | POLLERR) != 0, canWrite: events & POLLOUT != 0)
            }
            if let deadline, SystemClocks().now >= deadline { throw .timedOut }
        }
    }

    /// The milliseconds until a deadline, rounded up, so that a wait doesn't spin through its last millisecond. −1 for
    /// ever.
    private static func milliseconds(until deadline: Instant?) -> CInt {
        guard let deadline else { return -1 }
        let left = (deadline - SystemClocks().now).nanoseconds
        return left <= 0 ? 0 : CInt(clamping: (left - 1) / 1_000_000 + 1)
    }

    /// Writes as much as goes in now. Returns the number of bytes.
    borrowing func write(_ bytes: ArraySlice<UInt8>) throws(ClientError) -> Int {
        let count = bytes.withUnsafeBytes { send(descriptor, $0.baseAddress, $0.count, CInt(MSG_NOSIGNAL)) }
        if count >= 0 { return count }
        switch errno {
        case EAGAIN, EINTR: return 0
        case EPIPE, ECONNRESET: throw .disconnected
        default: throw .broken("send: \(Self.systemMessage())")
        }
    }

    /// Reads what is there into a buffer, with the descriptors that came. Returns the number of bytes; nil if there is
    /// nothing now.
    borrowing func read(into buffer: inout [UInt8], passed: inout [CInt]) throws(ClientError) -> Int? {
        var received: CInt = -1
        let count = buffer.withUnsafeMutableBytes {
            kibo_receive_descriptor(descriptor, $0.baseAddress, $0.count, &received)
        }
        if received >= 0 { passed.append(received) }
        if count > 0 { return count }
        if count == 0 { throw .disconnected }
        switch errno {
        case EAGAIN, EINTR: return nil
        case ECONNRESET: throw .disconnected
        default: throw .broken("recv: \(Self.systemMessage())")
        }
    }

    private static func systemMessage() -> String { String(cString: strerror(errno)) }
}
