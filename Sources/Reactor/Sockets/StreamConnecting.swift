import Basics
import CLinux
import Glibc

extension StreamSocket {
    /// Begins a TCP connection. The handler gets `streamDidConnect` or `streamDidClose`, never before this returns.
    /// What is sent until then is queued.
    /// - Parameters:
    ///   - timeout: after this long without an answer the stream closes with `.timedOut`.
    ///   - device: the interface to go through, whatever the routing table says (SO_BINDTODEVICE, which needs no
    ///     privilege since Linux 5.7).
    ///   - source: the address to come from, with a port of the system's choice; nil lets the system choose both.
    /// - Throws: errors that show at once, such as no route or no free descriptor.
    public static func connect(
        to address: SocketAddress, through device: String? = nil, from source: IPAddress? = nil, timeout: Duration,
        handler: any StreamHandler
    ) throws(SocketError) -> StreamSocket {
        let family = AddressCoding.family(address)
        let fd = try SystemCalls.socket(family, SOCK_STREAM)
        SystemCalls.disableNagle(fd)
        SystemCalls.capRetransmissionPause(fd)
        if let device {
            let code = setsockopt(fd, SOL_SOCKET, SO_BINDTODEVICE, device, socklen_t(device.utf8.count))
            guard code == 0 else { throw closing(fd, "bind to \(device)") }
        }
        if let source {
            let code = AddressCoding.with(SocketAddress(source, port: 0), family: family) { bind(fd, $0, $1) }
            guard code == 0 else { throw closing(fd, "bind") }
        }
        let code = AddressCoding.with(address, family: family) { Glibc.connect(fd, $0, $1) }
        guard code == 0 || errno == EINPROGRESS || errno == EINTR else { throw closing(fd, "connect") }
        return begin(fd, remote: address, timeout, handler)
    }

    /// Begins a connection to a Unix stream socket; all else is as in `connect(to:)`.
    /// - Throws: also `.unusablePath`, and `.system("connect", EAGAIN)` while the listener's backlog is full.
    public static func connect(
        unixPath: String, timeout: Duration, handler: any StreamHandler
    ) throws(SocketError) -> StreamSocket {
        let fd = try SystemCalls.socket(AF_UNIX, SOCK_STREAM)
        let code: CInt
        do {
            code = try AddressCoding.with(unixPath: unixPath) { Glibc.connect(fd, $0, $1) }
        } catch {
            Glibc.close(fd)
            throw error
        }
        guard code == 0 || errno == EINPROGRESS || errno == EINTR else { throw closing(fd, "connect") }
        return begin(fd, remote: nil, timeout, handler)
    }

    private static func begin(
        _ fd: CInt, remote: SocketAddress?, _ timeout: Duration, _ handler: any StreamHandler
    ) -> StreamSocket {
        let stream = StreamSocket(fd: fd, phase: .connecting, remote: remote, handler: handler)
        // The reference is weak: a timer that is never cancelled must not keep a closed stream alive.
        if stream.isOpen { stream.setTimer(timeout) { [weak stream] in stream?.terminate(.timedOut) } }
        return stream
    }

    private static func closing(_ fd: CInt, _ call: String) -> SocketError {
        let error = SocketError.system(call, errno)
        Glibc.close(fd)
        return error
    }
}
