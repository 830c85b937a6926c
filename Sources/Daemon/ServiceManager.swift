import Basics
import Glibc
import Runtime

/// Tells systemd how the service is, after sd_notify(3): a datagram to the socket named in `NOTIFY_SOCKET`. Without that
/// variable every call does nothing.
struct ServiceManager: Sendable {
    private let path: String?

    init() { path = Paths.environment("NOTIFY_SOCKET") }

    func ready(_ status: String) { notify("READY=1\nSTATUS=\(status)") }
    /// Tells systemd that the start goes on, and may take `time` longer from now.
    func starting(_ status: String, within time: Duration) {
        notify("EXTEND_TIMEOUT_USEC=\(time.milliseconds * 1000)\nSTATUS=\(status)")
    }
    func stopping() { notify("STOPPING=1") }
    func reloading(at now: Instant) { notify("RELOADING=1\nMONOTONIC_USEC=\(now.nanoseconds / 1000)") }

    private func notify(_ text: String) {
        guard let path, path.utf8.count < 108 else { return }
        let socket = Glibc.socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        guard socket >= 0 else { return }
        defer { close(socket) }
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        var name = Array(path.utf8)
        // A leading @ stands for the abstract name space.
        if name.first == UInt8(ascii: "@") { name[0] = 0 }
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: name) }
        let length = socklen_t(MemoryLayout<sa_family_t>.size + name.count)
        let message = Array(text.utf8)
        _ = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                sendto(socket, message, message.count, CInt(MSG_NOSIGNAL), $0, length)
            }
        }
    }
}
