import CLinux
import ControlProtocol
import Glibc

/// The sockets on which the gateway listens: both loopbacks, or neither, and the door. A browser asks ::1 first, so that a
/// program that had it alone would be sent our cookie.
struct ListeningSockets {
    var internet: [CInt]
    let door: CInt
    let port: UInt16

    /// Those that the service manager has bound (sd_listen_fds(3)); nil if it has bound none.
    static func inherited() -> ListeningSockets? {
        guard let process = number("LISTEN_PID"), process == Int(getpid()), let count = number("LISTEN_FDS"),
            1...8 ~= count
        else { return nil }
        var internet: [CInt] = []
        var door: CInt?
        var port: UInt16 = 0
        for descriptor in 3..<(3 + CInt(count)) {
            _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
            if let found = self.port(of: descriptor) {
                internet.append(descriptor)
                port = found
            } else {
                door = descriptor
            }
        }
        guard let door, !internet.isEmpty else { return nil }
        return ListeningSockets(internet: internet, door: door, port: port)
    }

    /// Binds them: the given port or the next one that is free on both loopbacks.
    static func bound(port: UInt16, door path: String) throws(GatewayFailure) -> ListeningSockets {
        let door = try bindDoor(path)
        for offset in 0..<WebLimits.ports {
            let (candidate, overflow) = port.addingReportingOverflow(offset)
            if overflow { break }
            if let both = bindBoth(candidate) { return ListeningSockets(internet: both, door: door, port: candidate) }
        }
        close(door)
        throw .noPort
    }

    /// Nil if another socket has one of them. A host without IPv6 has nothing that another program could listen on there.
    static func bindBoth(_ port: UInt16) -> [CInt]? {
        guard let four = bind(AF_INET, port) else { return nil }
        let probe = socket(AF_INET6, CInt(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        guard probe >= 0 else { return [four] }
        close(probe)
        if let six = bind(AF_INET6, port) { return [four, six] }
        if errno == EADDRNOTAVAIL { return [four] }
        close(four)
        return nil
    }

    private static func bind(_ family: CInt, _ port: UInt16) -> CInt? {
        let descriptor = socket(family, CInt(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        guard descriptor >= 0 else { return nil }
        var on: CInt = 1
        setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &on, socklen_t(MemoryLayout<CInt>.size))
        var code: CInt
        if family == AF_INET {
            var address = sockaddr_in()
            address.sin_family = sa_family_t(AF_INET)
            address.sin_port = port.bigEndian
            address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
            code = bind(descriptor, &address)
        } else {
            setsockopt(descriptor, CInt(IPPROTO_IPV6), IPV6_V6ONLY, &on, socklen_t(MemoryLayout<CInt>.size))
            var address = sockaddr_in6()
            address.sin6_family = sa_family_t(AF_INET6)
            address.sin6_port = port.bigEndian
            address.sin6_addr = in6addr_loopback
            code = bind(descriptor, &address)
        }
        if code == 0, listen(descriptor, 1_024) == 0 { return descriptor }
        let reason = errno
        close(descriptor)
        errno = reason
        return nil
    }

    private static func bind<Address>(_ descriptor: CInt, _ address: inout Address) -> CInt {
        withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                Glibc.bind(descriptor, $0, socklen_t(MemoryLayout<Address>.size))
            }
        }
    }

    /// The file of a door without a gateway behind it is taken over.
    private static func bindDoor(_ path: String) throws(GatewayFailure) -> CInt {
        let folder = path.split(separator: "/", omittingEmptySubsequences: false).dropLast().joined(separator: "/")
        guard path.hasPrefix("/"), GatewayPlaces.makeFolder(folder) else { throw .system("make the folder \(folder)") }
        if let other = UnixEnd.connect(path) {
            close(other)
            throw .runsAlready
        }
        unlink(path)
        let mask = umask(0o177)
        let descriptor = UnixEnd.listen(path)
        umask(mask)
        guard let descriptor else { throw .system("listen on \(path)") }
        return descriptor
    }

    private static func port(of descriptor: CInt) -> UInt16? {
        var storage = sockaddr_storage()
        var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
        let code = withUnsafeMutablePointer(to: &storage) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { getsockname(descriptor, $0, &length) }
        }
        guard code == 0, CInt(storage.ss_family) == AF_INET || CInt(storage.ss_family) == AF_INET6 else { return nil }
        // Both kinds of address have the port at the same place.
        return withUnsafeBytes(of: storage) { UInt16(bigEndian: $0.loadUnaligned(fromByteOffset: 2, as: UInt16.self)) }
    }

    private static func number(_ variable: String) -> Int? { getenv(variable).flatMap { Int(String(cString: $0)) } }
}

/// Ends of Unix sockets, for a program without a reactor.
enum UnixEnd {
    /// A connection to a listener of this user or of root; nil if there is none.
    static func connect(_ path: String) -> CInt? {
        guard let descriptor = made(path, Glibc.connect) else { return nil }
        var (pid, uid, gid) = (pid_t(), uid_t(), gid_t())
        guard kibo_peer_credentials(descriptor, &pid, &uid, &gid) == 0, uid == geteuid() || uid == 0 else {
            close(descriptor)
            return nil
        }
        return descriptor
    }

    static func listen(_ path: String) -> CInt? {
        guard let descriptor = made(path, Glibc.bind) else { return nil }
        guard Glibc.listen(descriptor, 64) == 0 else {
            close(descriptor)
            return nil
        }
        return descriptor
    }

    private static func made(_ path: String, _ call: (CInt, UnsafePointer<sockaddr>, socklen_t) -> CInt) -> CInt? {
        let bytes = Array(path.utf8)
        guard !bytes.isEmpty, bytes.count <= Limits.socketPathBytes, !bytes.contains(0) else { return nil }
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: bytes) }
        let descriptor = socket(AF_UNIX, CInt(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        guard descriptor >= 0 else { return nil }
        let code = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                call(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
        if code == 0 { return descriptor }
        let reason = errno
        close(descriptor)
        errno = reason
        return nil
    }
}
