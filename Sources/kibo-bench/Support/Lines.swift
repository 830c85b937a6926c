import Basics
import ControlProtocol
import Glibc

extension ControlClient {
    /// Waits for the next line and returns it as it came: what reads it would be measured, too.
    /// - Throws: ``ClientError/timedOut``.
    func line(timeout: Duration) throws -> [UInt8] {
        let deadline = SystemClocks().now + timeout
        var line: [UInt8]?
        takesLine = { line = $0 }
        defer { takesLine = nil }
        while true {
            try pump()
            if let line { return line }
            guard SystemClocks().now < deadline else { throw ClientError.timedOut }
            wait()
        }
    }

    /// Waits a moment until something arrives or, if that is wanted, can be written.
    func wait() {
        var socket = pollfd(fd: descriptor, events: Int16(POLLIN | (hasOutput ? POLLOUT : 0)), revents: 0)
        _ = poll(&socket, 1, 100)
    }
}
