import Basics
import CMicrohttpd
import Glibc
import Reactor

/// Ends connections inside the library that take too long, or that have to make room. The library's own timeout
/// measures only inactivity, so a head that arrives drop by drop needs this.
@ReactorActor final class ConnectionDeadlines {
    private let sweepSeconds: Int
    private var table = ConnectionTable<OpaquePointer>()
    /// When deadlines are looked at next.
    private var sweep: (timer: TimerToken, at: Instant)?
    /// Called for each connection that is ended because its deadline is over.
    var onEnd: @ReactorActor () -> Void = {}

    /// - Parameter sweepSeconds: seconds between two looks, at least.
    init(sweepSeconds: Int) { self.sweepSeconds = sweepSeconds }

    /// Connections now.
    var count: Int { table.count }

    func isKnown(_ connection: OpaquePointer) -> Bool { table.stage(of: connection) != nil }

    func forget(_ connection: OpaquePointer) { table.remove(connection) }

    /// - Parameter seconds: how long the connection may stay in this stage; nil for any time.
    func set(_ connection: OpaquePointer, _ stage: ConnectionTable<OpaquePointer>.Stage, seconds: Int? = nil) {
        // One that was told to end may say something before it hears it.
        guard table.stage(of: connection) != .ending else { return }
        table.set(connection, stage, until: seconds.map { Reactor.shared.now + .seconds($0) })
        if seconds != nil { sweepLater() }
    }

    /// Ends connections without a request, until there will be room for so many others.
    /// - Returns: how many more were ended.
    func makeRoom(for others: Int) -> Int {
        var ended = 0
        while table.count(of: .ending) < others, let connection = table.giveUp() {
            end(connection)
            ended += 1
        }
        return ended
    }

    private func end(_ connection: OpaquePointer) { shutdown(kibo_http_socket(connection), CInt(SHUT_RDWR)) }

    /// Looks at the deadlines when the first of them is over. A stream has none: a worker at rest isn't woken for it.
    private func sweepLater() {
        guard let first = table.next else { return }
        let next = max(first, Reactor.shared.now + .seconds(sweepSeconds))
        if let sweep, sweep.at <= next { return }
        sweep?.timer.cancel()
        let timer = Reactor.shared.schedule(at: next) { [unowned self] in
            sweep = nil
            for connection in table.due(Reactor.shared.now) {
                onEnd()
                end(connection)
            }
            sweepLater()
        }
        sweep = (timer, next)
    }
}
