import ControlProtocol
import Glibc
import HTTP
import Reactor

/// One piece of an upload: the daemon hands over a socket, and the bytes go into it as they come, without a wait for a disk. What came
/// before a break counts.
@ReactorActor final class PieceIntake: StreamHandler {
    private let exchange: Exchange
    private let offset: Int64
    private let ended: @ReactorActor () -> Void
    private var socket: StreamSocket?
    /// Bytes that were not handed to the socket yet. They are gathered so that the daemon isn't woken for every few KiB
    /// that a browser sends.
    private var gathered: [UInt8] = []
    private var isComplete = false
    /// The daemon's verdict on all the bytes.
    private var end: UploadEnd?

    /// - Parameter ended: nothing is written to this upload any more.
    init(_ exchange: Exchange, offset: Int64, ended: @escaping @ReactorActor () -> Void) {
        self.exchange = exchange
        self.offset = offset
        self.ended = ended
    }

    func begin(_ id: String, _ session: LoginSession) {
        exchange.intake = .dropped
        exchange.whenEnded = { [self] in stop() }
        session.call("upload.open", ["id": .string(id)]) { [self] outcome, descriptor in opened(outcome, descriptor) }
    }

    private func opened(_ outcome: RPCResponse.Outcome, _ descriptor: CInt?) {
        guard case .result(let result) = outcome, let descriptor, let received = result["received"]?.integer else {
            if let descriptor { close(descriptor) }
            if case .error(let error) = outcome { return exchange.answer(.refusal(error)) }
            return exchange.answer(.error(.failed))
        }
        guard !exchange.hasEnded, received == offset else {
            close(descriptor)
            return exchange.answer(.json(409, ["received": .integer(received)]))
        }
        socket = StreamSocket(adopting: descriptor, handler: self)
        exchange.intake = .passed { [self] in receive($0) }
        exchange.whenComplete = { [self] in complete() }
        exchange.wake()
    }

    /// - Returns: whether more may come at once.
    private func receive(_ bytes: UnsafeRawBufferPointer) -> Bool {
        guard let socket else { return true }
        gathered.append(contentsOf: bytes)
        if gathered.count >= WebLimits.pieceBatch { hand() }
        return socket.bufferedBytes <= WebLimits.pieceBacklog
    }

    private func hand() {
        guard !gathered.isEmpty else { return }
        socket?.send(gathered)
        gathered = []
        gathered.reserveCapacity(WebLimits.pieceBatch + WebLimits.connectionMemory)
    }

    private func complete() {
        isComplete = true
        hand()
        if let socket { socket.finish() } else { answer() }
    }

    private func answer() {
        switch end {
        case .written: exchange.answer(.json(200, ["received": .integer(offset + exchange.taken)]))
        case .tooMuch: exchange.answer(.error(.tooLarge))
        case .noSpace: exchange.answer(.error(.diskFull))
        case .failed: exchange.answer(.error(.failed))
        case nil: exchange.answer(.error(.away))
        }
    }

    /// The request is over.
    private func stop() {
        hand()
        socket?.closeAfterFlush(deadline: .seconds(WebLimits.pieceFlushSeconds))
        ended()
    }

    // MARK: StreamHandler

    func streamDidReceive(_ bytes: ArraySlice<UInt8>) { end = bytes.last.flatMap(UploadEnd.init) }

    func streamDidDrain() { exchange.wake() }

    func streamDidEnd() { socket?.close() }

    func streamDidClose(_ error: SocketError?) {
        socket = nil
        // A body that is under way is read to its end first: a browser reads no answer before.
        if isComplete { answer() } else { exchange.wake() }
    }
}
