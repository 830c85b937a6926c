import Basics
import CMicrohttpd
import Glibc
import Reactor

/// By when each connection must have said more. The library's timeout counts inactivity only: a head that drips needs this.
@ReactorActor final class ConnectionDeadlines {
    /// Nil while it isn't the connection's turn.
    private var deadlines: [OpaquePointer: Instant?] = [:]
    /// When deadlines are looked at next.
    private var sweep: (timer: TimerToken, at: Instant)?
    /// Called for each connection that is ended because its deadline is over.
    var onEnd: @ReactorActor (OpaquePointer) -> Void = { _ in }

    /// Connections now.
    var count: Int { deadlines.count }

    func isKnown(_ connection: OpaquePointer) -> Bool { deadlines[connection] != nil }

    func forget(_ connection: OpaquePointer) { deadlines[connection] = nil }

    /// - Parameter deadline: nil for none.
    func limit(_ connection: OpaquePointer, to deadline: Instant?) {
        deadlines[connection] = .some(deadline)
        if deadline != nil { sweepLater() }
    }

    /// Looks at the deadlines when the first of them is over. A stream has none: a worker at rest isn't woken for it.
    private func sweepLater() {
        guard let first = deadlines.values.compactMap(\.self).min() else { return }
        let next = max(first, Reactor.shared.now + .seconds(WebLimits.sweepSeconds))
        if let sweep, sweep.at <= next { return }
        sweep?.timer.cancel()
        let timer = Reactor.shared.schedule(at: next) { [unowned self] in
            sweep = nil
            let now = Reactor.shared.now
            for (connection, deadline) in deadlines where deadline.map({ $0 <= now }) == true {
                onEnd(connection)
                shutdown(kibo_http_socket(connection), CInt(SHUT_RDWR))
            }
            sweepLater()
        }
        sweep = (timer, next)
    }
}
