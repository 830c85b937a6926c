import Glibc

/// Ports that are not in use now.
public enum FreePort {
    /// A UDP port that is free on loopback. As a discovery port, it is a network of the test's own.
    /// - Throws: ``SystemError``.
    public static func udp() throws(SystemError) -> UInt16 { try find(SOCK_DGRAM) }

    /// A TCP port that is free on loopback.
    /// - Throws: ``SystemError``.
    public static func tcp() throws(SystemError) -> UInt16 { try find(SOCK_STREAM) }

    /// Not among those that a system gives to outgoing connections (from 32,768 on with Linux), so that no other
    /// program gets the port by chance before the test has it, and above those of a Kibo that the user runs.
    private static let range: ClosedRange<UInt16> = 15_500...19_999

    private static func find(_ kind: __socket_type) throws(SystemError) -> UInt16 {
        for _ in 0..<100 {
            let port = UInt16.random(in: range)
            if try isFree(port, kind) { return port }
        }
        throw SystemError("bind to loopback")
    }

    private static func isFree(_ port: UInt16, _ kind: __socket_type) throws(SystemError) -> Bool {
        let descriptor = socket(AF_INET, CInt(kind.rawValue) | CInt(SOCK_CLOEXEC.rawValue), 0)
        guard descriptor >= 0 else { throw SystemError("socket") }
        defer { close(descriptor) }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        return withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
            }
        }
    }
}
