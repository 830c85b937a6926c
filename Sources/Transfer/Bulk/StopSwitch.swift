// Bulk: records and messages over a connected socket that the caller made, with blocking calls on the transfer's
// thread.
import Glibc
import Threads

/// Stops a transfer from another thread: remembers it and shuts the socket down, which ends every blocking call on it.
///
/// The socket is shut down and queried under the lock, because after ``release()`` its number may belong to another
/// socket.
final class StopSwitch: Sendable {
    private struct State {
        var isStopped = false
        var descriptor: CInt?
    }

    private let state = Lock(State())

    var isStopped: Bool { state.withLock { $0.isStopped } }

    /// Stops the transfer. Any thread may call it any number of times.
    func stop() {
        state.withLock {
            $0.isStopped = true
            if let descriptor = $0.descriptor { shutdown(descriptor, CInt(SHUT_RDWR)) }
        }
    }

    /// Guards a socket, and shuts it down at once if the transfer was stopped already.
    func guardSocket(_ socket: CInt) {
        state.withLock {
            $0.descriptor = socket
            if $0.isStopped { shutdown(socket, CInt(SHUT_RDWR)) }
        }
    }

    /// Asks a question about the socket while it is guarded; nil otherwise.
    func ask<Answer: Sendable>(_ question: (CInt) -> Answer) -> Answer? {
        state.withLock { $0.descriptor.map(question) }
    }

    /// Ends the guard. It must be called before the socket is closed.
    func release() { state.withLock { $0.descriptor = nil } }
}
