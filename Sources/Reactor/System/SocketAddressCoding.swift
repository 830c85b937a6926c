import Basics
import Glibc

/// Internet and Unix addresses in the kernel's form.
enum AddressCoding {
    static func family(_ address: SocketAddress) -> CInt {
        switch address.host {
        case .v4: AF_INET
        case .v6: AF_INET6
        }
    }

    /// Lends `address` as a sockaddr for a socket of `family`; an IPv4 address on an IPv6 socket takes its mapped form.
    static func with<R>(
        _ address: SocketAddress, family: CInt, _ body: (UnsafePointer<sockaddr>, socklen_t) -> R
    ) -> R {
        switch address.host {
        case .v4(let host) where family == AF_INET6:
            return withSix(high: 0, low: 0xFFFF_0000_0000 | UInt64(host), scope: 0, port: address.port, body)
        case .v6(let high, let low, let scope):
            return withSix(high: high, low: low, scope: scope, port: address.port, body)
        case .v4(let host):
            var four = sockaddr_in()
            four.sin_family = sa_family_t(AF_INET)
            four.sin_port = address.port.bigEndian
            four.sin_addr.s_addr = host.bigEndian
            return lend(&four, body)
        }
    }

    /// Lends a Unix path as a sockaddr.
    static func with<R>(
        unixPath path: String, _ body: (UnsafePointer<sockaddr>, socklen_t) -> R
    ) throws(SocketError) -> R {
        let bytes = Array(path.utf8)
        guard !bytes.isEmpty, bytes.count <= ReactorLimits.unixPathBytes, !bytes.contains(0) else {
            throw .unusablePath(path)
        }
        var unix = sockaddr_un()
        unix.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &unix.sun_path) { $0.copyBytes(from: bytes) }
        return lend(&unix, body)
    }

    /// The address that the kernel filled in; nil for a family without ports (Unix).
    static func decode(_ storage: sockaddr_storage) -> SocketAddress? {
        withUnsafeBytes(of: storage) { bytes in
            switch CInt(storage.ss_family) {
            case AF_INET:
                let four = bytes.loadUnaligned(as: sockaddr_in.self)
                return SocketAddress(
                    .v4(UInt32(bigEndian: four.sin_addr.s_addr)), port: UInt16(bigEndian: four.sin_port))
            case AF_INET6:
                let six = bytes.loadUnaligned(as: sockaddr_in6.self)
                return SocketAddress(
                    .from(six.sin6_addr, scope: six.sin6_scope_id), port: UInt16(bigEndian: six.sin6_port))
            default: return nil
            }
        }
    }

    /// The address that `call` (getsockname or getpeername) gives for `fd`.
    static func ask(
        _ fd: CInt, _ call: (CInt, UnsafeMutablePointer<sockaddr>, UnsafeMutablePointer<socklen_t>) -> CInt
    ) -> SocketAddress? {
        var storage = sockaddr_storage()
        var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
        let result = withUnsafeMutablePointer(to: &storage) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { call(fd, $0, &length) }
        }
        return result == 0 ? decode(storage) : nil
    }

    private static func withSix<R>(
        high: UInt64, low: UInt64, scope: UInt32, port: UInt16, _ body: (UnsafePointer<sockaddr>, socklen_t) -> R
    ) -> R {
        var six = sockaddr_in6()
        six.sin6_family = sa_family_t(AF_INET6)
        six.sin6_port = port.bigEndian
        six.sin6_scope_id = scope
        withUnsafeMutableBytes(of: &six.sin6_addr) {
            $0.storeBytes(of: high.bigEndian, as: UInt64.self)
            $0.storeBytes(of: low.bigEndian, toByteOffset: 8, as: UInt64.self)
        }
        return lend(&six, body)
    }

    private static func lend<T, R>(_ value: inout T, _ body: (UnsafePointer<sockaddr>, socklen_t) -> R) -> R {
        withUnsafePointer(to: &value) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { body($0, socklen_t(MemoryLayout<T>.size)) }
        }
    }
}

extension SocketAddress {
    /// The other side of a connected socket; nil if it has gone, or the socket is not one of IP.
    public init?(peerOf descriptor: CInt) {
        guard let address = AddressCoding.ask(descriptor, getpeername) else { return nil }
        self = address
    }
}
