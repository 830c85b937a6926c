import Glibc

/// Ports that are not in use now.
public enum FreePort {
    /// A UDP port that is free on loopback. As a discovery port, it is a network of the test's own.
    /// - Throws: ``SystemError``.
    public static func udp() throws(SystemError) -> UInt16 { try find(SOCK_DGRAM) }

    /// A TCP port that is free on loopback.
    /// - Throws: ``SystemError``.
    public static func tcp() throws(SystemError) -> UInt16 { try find(SOCK_STREAM) }

    private static func find(_ kind: __socket_type) throws(SystemError) -> UInt16 {
        let descriptor = socket(AF_INET, CInt(kind.rawValue) | CInt(SOCK_CLOEXEC.rawValue), 0)
        guard descriptor >= 0 else { throw SystemError("socket") }
        defer { close(descriptor) }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isKnown = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(descriptor, $0, length) == 0 && getsockname(descriptor, $0, &length) == 0
            }
        }
        guard isKnown else { throw SystemError("bind to loopback") }
        return UInt16(bigEndian: address.sin_port)
    }
}
