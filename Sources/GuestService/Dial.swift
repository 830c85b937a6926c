import Basics
import Reactor

/// A connection that is handed on as soon as it is made.
@ReactorActor final class Dial: StreamHandler {
    private var socket: StreamSocket?
    private var done: (@ReactorActor (Descriptor?) -> Void)?

    /// - Parameters:
    ///   - device: the name of the interface; nil for the one that the kernel chooses.
    ///   - done: is called once, with nil if nobody answers there in time.
    init(
        _ address: SocketAddress, through device: String?, timeout: Duration,
        done: @escaping @ReactorActor (Descriptor?) -> Void
    ) {
        self.done = done
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
