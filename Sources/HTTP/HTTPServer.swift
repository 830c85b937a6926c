import Basics
import CMicrohttpd
import Glibc
import Reactor

/// What a server shows for itself in TLS.
package struct TLSIdentity: Sendable {
    /// The certificate in PEM.
    package let certificate: String
    /// Its private key in PEM, not encrypted.
    package let key: String

    package init(certificate: String, key: String) { (self.certificate, self.key) = (certificate, key) }
}

/// An HTTP server: the entrance in front, and libmicrohttpd on the reactor's thread. Its owner has the gate. It lives as long as
/// its process, which has to ignore SIGPIPE.
@ReactorActor package final class HTTPServer {
    /// What the owner says to a request whose head has come.
    package enum Begun {
        /// The gate doesn't let it in: the answer is there, and nothing else of the request counts.
        case refused
        /// The body is gathered or passed on; ``Exchange/whenComplete`` follows.
        case takesBody
        /// The answer comes, or came already; a body that follows is thrown away.
        case answers
        /// The connection rests until ``Exchange/wake()``, then the body comes.
        case waits
    }

    private let limits: HTTPLimits
    private let isSecure: Bool
    /// The fields that each answer has if it hasn't them itself.
    let common: [(name: String, value: String)]
    private let begin: @ReactorActor (Exchange, RequestHead) -> Begun
    private var library: OpaquePointer?
    private var watch: DescriptorWatch?
    private var timer: TimerToken?
    private var runsAgain = false
    private var listeners: [StreamListener] = []
    fileprivate let entrance: Entrance

    /// - Parameters:
    ///   - identity: for TLS; nil: the server speaks in the clear.
    ///   - common: the fields that each answer has if it hasn't them itself.
    ///   - objection: why a connection is not taken, as it is counted; nil if it is.
    ///   - begin: begins to answer a request. It sets the length of the body.
    package init(
        limits: HTTPLimits, identity: TLSIdentity? = nil, common: [(name: String, value: String)],
        objection: @escaping @ReactorActor (CInt) -> String?,
        begin: @escaping @ReactorActor (Exchange, RequestHead) -> Begun
    ) throws(SocketError) {
        self.limits = limits
        isSecure = identity != nil
        self.common = common
        self.begin = begin
        entrance = Entrance(limits: limits, objection: objection)
        var calls = Self.calls
        let context = Unmanaged.passUnretained(self).toOpaque()
        library = kibo_http_start(
            &calls, context, UInt32(limits.connections), limits.connectionMemory, limits.idleSeconds,
            identity?.certificate, identity?.key)
        guard library != nil else { throw .system("MHD_start_daemon", errno) }
        entrance.lead(to: library) { [unowned self] in runSoon() }
        watch = try DescriptorWatch(kibo_http_epoll(library)) { [unowned self] in run() }
    }

    /// Connections now.
    package var connections: Int { entrance.connections }

    /// How many requests and connections were refused, by reason.
    package var refusals: [String: Int] { entrance.refusals }

    /// Counts a request that the gate has refused.
    package func countRefusal(_ reason: String) { entrance.count(reason) }

    package func listen(on descriptor: CInt) throws(SocketError) {
        listeners.append(try StreamListener(adopting: descriptor) { [unowned self] fd, _ in entrance.accept(fd) })
    }

    // MARK: The library's turns

    /// Lets a connection that rests go on. The library has to be run for it: it doesn't wake itself.
    func resume(_ connection: OpaquePointer) {
        MHD_resume_connection(connection)
        runSoon()
    }

    /// Has the library look at its connections at the end of this turn.
    private func runSoon() {
        guard !runsAgain else { return }
        runsAgain = true
        Reactor.shared.afterThisTurn { [self] in
            runsAgain = false
            run()
        }
    }

    private func run() {
        MHD_run(library)
        entrance.libraryHasRun()
        timer?.cancel()
        timer = nil
        var milliseconds: UInt64 = 0
        guard MHD_get_timeout(library, &milliseconds) == .YES else { return }
        if milliseconds == 0 { return runSoon() }
        let wait = Duration.milliseconds(Int64(clamping: milliseconds))
        timer = Reactor.shared.schedule(at: Reactor.shared.now + wait) { [unowned self] in
            timer = nil
            run()
        }
    }

    // MARK: Requests

    fileprivate func access(
        _ connection: OpaquePointer, _ exchange: Exchange, method: UnsafePointer<CChar>, version: UnsafePointer<CChar>,
        bytes: UnsafeRawBufferPointer?
    ) -> Bool {
        if exchange.isAnswered { return true }
        if exchange.isAborted { return false }
        exchange.server = self
        guard exchange.isBegun else {
            return start(connection, exchange, method: method, version: version)
        }
        if let bytes {
            // A body is as long as its head has said; without a length there is none.
            guard exchange.taken + Int64(bytes.count) <= exchange.length ?? 0 else { return false }
            if !exchange.receive(bytes) { exchange.wait(connection) }
            sleepUntilMore(connection, exchange)
        }
        guard bytes == nil else { return true }
        // The library reports a head again if the connection was suspended before its body, and reports the end without bytes, too.
        if exchange.reportsHeadAgain {
            exchange.reportsHeadAgain = false
            if exchange.reply != nil, exchange.refusesEarly { return proceed(connection, exchange) }
            if exchange.isOpenEnded { return true }
        }
        guard exchange.isOpenEnded || exchange.taken >= exchange.length ?? 0 else { return true }
        let complete = exchange.whenComplete
        exchange.whenComplete = nil
        entrance.deadlines.set(connection, .request)
        complete?()
        return proceed(connection, exchange)
    }

    /// Keeps the program from waking for every few KiB of a large body, as a browser sends them. That is safe: the library
    /// holds no byte that it hasn't handed over, so whatever the program waits for is still to come. This must be
    /// repeated after each read. After a read that returned less than it asked for, the library waits for the next
    /// event of the kernel; and if the end came with the last bytes, there is no further event.
    private func sleepUntilMore(_ connection: OpaquePointer, _ exchange: Exchange) {
        // Below TLS there may be bytes in hand that were read and not opened yet.
        guard exchange.isLarge, !exchange.isOpenEnded, !isSecure else { return }
        let left = max(0, (exchange.length ?? 0) - exchange.taken)
        kibo_http_wake_for(connection, max(1, CInt(min(left, Int64(limits.wake)))))
    }

    private func start(
        _ connection: OpaquePointer, _ exchange: Exchange, method: UnsafePointer<CChar>, version: UnsafePointer<CChar>
    ) -> Bool {
        let head = RequestHead(
            connection, target: exchange.target, method: method, version: version, limit: limits.fields)
        let socket = kibo_http_socket(connection)
        (exchange.socket, exchange.peer) = (socket, SocketAddress(peerOf: socket)?.host)
        let begun = begin(exchange, head)
        if begun == .refused { return proceed(connection, exchange) }
        exchange.isBegun = true
        let hasBody = exchange.isOpenEnded || (exchange.length ?? 0) > 0
        let seconds = exchange.isLarge ? limits.largeBodySeconds : limits.bodySeconds
        entrance.deadlines.set(connection, .request, seconds: hasBody ? seconds : nil)
        switch begun {
        case .takesBody: return true
        // An answer that comes before the body ends the connection; one to a request without a body is sent a call later.
        case .answers: return hasBody ? proceed(connection, exchange) : true
        case .waits:
            if exchange.reply == nil {
                exchange.reportsHeadAgain = true
                exchange.wait(connection)
            }
            return true
        case .refused: return false
        }
    }

    private func proceed(_ connection: OpaquePointer, _ exchange: Exchange) -> Bool {
        guard let reply = exchange.reply else {
            exchange.wait(connection)
            return true
        }
        exchange.isAnswered = true
        return Answer.queue(reply, on: connection, of: self, slowReaderSeconds: limits.slowReaderSeconds)
    }

    fileprivate func requestEnded(_ connection: OpaquePointer, _ exchange: Exchange) {
        exchange.end()
        guard entrance.deadlines.isKnown(connection) else { return }
        // The next head may begin when it likes to, while the library waits for it; then it has its time.
        entrance.deadlines.set(connection, .between, seconds: limits.headSeconds + Int(limits.idleSeconds))
    }
}

// MARK: - The library's calls

extension HTTPServer {
    private nonisolated static func server(_ context: UnsafeMutableRawPointer?) -> HTTPServer? {
        context.map { Unmanaged<HTTPServer>.fromOpaque($0).takeUnretainedValue() }
    }

    private nonisolated static var calls: kibo_http_calls {
        kibo_http_calls(
            access: { context, connection, _, method, version, bytes, count, state in
                Lent((context, connection, method, version, bytes, count, state)).onReactor { lent in
                    let (context, connection, method, version, bytes, count, state) = lent
                    guard let server = HTTPServer.server(context), let connection, let method, let version,
                        let held = state?.pointee
                    else { return .NO }
                    let exchange = Unmanaged<Exchange>.fromOpaque(held).takeUnretainedValue()
                    let size = count?.pointee ?? 0
                    let piece = size > 0 ? UnsafeRawBufferPointer(start: bytes, count: size) : nil
                    count?.pointee = 0
                    let goesOn = server.access(connection, exchange, method: method, version: version, bytes: piece)
                    return goesOn ? .YES : .NO
                }
            },
            completed: { context, connection, state, _ in
                Lent((context, connection, state)).onReactor { context, connection, state in
                    guard let server = HTTPServer.server(context), let connection, let held = state?.pointee else {
                        return
                    }
                    state?.pointee = nil
                    server.requestEnded(connection, Unmanaged<Exchange>.fromOpaque(held).takeRetainedValue())
                }
            },
            connection: { context, connection, _, code in
                Lent((context, connection)).onReactor { context, connection in
                    guard let server = HTTPServer.server(context), let connection else { return }
                    code == .CONNECTION_NOTIFY_STARTED
                        ? server.entrance.began(connection) : server.entrance.ended(connection)
                }
            },
            begun: { _, target, _ in
                let address = Lent(target).onReactor { target in
                    let exchange = Exchange(target: target.map { String(cString: $0) } ?? "")
                    return UInt(bitPattern: Unmanaged.passRetained(exchange).toOpaque())
                }
                return UnsafeMutableRawPointer(bitPattern: address)
            })
    }
}
