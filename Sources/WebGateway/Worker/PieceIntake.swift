import ControlProtocol
import Glibc
import Reactor

/// One piece of an upload: the daemon opens the file, and the bytes go into it as they come. What came before a break
/// counts.
@ReactorActor final class PieceIntake {
    private let exchange: Exchange
    private let offset: Int64
    private let ended: @ReactorActor () -> Void
    private var descriptor: CInt?
    private var written: Int64 = 0
    private var failure: GatewayError?

    /// - Parameter ended: nothing is written to this upload any more.
    init(_ exchange: Exchange, offset: Int64, ended: @escaping @ReactorActor () -> Void) {
        self.exchange = exchange
        self.offset = offset
        self.ended = ended
    }

    func begin(_ id: String, _ session: LoginSession) {
        exchange.intake = .dropped
        exchange.whenEnded = { [self] in end() }
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
        self.descriptor = descriptor
        exchange.intake = .passed { [self] in take($0) }
        exchange.whenComplete = { [self] in complete() }
        exchange.wake()
    }

    private func take(_ bytes: UnsafeRawBufferPointer) {
        guard let descriptor, failure == nil else { return }
        var rest = bytes
        while !rest.isEmpty {
            let count = write(descriptor, rest.baseAddress, rest.count)
            if count < 0, errno == EINTR { continue }
            guard count > 0 else {
                failure = errno == ENOSPC || errno == EDQUOT ? .diskFull : .failed
                return
            }
            written += Int64(count)
            rest = UnsafeRawBufferPointer(rebasing: rest[count...])
        }
    }

    private func complete() {
        end()
        if let failure { return exchange.answer(.error(failure)) }
        exchange.answer(.json(200, ["received": .integer(offset + written)]))
    }

    private func end() {
        exchange.whenEnded = nil
        if let descriptor { close(descriptor) }
        descriptor = nil
        ended()
    }
}
