import Basics
import CMicrohttpd
import Glibc
import Reactor

/// Lets connections into the library: those that the program takes, when they say something, and as far as there is room.
@ReactorActor final class Entrance {
    private let limits: HTTPLimits
    private let objection: @ReactorActor (CInt) -> String?
    private var library: OpaquePointer?
    private var wake: @ReactorActor () -> Void = {}
    private var room: WaitingRoom?
    /// Connections that were given to the library and that it has not reported yet.
    private var entering: Set<CInt> = []
    /// Where each connection comes from, if there is a limit for each address.
    private var addresses: [CInt: IPAddress] = [:]
    /// The deadlines of connections inside the library.
    let deadlines: ConnectionDeadlines
    /// How many were refused, by reason: those of the program, `address` for too many of one address, `silent`, `slow`, and
    /// `full` for those that made room.
    private(set) var refusals: [String: Int] = [:]

    /// - Parameter objection: why a connection is not taken, as it is counted; nil if it is.
    init(limits: HTTPLimits, objection: @escaping @ReactorActor (CInt) -> String?) {
        self.limits = limits
        self.objection = objection
        deadlines = ConnectionDeadlines(sweepSeconds: limits.sweepSeconds)
        deadlines.onEnd = { [unowned self] in count("slow") }
        room = WaitingRoom(
            limits: limits,
            enter: { [unowned self] in enter($0) }, isFull: { [unowned self] in makeRoom() },
            onEnd: { [unowned self] in count("silent") }, onClose: { [unowned self] in addresses[$0] = nil })
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
        if let objection = objection(fd) {
            count(objection)
            close(fd)
            return
        }
        if let most = limits.ofAddress {
            // One that has gone by now is not taken either.
            let address = SocketAddress(peerOf: fd)?.host.network
            guard let address, addresses.values.count(where: { $0 == address }) < most else {
                count("address")
                close(fd)
                return
            }
            addresses[fd] = address
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
        guard connections + entering.count < limits.connections else { return false }
        var address = sockaddr_storage()
        var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
        var on: CInt = 1
        setsockopt(fd, CInt(IPPROTO_TCP), TCP_NODELAY, &on, socklen_t(MemoryLayout<CInt>.size))
        withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                // The peer may have gone.
                guard getpeername(fd, address, &length) == 0 else {
                    addresses[fd] = nil
                    close(fd)
                    return
                }
                entering.insert(fd)
                // The library closes what it doesn't take.
                if MHD_add_connection(library, fd, address, length) != .YES {
                    entering.remove(fd)
                    addresses[fd] = nil
                }
                wake()
            }
        }
        return true
    }

    /// Notes that the library has run: by now it has reported or closed all connections that it was given.
    func libraryHasRun() {
        for fd in entering { addresses[fd] = nil }
        entering = []
        makeRoom()
    }

    /// The library has a new connection.
    func began(_ connection: OpaquePointer) {
        entering.remove(kibo_http_socket(connection))
        deadlines.set(connection, .head, seconds: limits.headSeconds)
    }

    /// A connection is over.
    func ended(_ connection: OpaquePointer) {
        deadlines.forget(connection)
        addresses[kibo_http_socket(connection)] = nil
        // The library is at work now, and takes a new one in its next turn.
        Reactor.shared.afterThisTurn { [self] in room?.thereIsRoom() }
    }
}
