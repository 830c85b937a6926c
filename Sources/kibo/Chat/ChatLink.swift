import Basics
import ControlProtocol

/// The connection to the daemon, made again whenever it is lost. Requests go out with what they are for, answers come
/// back with it; nothing here waits.
final class ChatLink {
    /// The things that can come from the daemon.
    enum Arrival {
        case answer(ChatRequest, Result<JSONValue, RPCError>)
        case event(Event)
    }

    private let path: String
    private var client: ControlClient?
    private var requests: [Int64: ChatRequest] = [:]
    /// When to try again, while there is no connection.
    private(set) var retryAt: Instant?
    private var delay = firstDelay

    private static let firstDelay = Duration.milliseconds(200)
    private static let longestDelay = Duration.seconds(2)

    init(_ client: ControlClient) {
        self.client = client
        path = client.path
    }

    /// The descriptor to wait for; nil while there is no connection.
    var descriptor: CInt? { client?.descriptor }
    var hasOutput: Bool { client?.hasOutput ?? false }

    /// Tries to connect, if it is time to.
    ///
    /// - Returns: whether there is a new connection.
    func reconnect(at now: Instant) -> Bool {
        guard client == nil, now >= retryAt ?? now else { return false }
        client = try? ControlClient.connect(path: path)
        retryAt = client == nil ? now + delay : nil
        delay = client == nil ? min(delay * 2, Self.longestDelay) : Self.firstDelay
        return client != nil
    }

    /// Gives the connection up; the next is tried after a while.
    ///
    /// - Returns: the requests that will not be answered.
    func drop(at now: Instant) -> [ChatRequest] {
        defer { requests = [:] }
        client = nil
        retryAt = now + Self.firstDelay
        return Array(requests.values)
    }

    /// Puts a request on its way; if the connection is lost meanwhile, ``pump()`` says so.
    func send(_ method: String, _ params: JSONObject, _ request: ChatRequest) {
        guard let client, let id = try? client.send(method, params) else { return }
        requests[id] = request
    }

    /// Writes and reads what can be.
    ///
    /// - Returns: the arrivals, and whether the connection still stands.
    func pump() -> (arrivals: [Arrival], isAlive: Bool) {
        guard let client else { return ([], true) }
        var isAlive = true
        do { try client.pump() } catch { isAlive = false }
        var arrivals: [Arrival] = []
        // Answers first: the one to the subscription says from where on its events count.
        while let reply = client.bufferedReply() {
            guard case .integer(let id) = reply.id, let request = requests.removeValue(forKey: id) else { continue }
            switch reply.outcome {
            case .result(let value): arrivals.append(.answer(request, .success(value)))
            case .error(let error): arrivals.append(.answer(request, .failure(error)))
            }
        }
        while let event = client.bufferedEvent() { arrivals.append(.event(event)) }
        return (arrivals, isAlive)
    }

    /// Gets out what is to be said before leaving.
    func flush() { try? client?.flush(timeout: .milliseconds(300)) }
}
