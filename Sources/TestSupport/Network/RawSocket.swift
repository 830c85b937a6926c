import Basics
import Glibc

/// A blocking TCP connection on loopback without any protocol. For one thread.
public final class RawSocket {
    /// The result of a read.
    public enum Input: Equatable {
        case bytes([UInt8])
        /// The other side is gone, orderly or not.
        case end
        /// Nothing came in time.
        case silence
    }

    /// The descriptor; -1 once it is closed.
    public private(set) var descriptor: CInt

    /// Connects.
    ///
    /// - Parameter source: the loopback address to connect from; nil for 127.0.0.1.
    public init(to address: SocketAddress, from source: IPAddress? = nil) throws(SystemError) {
        descriptor = socket(AF_INET, CInt(SOCK_STREAM.rawValue) | CInt(SOCK_CLOEXEC.rawValue), 0)
        guard descriptor >= 0 else { throw SystemError("socket") }
        if let source, LoopbackAddress.call(SocketAddress(source, port: 0), { bind(descriptor, $0, $1) }) != 0 {
            throw SystemError("bind")
        }
        guard LoopbackAddress.call(address, { connect(descriptor, $0, $1) }) == 0 else { throw SystemError("connect") }
        var one: CInt = 1
        setsockopt(descriptor, CInt(IPPROTO_TCP), TCP_NODELAY, &one, socklen_t(MemoryLayout<CInt>.size))
    }

    /// Takes over a connection.
    public init(adopting descriptor: CInt) { self.descriptor = descriptor }

    deinit { close() }

    /// Closes the connection. A second call does nothing.
    public func close() {
        if descriptor >= 0 { _ = Glibc.close(descriptor) }
        descriptor = -1
    }

    /// Gives the descriptor to the caller.
    public func detach() -> CInt {
        defer { descriptor = -1 }
        return descriptor
    }

    /// Half-closes: nothing more is sent.
    public func finish() { shutdown(descriptor, CInt(SHUT_WR)) }

    /// Writes all bytes. False if the other side is gone, or has not read within the limit.
    @discardableResult
    public func write(_ bytes: [UInt8], within limit: Duration = .seconds(10)) -> Bool {
        var time = timeval(tv_sec: Int(limit.milliseconds / 1_000), tv_usec: Int(limit.milliseconds % 1_000 * 1_000))
        setsockopt(descriptor, SOL_SOCKET, SO_SNDTIMEO, &time, socklen_t(MemoryLayout<timeval>.size))
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { send(descriptor, $0.baseAddress, $0.count, CInt(MSG_NOSIGNAL)) }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return false }
            rest = rest.dropFirst(count)
        }
        return true
    }

    /// Reads the next input.
    public func read(within limit: Duration) -> Input {
        var waits = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        guard poll(&waits, 1, CInt(clamping: max(0, limit.milliseconds))) > 0 else { return .silence }
        var buffer = [UInt8](repeating: 0, count: 1 << 16)
        let count = recv(descriptor, &buffer, buffer.count, 0)
        return count > 0 ? .bytes(Array(buffer[..<count])) : .end
    }

    /// Reads until the other side is gone. Returns what came until then; nil if the other side stays.
    public func readToEnd(within limit: Duration = Patience.usual) -> [UInt8]? {
        let deadline = SystemClocks().now + limit
        var all: [UInt8] = []
        while true {
            switch read(within: deadline - SystemClocks().now) {
            case .bytes(let bytes): all += bytes
            case .end: return all
            case .silence: return nil
            }
        }
    }
}

/// A listening TCP port on 127.0.0.1.
public final class RawListener {
    private let descriptor: CInt
    /// Where it listens.
    public let port: UInt16

    /// Listens.
    ///
    /// - Parameter port: 0 for any free port.
    public init(port wanted: UInt16 = 0) throws(SystemError) {
        descriptor = socket(AF_INET, CInt(SOCK_STREAM.rawValue) | CInt(SOCK_CLOEXEC.rawValue), 0)
        // Connections of the port's previous owner may still be ending.
        var one: CInt = 1
        setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &one, socklen_t(MemoryLayout<CInt>.size))
        port = try LoopbackAddress.bindAnyPort(descriptor, port: wanted)
        guard listen(descriptor, 16) == 0 else { throw SystemError("listen") }
    }

    deinit { close(descriptor) }

    /// The next connection; nil if none comes in time.
    public func accept(within limit: Duration = Patience.usual) -> RawSocket? {
        var waits = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        guard poll(&waits, 1, CInt(clamping: max(0, limit.milliseconds))) > 0 else { return nil }
        let connection = Glibc.accept(descriptor, nil, nil)
        return connection < 0 ? nil : RawSocket(adopting: connection)
    }
}

/// A UDP socket on loopback that may broadcast there.
public final class RawDatagramSocket {
    private let descriptor: CInt
    /// The port from which it sends and on which it listens.
    public let port: UInt16

    /// Binds the socket.
    ///
    /// - Parameters:
    ///   - source: the address to send from.
    ///   - shared: a port to listen on together with other sockets; nil for a port of its own.
    public init(from source: IPAddress = .loopback, shared: UInt16? = nil) throws(SystemError) {
        let descriptor = socket(AF_INET, CInt(SOCK_DGRAM.rawValue) | CInt(SOCK_CLOEXEC.rawValue), 0)
        var one: CInt = 1
        setsockopt(descriptor, SOL_SOCKET, SO_BROADCAST, &one, socklen_t(MemoryLayout<CInt>.size))
        if let shared {
            setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &one, socklen_t(MemoryLayout<CInt>.size))
            let bound = LoopbackAddress.call(SocketAddress(.any, port: shared)) { bind(descriptor, $0, $1) }
            guard bound == 0 else { throw SystemError("bind") }
            port = shared
        } else {
            port = try LoopbackAddress.bindAnyPort(descriptor, source)
        }
        self.descriptor = descriptor
    }

    deinit { close(descriptor) }

    /// Sends to all daemons that listen on this port of loopback.
    public func broadcast(_ bytes: [UInt8], to port: UInt16) {
        send(bytes, to: SocketAddress(.v4(0x7FFF_FFFF), port: port))
    }

    /// Sends to one address.
    public func send(_ bytes: [UInt8], to address: SocketAddress) {
        _ = LoopbackAddress.call(address) { address, length in
            bytes.withUnsafeBytes { CInt(sendto(descriptor, $0.baseAddress, $0.count, 0, address, length)) }
        }
    }

    /// The next datagram; nil if none comes in time.
    public func receive(within limit: Duration) -> [UInt8]? {
        receiveWithSource(within: limit)?.bytes
    }

    /// The next datagram with the port that it comes from; nil if none comes in time.
    public func receiveWithSource(within limit: Duration) -> (bytes: [UInt8], port: UInt16)? {
        var waits = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        guard poll(&waits, 1, CInt(clamping: max(0, limit.milliseconds))) > 0 else { return nil }
        var buffer = [UInt8](repeating: 0, count: 1 << 16)
        var source = sockaddr_in()
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let count = withUnsafeMutablePointer(to: &source) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                recvfrom(descriptor, &buffer, buffer.count, 0, $0, &length)
            }
        }
        return count >= 0 ? (Array(buffer[..<count]), UInt16(bigEndian: source.sin_port)) : nil
    }
}

/// IPv4 addresses for the C functions.
private enum LoopbackAddress {
    static func call(_ address: SocketAddress, _ body: (UnsafePointer<sockaddr>, socklen_t) -> CInt) -> CInt {
        guard case .v4(let host) = address.host else { return -1 }
        var raw = sockaddr_in()
        raw.sin_family = sa_family_t(AF_INET)
        raw.sin_port = address.port.bigEndian
        raw.sin_addr.s_addr = host.bigEndian
        return withUnsafePointer(to: &raw) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { body($0, socklen_t(MemoryLayout<sockaddr_in>.size)) }
        }
    }

    static func bindAnyPort(
        _ descriptor: CInt, _ host: IPAddress = .loopback, port: UInt16 = 0
    ) throws(SystemError) -> UInt16 {
        var raw = sockaddr_in()
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        guard call(SocketAddress(host, port: port), { bind(descriptor, $0, $1) }) == 0 else {
            throw SystemError("bind")
        }
        let result = withUnsafeMutablePointer(to: &raw) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { getsockname(descriptor, $0, &length) }
        }
        guard result == 0 else { throw SystemError("getsockname") }
        return UInt16(bigEndian: raw.sin_port)
    }
}
