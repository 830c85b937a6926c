import ControlProtocol
import Glibc
import LocalSend
import Reactor

/// The socket between the bridge and the daemon, which is its standard input and output. The process ends with it.
@ReactorActor final class Channel: StreamHandler {
    private var socket: StreamSocket?
    private var framer = LineFramer(limit: LocalSendLimits.lineBytes)
    private var bridge: Bridge?

    init() {
        let socket = StreamSocket(adopting: STDIN_FILENO, handler: self)
        self.socket = socket
        socket.acceptDescriptors()
    }

    func say(_ report: BridgeReport) {
        var line: [UInt8] = []
        JSONValue.object(report.line).append(to: &line)
        line.append(UInt8(ascii: "\n"))
        socket?.send(line)
    }

    private func obey(_ order: BridgeOrder) throws(SocketError) {
        guard let bridge else {
            guard case .begin(let role) = order else { exit(1) }
            let bridge = try Bridge(role, channel: self)
            self.bridge = bridge
            // Nothing of others was read yet.
            guard BridgeProgram.confine() else { exit(1) }
            say(.ready)
            return
        }
        guard order.hasDescriptor else { return bridge.obey(order) }
        guard let descriptor = socket?.nextDescriptor() else { exit(1) }
        try bridge.obey(order, with: descriptor)
    }

    // MARK: StreamHandler

    func streamDidReceive(_ bytes: ArraySlice<UInt8>) {
        framer.append(bytes)
        while let line = framer.next() {
            guard case .line(let bytes) = line,
                let json = try? JSONParser.parse(bytes, maximumBytes: LocalSendLimits.lineBytes),
                let order = BridgeOrder(line: json)
            else { exit(1) }
            do throws(SocketError) { try obey(order) } catch {
                say(.failed("\(error)"))
                socket?.closeAfterFlush(deadline: .seconds(1))
                return
            }
        }
    }

    func streamDidEnd() { exit(0) }
    func streamDidClose(_ error: SocketError?) { exit(0) }
}
