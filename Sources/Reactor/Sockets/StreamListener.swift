import Basics
import CLinux
import Glibc

/// A listening TCP or Unix socket. It lives until `close()`, even if no reference to it is left.
@ReactorActor public final class StreamListener {
    /// Receives each connection: a close-on-exec, non-blocking descriptor that the callee owns (it has to adopt or
    /// close it), and the peer's address, nil for a Unix socket.
    public typealias Accept = @ReactorActor (CInt, SocketAddress?) -> Void

    private let fd: CInt
    private let loop = EventLoop.shared
    private let unixFile: UnixSocketFile?
    private var accept: Accept?
    private var failed: (@ReactorActor (SocketError) -> Void)?
    private var isOpen = true
    private var isPaused = false
    private var restTimer: TimerToken?
    private var hasComplained = false

    /// The address it listens on, with the port that the system chose if 0 was asked for; nil for a Unix socket.
    public let address: SocketAddress?

    /// Listens on TCP. `[::]` serves IPv4 too, unless `isDual` is false.
    /// - Parameters:
    ///   - isDual: whether an IPv6 address serves IPv4 too.
    ///   - backlog: connections that may wait to be accepted; the kernel caps it (net.core.somaxconn).
    ///   - failed: called once per episode when no connection can be accepted, usually because descriptors have run out
    ///     (EMFILE). The listener rests for 100 ms each time and then goes on by itself.
    /// - Throws: `.addressInUse`, or the call that failed.
    public convenience init(
        address: SocketAddress, isDual: Bool = true, backlog: CInt = 1024, accept: @escaping Accept,
        failed: @escaping @ReactorActor (SocketError) -> Void = { _ in }
    ) throws(SocketError) {
        let family = AddressCoding.family(address)
        let fd = try SystemCalls.socket(family, SOCK_STREAM)
        do throws(SocketError) {
            try SystemCalls.setOption(fd, SOL_SOCKET, SO_REUSEADDR, 1)
            if family == AF_INET6 {
                try SystemCalls.setOption(fd, CInt(IPPROTO_IPV6), IPV6_V6ONLY, isDual ? 0 : 1)
            }
            let code = AddressCoding.with(address, family: family) { bind(fd, $0, $1) }
            guard code == 0 else { throw errno == EADDRINUSE ? .addressInUse : .system("bind", errno) }
            try self.init(listening: fd, backlog: backlog, unixFile: nil, accept, failed)
        } catch {
            Glibc.close(fd)
            throw error
        }
    }

    /// Listens on a Unix socket. A socket file without a listener is taken over; `close()` removes the file.
    ///
    /// The file never has more permissions than `mode`, not even for a moment.
    /// - Throws: `.addressInUse` if another process listens there or the path is no socket, `.unusablePath`, or the call that failed.
    public convenience init(
        unixPath: String, mode: mode_t, backlog: CInt = 1024, accept: @escaping Accept,
        failed: @escaping @ReactorActor (SocketError) -> Void = { _ in }
    ) throws(SocketError) {
        let fd = try SystemCalls.socket(AF_UNIX, SOCK_STREAM)
        do throws(SocketError) {
            let file = try UnixSocketFile.bind(fd, to: unixPath, mode: mode)
            try self.init(listening: fd, backlog: backlog, unixFile: file, accept, failed)
        } catch {
            Glibc.close(fd)
            throw error
        }
    }

    /// Takes over a socket that listens already, which the service manager or another process has bound. Its file, if it
    /// has one, is theirs and stays.
    public convenience init(
        adopting fd: CInt, accept: @escaping Accept, failed: @escaping @ReactorActor (SocketError) -> Void = { _ in }
    ) throws(SocketError) {
        SystemCalls.setBlocking(fd, false)
        _ = fcntl(fd, F_SETFD, FD_CLOEXEC)
        try self.init(listening: fd, backlog: 1024, unixFile: nil, accept, failed)
    }

    private init(
        listening fd: CInt, backlog: CInt, unixFile: UnixSocketFile?, _ accept: @escaping Accept,
        _ failed: @escaping @ReactorActor (SocketError) -> Void
    ) throws(SocketError) {
        // One that was taken over listens already, and a confined process may not make it listen.
        guard SystemCalls.option(fd, SOL_SOCKET, SO_ACCEPTCONN) == 1 || listen(fd, backlog) == 0 else {
            throw errno == EADDRINUSE ? .addressInUse : .system("listen", errno)
        }
        self.fd = fd
        self.unixFile = unixFile
        self.accept = accept
        self.failed = failed
        address = unixFile == nil ? AddressCoding.ask(fd, getsockname) : nil
        try loop.watch(fd, self, .input)
    }

    /// Accepts nothing until `resume()`; connections wait in the backlog.
    public func pause() {
        guard isOpen, !isPaused else { return }
        isPaused = true
        loop.change(fd, [])
    }

    /// Accepts again.
    public func resume() {
        guard isOpen, isPaused else { return }
        isPaused = false
        if restTimer == nil { loop.change(fd, .input) }
    }

    /// Stops listening. Connections that were not accepted are reset; accepted ones are not touched.
    public func close() {
        guard isOpen else { return }
        isOpen = false
        restTimer?.cancel()
        restTimer = nil
        loop.forget(fd)
        // The file goes first, because a client that still finds it would be refused.
        unixFile?.remove()
        Glibc.close(fd)
        accept = nil
        failed = nil
    }

    private func rest(_ code: CInt) {
        loop.change(fd, [])
        restTimer = loop.timers.insert(deadline: loop.now + ReactorLimits.acceptPause) { [weak self] in self?.endRest()
        }
        if hasComplained { return }
        hasComplained = true
        failed?(.system("accept", code))
    }

    private func endRest() {
        restTimer = nil
        if isOpen, !isPaused { loop.change(fd, .input) }
    }
}

extension StreamListener: EventSource {
    // The watch is level-triggered: what the budget leaves over is reported again.
    func ready(_ events: Readiness) {
        for _ in 0..<ReactorLimits.acceptsPerTurn {
            guard isOpen, !isPaused, restTimer == nil else { return }
            var storage = sockaddr_storage()
            var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
            let connection = kibo_accept(fd, &storage, &length)
            if connection >= 0 {
                hasComplained = false
                accept?(connection, AddressCoding.decode(storage))
                continue
            }
            switch errno {
            case EAGAIN: return
            case EMFILE, ENFILE, ENOBUFS, ENOMEM: return rest(errno)
            // The connection died in the backlog (accept(2) lists further network errors), so the next one is tried.
            default: continue
            }
        }
    }
}
