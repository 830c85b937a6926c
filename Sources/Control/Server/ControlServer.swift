import ControlProtocol
import Glibc
import Reactor
import Runtime

/// The control socket: which users may connect, and how many clients.
///
/// This module (`Control`) speaks JSON-RPC with clients on this host. It knows methods and their parameters, and asks the
/// other modules to do the work.
@ReactorActor package final class ControlServer {
    let path: String
    private let handlers: Handlers
    private let events: EventHub
    private let profiles: any ProfileControl
    private var listener: StreamListener?
    private var connections: [ObjectIdentifier: ControlConnection] = [:]
    private let lockFile: CInt

    /// Binds the socket: its directory has mode 0700, the socket 0600. Replaces the file of a dead daemon, but not that
    /// of a running one.
    package init(path: String, handlers: Handlers, events: EventHub, profiles: any ProfileControl) throws(StartError) {
        self.path = path
        self.handlers = handlers
        self.events = events
        self.profiles = profiles
        let environment = handlers.base.environment
        environment.metrics.declare(.clientsRefused, ["full", "line_length", "line_time", "not_reading", "other_user"])
        environment.metrics.declare(.requestsRefused, RPCError.words)
        guard path.utf8.count < 108 else {
            throw .unusable(
                "the socket path \(path) is longer than the 107 bytes that Linux allows; choose another with --socket")
        }
        let directory = path.lastIndex(of: "/").map { String(path[..<$0]) } ?? "."
        try Paths.makeDirectory(directory.isEmpty ? "/" : directory)
        try Self.checkDirectory(directory.isEmpty ? "/" : directory)
        // The lock decides between two daemons that start at once; the file under it is never removed.
        lockFile = open(path + ".lock", O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard lockFile >= 0 else { throw StartError(errno: errno, "can't open \(path).lock") }
        guard flock(lockFile, LOCK_EX | LOCK_NB) == 0 else {
            let code = errno
            Glibc.close(lockFile)
            guard code == EWOULDBLOCK else { throw StartError(errno: code, "can't lock \(path).lock") }
            throw .alreadyRunning("another kibod answers on \(path)")
        }
        var status = stat()
        if lstat(path, &status) == 0 {
            guard status.st_mode & S_IFMT == S_IFSOCK else {
                throw .unusable("\(path) is there and is not a socket; remove it or choose another with --socket")
            }
            guard unlink(path) == 0 else { throw StartError(errno: errno, "can't replace \(path)") }
        }
        do {
            listener = try StreamListener(unixPath: path, mode: 0o600, backlog: 128) { [weak self] file, _ in
                self?.accept(file)
            }
        } catch {
            throw .failed("can't listen on \(path): \(error)")
        }
    }

    /// A directory that others may write to (such as /tmp itself) would let them put their own socket in place of ours.
    private static func checkDirectory(_ path: String) throws(StartError) {
        if let problem = SocketPath.problem(with: path) { throw .unusable(problem) }
        var status = stat()
        guard stat(path, &status) == 0 else { throw StartError(errno: errno, "can't look at \(path)") }
        guard status.st_uid == geteuid() || status.st_uid == 0 else {
            throw .unusable("\(path) belongs to another user; choose another place with --socket")
        }
        if status.st_mode & 0o022 != 0, status.st_mode & S_ISVTX == 0 {
            throw .unusable("\(path) may be written to by other users; choose another place with --socket")
        }
    }

    private func accept(_ file: CInt) {
        let connection = ControlConnection(file: file, handlers: handlers, events: events) { [weak self] connection in
            self?.profiles.left(ObjectIdentifier(connection))
            self?.connections[ObjectIdentifier(connection)] = nil
        }
        guard let user = connection.user, user == geteuid() || user == 0 else {
            handlers.base.environment.log.warning(
                "a client of another user was turned away", [("uid", "\(connection.user ?? .max)")])
            handlers.base.environment.metrics.count(.clientsRefused, "other_user")
            connection.close()
            return
        }
        guard connections.count < ControlLimits.controlConnections else {
            handlers.base.environment.metrics.count(.clientsRefused, "full")
            connection.refuse(.busy, "the daemon serves \(ControlLimits.controlConnections) clients already")
            return
        }
        connections[ObjectIdentifier(connection)] = connection
        connection.start()
    }

    /// Takes no more connections, lets answers be written, and removes the socket file.
    package func stop() {
        listener?.close()
        listener = nil
        unlink(path)
        for connection in connections.values { connection.closeAfterFlush() }
        connections = [:]
    }

    deinit { Glibc.close(lockFile) }
}
