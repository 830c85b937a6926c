import ControlProtocol
import Glibc
import Reactor

/// A connection to the daemon on which the broker has said hello. Replies find their callers, events their subscriptions.
@ReactorActor final class DaemonConnection: StreamHandler {
    /// Gets the outcome of a call. If there is a descriptor, the callee owns it.
    typealias Answer = @ReactorActor (RPCResponse.Outcome, CInt?) -> Void

    private var socket: StreamSocket?
    private var framer = LineFramer(limit: ProtocolLimits.replyBytes)
    private var calls: [Int64: Answer] = [:]
    private var lastID: Int64 = 0
    private let heard: @ReactorActor (Int64, JSONObject) -> Void
    private let ended: @ReactorActor () -> Void

    /// - Parameters:
    ///   - heard: gets each event with the number of its subscription.
    ///   - ended: the line is over; calls without a reply have been told before.
    init(
        adopting descriptor: CInt, heard: @escaping @ReactorActor (Int64, JSONObject) -> Void,
        ended: @escaping @ReactorActor () -> Void
    ) {
        self.heard = heard
        self.ended = ended
        let socket = StreamSocket(adopting: descriptor, handler: self)
        socket.acceptDescriptors()
        self.socket = socket
    }

    /// Whether so much waits to be written that nothing should be added.
    var isFull: Bool { (socket?.bufferedBytes ?? 0) > WebLimits.lineBacklog }

    func call(_ method: String, _ params: JSONObject, _ answer: @escaping Answer) {
        guard let socket else { return answer(.error(GatewayError.away.rpc), nil) }
        lastID += 1
        calls[lastID] = answer
        var line: [UInt8] = []
        RPCRequest(id: .integer(lastID), method: method, params: params).append(to: &line)
        socket.send(line)
    }

    func close() { socket?.close() }

    // MARK: StreamHandler

    func streamDidReceive(_ bytes: ArraySlice<UInt8>) {
        framer.append(bytes)
        while socket != nil, let line = framer.next() {
            guard case .line(let bytes) = line,
                let json = try? JSONParser.parse(bytes, maximumBytes: ProtocolLimits.replyBytes)
            else { return close() }
            receive(json)
        }
    }

    private func receive(_ json: JSONValue) {
        if json["method"]?.string == Event.method {
            guard case .object(let event)? = json["params"], let subscription = event["subscription"]?.integer else {
                return
            }
            return heard(subscription, event)
        }
        guard let response = try? RPCResponse(json: json), case .integer(let id) = response.id else { return }
        var descriptor: CInt?
        if case .result(let result) = response.outcome, result["descriptor"]?.bool == true {
            descriptor = socket?.nextDescriptor()
        }
        guard let answer = calls.removeValue(forKey: id) else {
            if let descriptor { Glibc.close(descriptor) }
            return
        }
        answer(response.outcome, descriptor)
    }

    func streamDidEnd() { close() }

    func streamDidClose(_ error: SocketError?) {
        socket = nil
        let waiting = calls.sorted { $0.key < $1.key }
        calls = [:]
        for (_, answer) in waiting { answer(.error(GatewayError.away.rpc), nil) }
        ended()
    }
}
