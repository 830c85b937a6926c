import Basics
import Threads
import Transfer

/// Which parts of files were sent since the daemon started, by transfer. A transfer that continues over another
/// connection finds its own record again, unless too many others have begun meanwhile.
package final class SentFiles: Sendable {
    private struct State {
        var files: [UUIDv7: SentChunks] = [:]
        /// The transfers in the order of their last use; the one used last stands last.
        var order: [UUIDv7] = []
    }

    private let state = Lock(State())

    func of(_ transfer: UUIDv7) -> SentChunks {
        state.withLock { state in
            state.order.removeAll { $0 == transfer }
            state.order.append(transfer)
            let chunks = state.files[transfer] ?? SentChunks()
            state.files[transfer] = chunks
            if state.order.count > TransferServiceLimits.sentFiles { state.files[state.order.removeFirst()] = nil }
            return chunks
        }
    }

    /// Call when a connection has ended. What was sent is of use only if the transfer goes on over another one, as after a
    /// pause.
    func ended(_ transfer: UUIDv7, _ result: Result<Void, TransferFailure>) {
        if case .failure(let failure) = result, failure.isRetryable || failure == .cancelled { return }
        state.withLock { state in
            state.files[transfer] = nil
            state.order.removeAll { $0 == transfer }
        }
    }
}
