import Basics
import ControlProtocol
import Reactor
import Runtime
import Vocabulary

/// One client of the control socket: lines in, answers and events out.
///
/// Requests run concurrently, one task each; they begin in the order in which they came, and what goes to the store goes
/// there in that order too. A client that doesn't read stops being read.
@ReactorActor final class ControlConnection: StreamHandler, Caller {
    private let environment: Environment
    private let handlers: Handlers
    private let log: Logger
    private let onClose: @ReactorActor (ControlConnection) -> Void
    private var socket: StreamSocket?
    private var framer = LineFramer()
    private lazy var lineDeadline = LineDeadline { [weak self] in
        guard let self else { return }
        environment.metrics.count(.clientsRefused, "line_time")
        refuse(.invalid, "a line was begun and not finished within 30 s")
    }
    private var tasks: [Int: Task<Void, Never>] = [:]
    private var nextTask = 0
    private var isPaused = false
    private var hasEnded = false
    let subscriptions: ClientSubscriptions
    /// What this client may hear and say.
    private(set) var role = Role.full
    var writes = 0
    let lane = AsyncMutex()

    init(
        file: CInt, handlers: Handlers, events: EventHub, onClose: @escaping @ReactorActor (ControlConnection) -> Void
    ) {
        environment = handlers.base.environment
        self.handlers = handlers
        self.onClose = onClose
        subscriptions = ClientSubscriptions(events: events)
        log = environment.log.labelled("control")
        socket = StreamSocket(adopting: file, handler: self)
        socket?.pauseReading()
    }

    /// The client's user, as the kernel tells.
    var user: UInt32? { socket?.peerCredentials?.uid }
    var isOpen: Bool { !hasEnded }
    var bufferedBytes: Int { socket?.bufferedBytes ?? 0 }

    func start() { socket?.resumeReading() }

    /// Tells the client why, and closes.
    func refuse(_ kind: Reason, _ message: String) {
        reply(RPCResponse(id: .null, error: RPCError(ControlError(kind, message, retryable: true))))
        closeAfterFlush()
    }

    func closeAfterFlush() {
        guard !hasEnded else { return }
        finish()
        socket?.closeAfterFlush(deadline: .seconds(1))
        socket = nil
    }

    func close() {
        guard !hasEnded else { return }
        finish()
        socket?.close()
        socket = nil
    }

    private func finish() {
        hasEnded = true
        lineDeadline.end()
        subscriptions.endAll()
        for task in tasks.values { task.cancel() }
        onClose(self)
    }

    /// Queues a line that ends in a newline.
    func send(_ line: [UInt8]) { send(line, with: nil) }

    private func send(_ line: [UInt8], with descriptor: Descriptor?) {
        guard !hasEnded, let socket else { return }
        if let descriptor { socket.send(line, with: descriptor) } else { socket.send(line) }
        if socket.bufferedBytes > ControlLimits.controlOutputLimit {
            environment.metrics.count(.clientsRefused, "not_reading")
            log.warning("a client that doesn't read was disconnected", [("waiting", "\(socket.bufferedBytes)")])
            close()
        } else {
            updateReading()
        }
    }

    /// Takes a role for good.
    /// - Throws: a refusal if the client has another one already that it can't leave.
    func assume(_ role: Role) throws {
        guard self.role == .full || role == self.role else {
            throw ControlError(.notAllowed, "this connection has role \(self.role.rawValue) for good", field: "role")
        }
        self.role = role
    }

    // MARK: Subscriptions

    func subscribe(_ make: (Int64) -> Subscription) throws -> Subscription {
        // The client may have gone while the request waited for the database.
        guard !hasEnded else { throw CancellationError() }
        return try subscriptions.add(make)
    }

    func has(_ subscription: Subscription) -> Bool { subscriptions.has(subscription) }

    // MARK: StreamHandler

    func streamDidConnect() {}

    func streamDidReceive(_ bytes: ArraySlice<UInt8>) {
        framer.append(bytes)
        var hasLine = false
        while !hasEnded, let line = framer.next() {
            hasLine = true
            switch line {
            case .line(let bytes): receive(line: bytes)
            case .tooLong:
                environment.metrics.count(.clientsRefused, "line_length")
                reply(RPCResponse(id: .null, error: .lineTooLong))
            }
        }
        // The line that is left has just begun.
        if hasLine { lineDeadline.end() }
        armLineDeadline()
        updateReading()
    }

    func streamDidEnd() {
        // A client may shut down its side and still wait for answers, and then wants nothing more.
        if tasks.isEmpty { closeAfterFlush() } else { endsWhenAnswered = true }
    }
    private var endsWhenAnswered = false

    func streamDidClose(_ error: SocketError?) { close() }
    func streamDidDrain() {
        updateReading()
        subscriptions.resume()
    }

    private func armLineDeadline() {
        if framer.hasPartialLine, !hasEnded { lineDeadline.begin() } else { lineDeadline.end() }
    }

    private func updateReading() {
        guard let socket else { return }
        let shouldPause =
            tasks.count >= ControlLimits.controlRequestsAtOnce
            || socket.bufferedBytes > ControlLimits.controlOutputHighMark
        if shouldPause != isPaused {
            isPaused = shouldPause
            // While we don't read, a client can't finish its line.
            if shouldPause {
                socket.pauseReading()
                lineDeadline.end()
            } else {
                socket.resumeReading()
                armLineDeadline()
            }
        }
    }

    // MARK: Requests

    private func receive(line: [UInt8]) {
        switch RPCIncoming(line: line) {
        case .single(.refused(let response)): reply(response)
        case .single(.request(let request)):
            run { [self] in
                guard let (response, descriptor) = await answer(request) else { return }
                reply(response, with: descriptor)
            }
        case .batch(let items):
            // Begin them here and not within the line's task, so that the next line's requests begin after them.
            let answers = items.map { begin($0) }
            run { [self] in
                var responses: [RPCResponse] = []
                for task in answers {
                    if let response = await task.value { responses.append(response) }
                }
                var out: [UInt8] = []
                RPCResponse.appendBatch(responses, to: &out)
                if !out.isEmpty { send(out) }
            }
        }
    }

    /// The requests of a batch run concurrently like any others; the answers keep their order.
    private func begin(_ item: RPCIncoming.Item) -> Task<RPCResponse?, Never> {
        Reactor.shared.task { [self] in
            switch item {
            case .refused(let response): response
            case .request(let request) where Catalogue.method(request.method)?.passesDescriptor == true:
                request.id.map { RPCResponse(id: $0, error: .descriptorInBatch(request.method)) }
            case .request(let request): await answer(request)?.response
            }
        }
    }

    /// One task for each line: the place for free-standing tasks that docs/decisions/0003 names.
    private func run(_ body: @escaping @ReactorActor () async -> Void) {
        let number = nextTask
        nextTask &+= 1
        tasks[number] = Reactor.shared.task { [weak self] in
            await body()
            self?.finished(number)
        }
    }

    private func finished(_ number: Int) {
        tasks[number] = nil
        updateReading()
        if endsWhenAnswered, tasks.isEmpty { closeAfterFlush() }
    }

    private func reply(_ response: RPCResponse, with descriptor: Descriptor? = nil) {
        var line: [UInt8] = []
        line.reserveCapacity(1024)
        response.appendLine(to: &line)
        send(line, with: descriptor)
    }

    /// - Throws: a refusal if as many descriptors wait for this client as may.
    func checkDescriptors() throws {
        guard let socket, socket.bufferedDescriptors < ControlLimits.descriptorsWaiting else {
            throw ControlError(.busy, "the client takes no descriptors")
        }
    }

    /// The response with the descriptor that goes with it, or nil for a notification.
    private func answer(_ request: RPCRequest) async -> (response: RPCResponse, descriptor: Descriptor?)? {
        do {
            let outcome = try await handlers.handle(request, on: self)
            return request.id.map {
                (RPCResponse(id: $0, result: role.hears(outcome.result, of: request.method)), outcome.descriptor)
            }
        } catch {
            let failure = RPCError(describing: error, method: request.method, log: log)
            environment.metrics.count(.requestsRefused, failure.word)
            return request.id.map { (RPCResponse(id: $0, error: role.hears(failure)), nil) }
        }
    }
}
