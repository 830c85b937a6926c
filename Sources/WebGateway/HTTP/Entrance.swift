import CLinux
import CMicrohttpd
import Glibc
import Reactor

/// Lets connections into the library: of this user's programs only, when they say something, and as far as there is room.
@ReactorActor final class Entrance {
    private let diagnosis: CInt
    private var library: OpaquePointer?
    private var wake: @ReactorActor () -> Void = {}
    private var room: WaitingRoom?
    /// Connections that were given to the library and that it has not reported yet.
    private var entering = 0
    /// The deadlines of connections inside the library.
    let deadlines = ConnectionDeadlines()
    /// How many were refused, by reason: `uid` for connections of other users, `silent`, `slow`, and `full` for those
    /// that made room.
    private(set) var refusals: [String: Int] = [:]

    /// - Parameter diagnosis: a socket for questions about the owner of connections.
    init(diagnosis: CInt) {
        self.diagnosis = diagnosis
        deadlines.onEnd = { [unowned self] in count("slow") }
        room = WaitingRoom(
            enter: { [unowned self] in enter($0) }, isFull: { [unowned self] in makeRoom() },
            onEnd: { [unowned self] in count("silent") })
    }

    /// - Parameter wake: has the library run soon.
    func lead(to library: OpaquePointer?, wake: @escaping @ReactorActor () -> Void) {
        self.library = library
        self.wake = wake
    }

    /// Connections inside.
    var connections: Int { deadlines.count }

    func count(_ what: String, _ number: Int = 1) { refusals[what, default: 0] += number }

    /// Takes a new connection, and owns it.
    func accept(_ fd: CInt) {
        var uid = uid_t()
        guard kibo_tcp_owner(diagnosis, fd, &uid) == 0, uid == geteuid() else {
            count("uid")
            close(fd)
            return
        }
        room?.accept(fd)
    }

    /// Ends connections that have no request, so that there will be room for those that wait.
    private func makeRoom() {
        let ended = deadlines.makeRoom(for: room?.waiting ?? 0)
        if ended > 0 { count("full", ended) }
    }

    /// Gives a connection that has said something to the library; false if there is no room.
    private func enter(_ fd: CInt) -> Bool {
        guard connections + entering < WebLimits.connections else { return false }
        var address = sockaddr_storage()
        var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
        var on: CInt = 1
        setsockopt(fd, CInt(IPPROTO_TCP), TCP_NODELAY, &on, socklen_t(MemoryLayout<CInt>.size))
        withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                // The peer may have gone.
                guard getpeername(fd, address, &length) == 0 else {
                    close(fd)
                    return
                }
                entering += 1
                // The library closes what it doesn't take.
                _ = MHD_add_connection(library, fd, address, length)
                wake()
            }
        }
        return true
    }

    /// Notes that the library has run: by now it has reported or closed all connections that it was given.
    func libraryHasRun() {
        entering = 0
        makeRoom()
    }

    /// The library has a new connection.
    func began(_ connection: OpaquePointer) {
        entering = max(0, entering - 1)
        deadlines.set(connection, .head, seconds: WebLimits.headSeconds)
    }

    /// A connection is over.
    func ended(_ connection: OpaquePointer) {
        deadlines.forget(connection)
        // The library is at work now, and takes a new one in its next turn.
        Reactor.shared.afterThisTurn { [self] in room?.thereIsRoom() }
    }
}
