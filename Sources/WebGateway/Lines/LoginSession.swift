import Basics
import ControlProtocol
import Glibc
import Reactor

/// All that one login has under way: a line to the daemon, requests, streams. The line is asked for when it is needed, and
/// ends when nothing has used it for a minute.
@ReactorActor final class LoginSession {
    private struct Waiting {
        let method: String
        let params: JSONObject
        let answer: DaemonConnection.Answer
    }

    private let source: LineSource
    private let released: @ReactorActor (LoginSession) -> Void
    private var line: DaemonConnection?
    private var isAsking = false
    private var waiting: [Waiting] = []
    private var streams: [EventStream] = []
    private var subscriptions: [Int64: EventStream] = [:]
    private var restTimer: TimerToken?
    private var retryTimer: TimerToken?
    /// Attempts since a stream was last subscribed.
    private var attempts = 0
    private var isOver = false
    /// Requests of pages that have no answer yet.
    private(set) var underWay = 0

    /// - Parameter released: nothing uses it any more; the owner may forget it.
    init(source: LineSource, released: @escaping @ReactorActor (LoginSession) -> Void) {
        self.source = source
        self.released = released
    }

    var hasLine: Bool { line != nil }
    var streamCount: Int { streams.count }

    // MARK: Requests

    /// Whether so many more requests may come.
    func mayTake(_ count: Int) -> Bool {
        underWay + count <= WebLimits.callsUnderWay && line?.isFull != true
    }

    /// Asks the daemon for a page.
    func call(_ method: String, _ params: JSONObject, _ answer: @escaping DaemonConnection.Answer) {
        underWay += 1
        restTimer?.cancel()
        send(method, params) { [weak self] outcome, descriptor in
            answer(outcome, descriptor)
            guard let self else { return }
            underWay -= 1
            restIfIdle()
        }
    }

    private func send(_ method: String, _ params: JSONObject, _ answer: @escaping DaemonConnection.Answer) {
        if let line { return line.call(method, params, answer) }
        guard !isOver else { return answer(.error(GatewayError.away.rpc), nil) }
        waiting.append(Waiting(method: method, params: params, answer: answer))
        ask()
    }

    // MARK: Streams

    func add(_ stream: EventStream) {
        restTimer?.cancel()
        streams.append(stream)
        if hasLine { stream.lineIsUp() } else { ask() }
    }

    func streamEnded(_ stream: EventStream) {
        streams.removeAll { $0 === stream }
        restIfIdle()
    }

    func subscribe(
        _ stream: EventStream, _ parameters: JSONObject, _ answer: @escaping @ReactorActor (RPCResponse.Outcome) -> Void
    ) {
        send("events.subscribe", parameters) { [weak self, weak stream] outcome, _ in
            if case .result(let result) = outcome, let number = result["subscription"]?.integer {
                self?.attempts = 0
                self?.subscriptions[number] = stream
                if stream == nil { self?.unsubscribe(number) }
            } else {
                self?.retryLater()
            }
            answer(outcome)
        }
    }

    func unsubscribe(_ subscription: Int64) {
        subscriptions[subscription] = nil
        line?.call("events.unsubscribe", ["subscription": .integer(subscription)]) { _, _ in }
    }

    // MARK: The line

    private func ask() {
        guard !isAsking, line == nil, !isOver else { return }
        isAsking = true
        source.ask(.line) { [self] _, descriptor in
            isAsking = false
            guard let descriptor else { return lineFailed() }
            guard !isOver else {
                close(descriptor)
                return
            }
            lineCame(descriptor)
        }
    }

    private func lineCame(_ descriptor: CInt) {
        let line = DaemonConnection(
            adopting: descriptor,
            heard: { [weak self] subscription, event in self?.subscriptions[subscription]?.heard(event) },
            ended: { [weak self] in self?.lineFailed() })
        self.line = line
        let requests = waiting
        waiting = []
        for request in requests { line.call(request.method, request.params, request.answer) }
        for stream in streams { stream.lineIsUp() }
        restIfIdle()
    }

    private func lineFailed() {
        line = nil
        subscriptions = [:]
        let requests = waiting
        waiting = []
        for request in requests { request.answer(.error(GatewayError.away.rpc), nil) }
        for stream in streams { stream.lineIsDown() }
        if !streams.isEmpty { retryLater() } else { restIfIdle() }
    }

    /// Streams that wait for the daemon try again soon.
    private func retryLater() {
        guard retryTimer == nil, !isOver else { return }
        attempts += 1
        let wait = min(attempts * WebLimits.lineRetryStep, WebLimits.longestLineRetry)
        retryTimer = Reactor.shared.schedule(at: Reactor.shared.now + .milliseconds(wait)) { [weak self] in
            guard let self else { return }
            retryTimer = nil
            guard !streams.isEmpty else { return restIfIdle() }
            if hasLine { for stream in streams { stream.lineIsUp() } } else { ask() }
        }
    }

    private func restIfIdle() {
        guard !isOver, underWay == 0, streams.isEmpty else { return }
        restTimer?.cancel()
        restTimer = Reactor.shared.schedule(at: Reactor.shared.now + .seconds(WebLimits.lineRest)) { [weak self] in
            self?.release()
        }
    }

    private func release() {
        guard !isOver else { return }
        isOver = true
        restTimer?.cancel()
        retryTimer?.cancel()
        line?.close()
        released(self)
    }

    /// Ends the session because the login is over. Streams are told; requests under way get no answer any more.
    func end() {
        for stream in streams { stream.end() }
        release()
    }
}
