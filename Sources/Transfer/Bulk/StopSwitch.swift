// Bulk: records and messages over a connected socket that another part of the program made, with blocking calls on the transfer's
// thread.
import Glibc
import Threads

/// Stops a transfer from another thread: remembers it and shuts the socket down, which ends every blocking call on it.
///
/// The socket is shut down and asked under the lock, because its number may mean another one once ``release()`` has returned.
final class StopSwitch: Sendable {
    private struct State {
        var isStopped = false
        var descriptor: CInt?
    }

    private let state = Lock(State())

    var isStopped: Bool { state.withLock { $0.isStopped } }

    /// From any thread, any number of times.
    func stop() {
        state.withLock {
            $0.isStopped = true
            if let descriptor = $0.descriptor { shutdown(descriptor, CInt(SHUT_RDWR)) }
        }
    }

    /// Guards a socket; shuts it down at once if stopped already.
    func guardSocket(_ socket: CInt) {
        state.withLock {
            $0.descriptor = socket
            if $0.isStopped { shutdown(socket, CInt(SHUT_RDWR)) }
        }
    }

    /// Asks something about the socket, while it is guarded.
    func ask<Answer: Sendable>(_ question: (CInt) -> Answer) -> Answer? {
        state.withLock { $0.descriptor.map(question) }
    }

    /// Is called before the socket is closed.
    func release() { state.withLock { $0.descriptor = nil } }
}
