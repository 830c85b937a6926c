import Basics
import Glibc

/// Sees what a ``ControlClient`` asks and what comes.
package protocol ControlWitness: AnyObject {
    /// A request goes out.
    func asked(_ method: String, _ params: JSONObject, id: RPCID)
    /// A line came; an error makes the client treat it as broken.
    func received(_ line: JSONValue) throws
}

/// A blocking client of the control socket, for one thread: the command line, tests, benchmarks.
///
/// ``call(_:_:timeout:)`` is request and reply in one. For many requests at once, ``send(_:_:)`` them all and take the
/// replies as they come with ``nextReply(timeout:)``. Events that come meanwhile wait for ``nextEvent(timeout:)``.
///
/// ```swift
/// let client = try ControlClient.connect(path: SocketPath.resolve())
/// let status = try client.call("system.status", as: DaemonStatus.init(json:))
/// ```
public final class ControlClient {
    /// Where the daemon was found; empty for an adopted socket.
    public let path: String
    /// A descriptor that ends any wait with ``ClientError/interrupted`` as soon as it is readable (a signalfd, say).
    /// Not owned.
    public var interruptDescriptor: CInt?
    /// Sees what is asked and what comes, for tests of the contract; nil for none.
    package var witness: (any ControlWitness)?
    /// Takes each line as it comes, instead of the code that reads it as a reply or an event. For benchmarks, whose own
    /// work must not be most of what they measure. Nil for none.
    package var takesLine: (([UInt8]) -> Void)?

    private let socket: UnixSocket
    private var framer = LineFramer(limit: ProtocolLimits.replyBytes)
    private var output: [UInt8] = []
    private var written = 0
    private var replies = Queue<RPCResponse>()
    /// Descriptors whose line is not complete yet.
    private var passed: [CInt] = []
    /// Descriptors that came with a reply, by its id.
    private var descriptors: [RPCID: CInt] = [:]
    private var events = Queue<Event>()
    private var lastID: Int64 = 0
    private var buffer = [UInt8](repeating: 0, count: 64 << 10)

    /// Connects to the daemon at a path.
    ///
    /// - Parameter patience: how long to try again while no program answers there, for a daemon that is just starting.
    /// - Throws: ``ClientError/noDaemon(path:reason:)``, ``ClientError/denied(path:)``, ``ClientError/foreignDaemon(path:uid:)``.
    public static func connect(path: String, patience: Duration = .zero) throws(ClientError) -> ControlClient {
        let deadline = SystemClocks().now + patience
        while true {
            do {
                return ControlClient(try UnixSocket.connect(path: path), path: path)
            } catch {
                guard case .noDaemon = error, SystemClocks().now < deadline else { throw error }
                Pause.milliseconds(5)
            }
        }
    }

    /// Speaks over a stream socket that is connected already, and owns it from here on.
    public convenience init(adopting descriptor: Int32) {
        self.init(UnixSocket(adopting: descriptor), path: "")
    }

    private init(_ socket: consuming UnixSocket, path: String) {
        self.socket = socket
        self.path = path
    }

    deinit { for descriptor in passed + descriptors.values { close(descriptor) } }

    // MARK: Requests

    /// Asks and waits for the answer.
    ///
    /// - Parameter timeout: nil to wait for ever.
    /// - Throws: ``ClientError/refused(_:)`` with what the daemon says, and everything that can go wrong on the way.
    @discardableResult
    public func call(
        _ method: String, _ params: JSONObject = [:], timeout: Duration? = nil
    ) throws(ClientError) -> JSONValue {
        try reply(to: try send(method, params), timeout: timeout)
    }

    /// As ``call(_:_:timeout:)``, with the result read as one of the contract's objects.
    public func call<Result>(
        _ method: String, _ params: JSONObject = [:], timeout: Duration? = nil,
        as read: (JSONValue) throws(ShapeError) -> Result
    ) throws(ClientError) -> Result {
        let json = try call(method, params, timeout: timeout)
        do { return try read(json) } catch { throw .broken("\(method): \(error)") }
    }

    /// As ``call(_:_:timeout:)``, for a method whose result has a descriptor.
    ///
    /// - Returns: the result, and the descriptor, which the caller closes.
    public func callForDescriptor(
        _ method: String, _ params: JSONObject = [:], timeout: Duration? = nil
    ) throws(ClientError) -> (result: JSONValue, descriptor: CInt) {
        let id = try send(method, params)
        let result = try reply(to: id, timeout: timeout)
        guard let descriptor = detachDescriptor(of: .integer(id)) else {
            throw .broken("\(method): no descriptor came with the result")
        }
        return (result, descriptor)
    }

    /// The descriptor that came with a reply, which the caller closes; nil if there is none.
    public func detachDescriptor(of id: RPCID) -> CInt? { descriptors.removeValue(forKey: id) }

    /// Puts a request on its way without waiting for the answer. What the socket doesn't take at once goes out during
    /// later calls, or with ``flush(timeout:)``.
    ///
    /// - Returns: the id that the reply will carry.
    @discardableResult
    public func send(_ method: String, _ params: JSONObject = [:]) throws(ClientError) -> Int64 {
        lastID += 1
        witness?.asked(method, params, id: .integer(lastID))
        RPCRequest(id: .integer(lastID), method: method, params: params).append(to: &output)
        // Small requests are gathered: one system call for many.
        if output.count - written >= 32 << 10 { try writeSome() }
        return lastID
    }

    /// Sends bytes as they are: for clients that write their own requests, and for tests of bad ones.
    public func sendRaw(_ bytes: some Sequence<UInt8>) throws(ClientError) {
        output.append(contentsOf: bytes)
        try writeSome()
    }

    /// Waits until everything that was sent is with the system.
    public func flush(timeout: Duration? = nil) throws(ClientError) {
        let deadline = deadline(timeout)
        while true {
            try writeSome()
            // A wait after the last byte would be one for the reply.
            guard hasOutput else { return }
            try wait(deadline)
        }
    }

    // MARK: Replies and events

    /// Waits for the reply to one request. Other replies stay for their own takers.
    public func reply(to id: Int64, timeout: Duration? = nil) throws(ClientError) -> JSONValue {
        let deadline = deadline(timeout)
        while true {
            if let response = replies.remove(where: { $0.id == .integer(id) }) {
                switch response.outcome {
                case .result(let value): return value
                case .error(let error): throw .refused(error)
                }
            }
            try step(deadline)
        }
    }

    /// Waits for the next reply, to whatever request.
    public func nextReply(timeout: Duration? = nil) throws(ClientError) -> RPCResponse {
        let deadline = deadline(timeout)
        while true {
            if let response = replies.removeFirst() { return response }
            try step(deadline)
        }
    }

    /// Waits for the next event of a subscription.
    ///
    /// - Returns: nil if none came in time.
    public func nextEvent(timeout: Duration? = nil) throws(ClientError) -> Event? {
        let deadline = deadline(timeout)
        while true {
            if let event = events.removeFirst() { return event }
            do {
                try step(deadline)
            } catch .timedOut {
                return nil
            }
        }
    }

    // MARK: Together with other descriptors

    /// The socket, for the caller's own poll(2). If it is readable, call ``pump()``; while ``hasOutput``, wait until it
    /// is writable too. Don't read, write or close it.
    public var descriptor: CInt { socket.descriptor }

    /// Whether something that was sent has not gone out yet.
    public var hasOutput: Bool { written < output.count }

    /// Writes and reads as much as is possible without waiting. ``bufferedReply()`` and ``bufferedEvent()`` return what came.
    public func pump() throws(ClientError) {
        try writeSome()
        try readSome()
    }

    /// A reply that is here already; nil for none.
    public func bufferedReply() -> RPCResponse? { replies.removeFirst() }

    /// An event that is here already; nil for none.
    public func bufferedEvent() -> Event? { events.removeFirst() }

    // MARK: Inside

    private func deadline(_ timeout: Duration?) -> Instant? { timeout.map { SystemClocks().now + $0 } }

    /// Writes and reads as much as is possible, after waiting for the first of either. It does both in turn, so that we
    /// never wait for a daemon that itself waits for us to read.
    private func step(_ deadline: Instant?) throws(ClientError) {
        try writeSome()
        try wait(deadline)
    }

    /// Waits until something can be read, or written if there is something to write, and reads what came.
    private func wait(_ deadline: Instant?) throws(ClientError) {
        let ready = try socket.wait(toWrite: hasOutput, until: deadline, interrupt: interruptDescriptor)
        if ready.canRead { try readSome() }
    }

    private func writeSome() throws(ClientError) {
        while hasOutput {
            let count: Int
            do {
                count = try socket.write(output[written...])
            } catch .disconnected {
                // The daemon's last words before it went may still be there, and say more than this error. Reading
                // finds them, and then the end.
                output.removeAll()
                written = 0
                return
            }
            if count == 0 { break }
            written += count
        }
        if !hasOutput {
            output.removeAll(keepingCapacity: output.count <= 1 << 20)
            written = 0
        } else if written > 1 << 20 {
            output.removeFirst(written)
            written = 0
        }
    }

    private func readSome() throws(ClientError) {
        guard let count = try socket.read(into: &buffer, passed: &passed) else { return }
        framer.append(buffer[..<count])
        while let line = framer.next() {
            switch line {
            case .line(let bytes): try receive(bytes)
            case .tooLong: throw .broken("a line of more than \(ProtocolLimits.replyBytes) bytes")
            }
        }
    }

    private func receive(_ line: [UInt8]) throws(ClientError) {
        if let takesLine { return takesLine(line) }
        do {
            let json = try JSONParser.parse(line, maximumBytes: ProtocolLimits.replyBytes)
            try witness?.received(json)
            if case .array(let elements) = json {
                for element in elements { replies.append(try RPCResponse(json: element)) }
            } else if json["method"]?.string == Event.method {
                events.append(try Event(json: json["params"] ?? .null))
            } else if json["method"] == nil {
                let response = try RPCResponse(json: json)
                if json["result"]?["descriptor"]?.bool == true {
                    guard !passed.isEmpty else { throw ClientError.broken("a descriptor is missing") }
                    descriptors[response.id] = passed.removeFirst()
                }
                replies.append(response)
            }
            // Any other notification is from a newer daemon and not for us.
        } catch let error as ClientError {
            throw error
        } catch {
            throw .broken("\(error)")
        }
    }
}
