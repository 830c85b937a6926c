import Basics
import ControlProtocol
import Glibc
import Reactor

/// The socket on which `kibo web` asks for links and lists logins: JSON-RPC as on the control socket, with four methods of its
/// own: `web.link`, `web.open`, `web.logins`, `web.end`.
@ReactorActor final class Door {
    private let store: LoginStore
    private let configuration: WorkerConfiguration
    private let refusals: @ReactorActor () -> [String: Int]
    private var listener: StreamListener?
    private var visitors = 0

    /// - Parameters:
    ///   - configuration: where the page is.
    ///   - refusals: how many requests and connections the gateway has refused since its start, by reason.
    init(
        descriptor: CInt, store: LoginStore, configuration: WorkerConfiguration,
        refusals: @escaping @ReactorActor () -> [String: Int]
    ) throws(SocketError) {
        self.store = store
        self.configuration = configuration
        self.refusals = refusals
        listener = try StreamListener(adopting: descriptor) { [unowned self] fd, _ in accept(fd) }
    }

    func close() { listener?.pause() }

    private func accept(_ fd: CInt) {
        guard visitors < WebLimits.doorConnections else {
            Glibc.close(fd)
            return
        }
        visitors += 1
        Visitor(fd, answer: { [unowned self] in answer($0) }, gone: { [unowned self] in visitors -= 1 }).begin()
    }

    private func result(_ link: String) -> JSONValue {
        var result: JSONObject = ["link": .string(link)]
        result["moved"] = configuration.moved(unlessOld: store)
        return .object(result)
    }

    private func answer(_ request: RPCRequest) -> RPCResponse {
        let id = request.id ?? .null
        switch request.method {
        case "web.link":
            // For the eyes of the person who asks, not for the words of a command line.
            return RPCResponse(id: id, result: result(configuration.origin + "/#t=" + store.makeToken()))
        case "web.open":
            let place = request.params["go"]?.string ?? ""
            guard place.utf8.count <= WebLimits.placeCharacters,
                place.utf8.allSatisfy({ Route.isLetterOrDigit($0) || "-_/".utf8.contains($0) })
            else { return RPCResponse(id: id, error: .invalidParams("go is no place of the page", field: "go")) }
            let opening = "http://127.0.0.1:\(configuration.address.port)/go/"
            return RPCResponse(id: id, result: result(opening + store.makeTicket(to: place)))
        case "web.logins":
            let refused = JSONObject(refusals().sorted { $0.key < $1.key }.map { ($0.key, .integer(Int64($0.value))) })
            return RPCResponse(
                id: id,
                result: [
                    "logins": .array(store.logins.map { $0.json(current: false) }), "refused": .object(refused),
                ])
        case "web.end":
            guard let login = request.params["id"]?.string else {
                return RPCResponse(id: id, error: .invalidParams("id is missing", field: "id"))
            }
            return RPCResponse(id: id, result: ["ended": .integer(Int64(store.end(login)))])
        default: return RPCResponse(id: id, error: .methodNotFound(request.method))
        }
    }
}

/// One connection to the door.
@ReactorActor private final class Visitor: StreamHandler {
    private let descriptor: CInt
    private var socket: StreamSocket?
    private var framer = LineFramer(limit: WebLimits.doorBytes)
    private let answer: @ReactorActor (RPCRequest) -> RPCResponse
    private let gone: @ReactorActor () -> Void

    init(
        _ descriptor: CInt, answer: @escaping @ReactorActor (RPCRequest) -> RPCResponse,
        gone: @escaping @ReactorActor () -> Void
    ) {
        self.descriptor = descriptor
        self.answer = answer
        self.gone = gone
    }

    func begin() {
        let socket = StreamSocket(adopting: descriptor, handler: self)
        self.socket = socket
        if socket.peerCredentials?.uid != geteuid() { return socket.close() }
        // A visitor says what it wants at once.
        Reactor.shared.schedule(at: Reactor.shared.now + .seconds(WebLimits.headSeconds)) { [weak socket] in
            socket?.close()
        }
    }

    func streamDidReceive(_ bytes: ArraySlice<UInt8>) {
        framer.append(bytes)
        while let line = framer.next() {
            guard case .line(let bytes) = line, case .single(let item) = RPCIncoming(line: bytes) else {
                socket?.close()
                return
            }
            var out: [UInt8] = []
            switch item {
            case .request(let request): answer(request).appendLine(to: &out)
            case .refused(let response): response.appendLine(to: &out)
            }
            socket?.send(out)
        }
    }

    func streamDidEnd() { socket?.closeAfterFlush(deadline: .seconds(5)) }

    func streamDidClose(_ error: SocketError?) {
        socket = nil
        gone()
    }
}

extension Login {
    /// A login as lists show it.
    func json(current: Bool) -> JSONValue {
        [
            "id": .string(id), "createdAt": .integer(created.milliseconds), "usedAt": .integer(used.milliseconds),
            "agent": .string(agent), "current": .bool(current),
        ]
    }
}
