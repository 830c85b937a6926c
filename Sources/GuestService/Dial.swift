import Basics
import Network
import Reactor

/// A connection that is handed on as soon as it is made.
@ReactorActor final class Dial: StreamHandler {
    private var socket: StreamSocket?
    private var done: (@ReactorActor (Descriptor?) -> Void)?

    /// - Parameters:
    ///   - way: how the address may be dialled.
    ///   - done: is called once, with nil if nobody answers there in time, or if it may not be dialled.
    init(
        _ address: SocketAddress, way: InterfaceChoice.Way, timeout: Duration,
        done: @escaping @ReactorActor (Descriptor?) -> Void
    ) {
        self.done = done
        var device: String?
        switch way {
        case .free: break
        case .through(let name): device = name
        case .barred:
            Reactor.shared.post { self.finish(nil) }
            return
        }
        do {
            socket = try StreamSocket.connect(
                to: address, through: device, timeout: timeout, handler: self)
        } catch {
            Reactor.shared.post { self.finish(nil) }
        }
    }

    func cancel() {
        done = nil
        socket?.close()
    }

    func streamDidConnect() {
        guard let descriptor = socket?.detach() else { return }
        finish(Descriptor(adopting: descriptor))
    }

    func streamDidReceive(_ bytes: ArraySlice<UInt8>) {}
    func streamDidEnd() {}
    func streamDidClose(_ error: SocketError?) { finish(nil) }

    private func finish(_ descriptor: Descriptor?) {
        socket = nil
        let done = done
        self.done = nil
        done?(descriptor)
    }
}
