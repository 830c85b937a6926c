import Basics
import CLinux
import ControlProtocol
import Glibc
import LocalSend

/// The socket between the giver and the daemon, which is its standard input and output. The process ends with it.
final class GiverChannel {
    private var framer = LineFramer(limit: LocalSendLimits.lineBytes)
    /// Descriptors that came, for the orders that have one, in their order.
    private var descriptors: [CInt] = []
    private var buffer = [UInt8](repeating: 0, count: 64 << 10)

    /// Waits for the next order.
    func wait() -> GiveOrder? {
        while true {
            if let order = next() { return order }
            var entry = pollfd(fd: STDIN_FILENO, events: Int16(POLLIN), revents: 0)
            poll(&entry, 1, -1)
        }
    }

    /// Reads what is there.
    /// - Returns: the next order; nil if none is whole yet. A descriptor that comes with it is taken by ``takeDescriptor()``.
    func next() -> GiveOrder? {
        while true {
            if let line = framer.next() {
                guard case .line(let bytes) = line,
                    let json = try? JSONParser.parse(bytes, maximumBytes: LocalSendLimits.lineBytes),
                    let order = GiveOrder(line: json)
                else { exit(1) }
                return order
            }
            var descriptor: CInt = -1
            let count = kibo_receive_descriptor(STDIN_FILENO, &buffer, buffer.count, &descriptor)
            if descriptor >= 0 { descriptors.append(descriptor) }
            if count < 0, errno == EAGAIN { return nil }
            // The daemon has ended.
            guard count > 0 else { exit(0) }
            framer.append(buffer[..<count])
        }
    }

    /// The descriptor that came with the order that was returned last.
    func takeDescriptor() -> CInt {
        guard !descriptors.isEmpty else { exit(1) }
        return descriptors.removeFirst()
    }

    func say(_ report: GiveReport) {
        var line: [UInt8] = []
        JSONValue.object(report.line).append(to: &line)
        line.append(UInt8(ascii: "\n"))
        var rest = line[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { write(STDOUT_FILENO, $0.baseAddress, $0.count) }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { exit(0) }
            rest = rest.dropFirst(count)
        }
    }
}
