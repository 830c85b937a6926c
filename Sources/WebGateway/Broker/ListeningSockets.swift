import CLinux
import ControlProtocol
import Glibc

/// The sockets on which the gateway listens: both loopbacks, or neither, and the door. A browser asks ::1 first, so that a
/// program that had it alone would be sent our cookie.
struct ListeningSockets {
    var internet: [CInt]
    let door: CInt
    let port: UInt16
    /// Identifies sockets that outlive the broker, as proof that the port was never free: the kernel numbers sockets
    /// and reuses no number until the host restarts. Nil for sockets that the broker has bound.
    var mark: String?

    /// Takes the sockets that the service manager has bound (sd_listen_fds(3)); nil if it has bound none.
    /// - Throws: `.foreignSockets` if they aren't those of the unit, such as one loopback alone or an address that
    ///   other hosts can reach.
    static func inherited() throws(GatewayFailure) -> ListeningSockets? {
        guard let process = number("LISTEN_PID"), process == Int(getpid()), let count = number("LISTEN_FDS"), count > 0
        else { return nil }
        var sockets: [CInt: (descriptor: CInt, port: UInt16)] = [:]
        var door: CInt?
        for descriptor in 3..<(3 + CInt(min(count, 8))) {
            _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
            guard option(descriptor, SO_ACCEPTCONN) == 1, option(descriptor, SO_TYPE) == CInt(SOCK_STREAM.rawValue)
            else {
                throw .foreignSockets
            }
            let family = option(descriptor, SO_DOMAIN)
            if family == AF_UNIX, door == nil {
                door = descriptor
            } else if let port = loopbackPort(of: descriptor), sockets[family ?? 0] == nil {
                sockets[family ?? 0] = (descriptor, port)
            } else {
                throw .foreignSockets
            }
        }
        guard let door, let four = sockets[AF_INET], sockets[AF_INET6].map({ $0.port == four.port }) ?? !hasIPv6()
        else {
            throw .foreignSockets
        }
        let internet = [four.descriptor] + (sockets[AF_INET6].map { [$0.descriptor] } ?? [])
        return ListeningSockets(internet: internet, door: door, port: four.port, mark: mark(of: internet))
    }

    /// Binds them: the port that browsers know, or the next one that is free on both loopbacks.
    /// - Parameter known: nil: none yet, and the first one is tried first.
    static func bound(known: UInt16?, door path: String) throws(GatewayFailure) -> ListeningSockets {
        let door = try bindDoor(path)
        do throws(GatewayFailure) {
            let (port, both) = try bindFree(known: known)
            return ListeningSockets(internet: both, door: door, port: port)
        } catch {
            close(door)
            throw error
        }
    }

    /// A port on both loopbacks.
    static func bindFree(known: UInt16?) throws(GatewayFailure) -> (port: UInt16, sockets: [CInt]) {
        if let known {
            // A gateway that was just killed may still hold the port. Moving is costly, because users are told that
            // another program has the port.
            for attempt in 0..<WebLimits.portTries {
                if attempt > 0 { poll(nil, 0, WebLimits.portPause) }
                if let both = bindBoth(known) { return (known, both) }
            }
        }
        for offset in 0..<WebLimits.ports {
            let (candidate, overflow) = (known ?? WebLimits.firstPort).addingReportingOverflow(offset)
            if overflow { break }
            if let both = bindBoth(candidate) { return (candidate, both) }
        }
        throw .noPort
    }

    /// Nil if another socket has one of them.
    static func bindBoth(_ port: UInt16) -> [CInt]? {
        guard let four = bind(AF_INET, port) else { return nil }
        guard hasIPv6() else { return [four] }
        if let six = bind(AF_INET6, port) { return [four, six] }
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
        if let problem = SocketPath.problem(with: folder) { throw .failed(problem) }
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

    /// Whether there is a ::1 on this host; where there is none, no other program can listen on it either.
    static func hasIPv6() -> Bool {
        guard let probe = bind(AF_INET6, 0) else { return errno != EAFNOSUPPORT && errno != EADDRNOTAVAIL }
        close(probe)
        return true
    }

    /// The mark of sockets; nil if the kernel doesn't tell enough. Without a mark no sockets count as those of before.
    private static func mark(of descriptors: [CInt]) -> String? {
        let file = open("/proc/sys/kernel/random/boot_id", O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { return nil }
        defer { close(file) }
        let boot = String(decoding: FileBytes.all(of: file, limit: 64) ?? [], as: UTF8.self).filter { !$0.isWhitespace }
        guard !boot.isEmpty else { return nil }
        var words = [boot]
        for descriptor in descriptors {
            var (number, size) = (UInt64(0), socklen_t(MemoryLayout<UInt64>.size))
            guard getsockopt(descriptor, SOL_SOCKET, SO_COOKIE, &number, &size) == 0, number != 0 else { return nil }
            words.append(String(number))
        }
        return words.joined(separator: ":")
    }

    private static func option(_ descriptor: CInt, _ name: CInt) -> CInt? {
        var (value, size) = (CInt(0), socklen_t(MemoryLayout<CInt>.size))
        return getsockopt(descriptor, SOL_SOCKET, name, &value, &size) == 0 ? value : nil
    }

    /// Nil for all but 127.0.0.1 and ::1.
    private static func loopbackPort(of descriptor: CInt) -> UInt16? {
        var storage = sockaddr_storage()
        var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
        let code = withUnsafeMutablePointer(to: &storage) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { getsockname(descriptor, $0, &length) }
        }
        guard code == 0 else { return nil }
        return withUnsafeBytes(of: storage) { bytes in
            let isOurs =
                switch CInt(storage.ss_family) {
                case AF_INET: bytes[4..<8].elementsEqual([127, 0, 0, 1])
                case AF_INET6: bytes[8..<24].elementsEqual([UInt8](repeating: 0, count: 15) + [1])
                default: false
                }
            // Both kinds of address have the port at the same place.
            return isOurs ? UInt16(bigEndian: bytes.loadUnaligned(fromByteOffset: 2, as: UInt16.self)) : nil
        }
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
        guard !bytes.isEmpty, bytes.count <= ProtocolLimits.socketPathBytes, !bytes.contains(0) else { return nil }
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
