import Basics
import ControlProtocol
import Foundation
import TestSupport
import Vocabulary

/// A control socket that answers from a script. The catalogue checks requests, as the daemon does, and answers, as the
/// tests with real daemons do: a command that asks for what the contract doesn't have fails its test, and so does a
/// script that answers what no daemon answers.
final class FakeDaemon: @unchecked Sendable {
    // All threads use `handlers`, `rawHandlers` and `log`, which are behind `lock`.
    typealias Handler = (Parameters, Connection) throws -> JSONValue

    /// The client's side of a handler.
    final class Connection {
        fileprivate var after: [UInt8] = []

        /// Sends a recorded event once the reply is out, with these fields in place of the recorded ones; see
        /// ``Recorded/event(_:_:_:seq:at:isHostile:)``.
        func push(_ type: EventType, _ data: JSONValue, change: ChangeKind? = nil, isHostile: Bool = false) {
            push(Recorded.event(type, data, change, isHostile: isHostile))
        }

        /// Sends this event once the reply is out.
        func push(_ event: Event) { event.appendLine(to: &after) }
    }

    /// An answer to `events.subscribe`.
    static let subscribed: JSONValue = [
        "subscription": 1, "next": 1, "oldest": 1, "epoch": "019ac0de-0000-7000-8000-00000000000e",
    ]

    let path: String
    private let directory: String
    private let listener: CInt
    private var handlers: [String: Handler] = [:]
    private var rawHandlers: [String: (JSONObject, Connection) throws -> JSONValue] = [:]
    private var unchecked: Set<String> = []
    private let lock = NSLock()
    private var log: [(method: String, params: JSONObject)] = []

    init() {
        directory = NSTemporaryDirectory() + "kibo-fake-\(UUID().uuidString.prefix(8))"
        mkdir(directory, 0o700)
        path = directory + "/s"
        listener = socket(AF_UNIX, CInt(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
        _ = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(listener, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
        listen(listener, 4)
        answer("system.hello") { _, _ in DaemonHello(version: "9.9", protocol: 1, account: Cast.own).json }
        answer("events.subscribe") { _, _ in FakeDaemon.subscribed }
        answer("contact.list") { params, _ in
            let relation = params.optionalString("relation")
            return [
                "contacts": .array(
                    Cast.contacts.filter { relation == nil || $0.relation.rawValue == relation }.map(\.json))
            ]
        }
        answer("peer.list") { _, _ in ["peers": .array(Cast.peers.map(\.json))] }
        answer("conversation.list") { _, _ in ["conversations": .array(Cast.conversations.map(\.json))] }
        answer("group.list") { _, _ in ["groups": []] }
        answer("transfer.list") { _, _ in ["transfers": .array(Cast.transfers.map(\.json))] }
        answer("transfer.get") { params, _ in
            guard let transfer = Cast.transfers.first(where: { $0.id == params.string("id") }) else {
                throw RPCError(ControlError(.notFound, "there is no such transfer"))
            }
            return transfer.json
        }
        answerNames()
        Thread { [weak self, listener] in
            while true {
                let descriptor = accept(listener, nil, nil)
                guard descriptor >= 0, let self else { break }
                // Each client has a thread: one that keeps its connection must not hold up the next.
                Thread { self.serve(descriptor) }.start()
            }
            // The socket is closed here and nowhere else, so that the number can't come to mean another one.
            close(listener)
        }.start()
    }

    deinit {
        shutdown(listener, CInt(SHUT_RDWR))
        unlink(path)
        rmdir(directory)
    }

    /// Sets the answer to a method from now on.
    func answer(_ method: String, _ handler: @escaping Handler) {
        lock.withLock { handlers[method] = handler }
    }

    /// The same for a method whose parameters this catalogue may not have yet.
    ///
    /// - Parameter isNewer: the method is in this catalogue, but not all of its parameters are.
    func answerRaw(
        _ method: String, isNewer: Bool = false,
        _ handler: @escaping (JSONObject, Connection) throws -> JSONValue
    ) {
        lock.withLock {
            rawHandlers[method] = handler
            if isNewer { unchecked.insert(method) }
        }
    }

    /// The daemon's own answer, for answers that are made of others.
    func ask(_ method: String, _ params: JSONObject = [:]) throws -> JSONValue {
        guard let handler = lock.withLock({ handlers[method] }) else { throw RPCError.methodNotFound(method) }
        return try handler(try Catalogue.validate(method: method, params: params), Connection())
    }

    /// The parameters of each request of a method so far.
    func requests(_ method: String) -> [JSONObject] {
        lock.withLock { log.filter { $0.method == method }.map(\.params) }
    }

    /// All methods that were asked for, in order.
    var methods: [String] { lock.withLock { log.map(\.method) } }

    private func serve(_ descriptor: CInt) {
        defer { close(descriptor) }
        var framer = LineFramer()
        var buffer = [UInt8](repeating: 0, count: 65_536)
        while true {
            let count = read(descriptor, &buffer, buffer.count)
            if count <= 0 { return }
            framer.append(buffer[..<count])
            while case .line(let line)? = framer.next() {
                guard case .single(.request(let request)) = RPCIncoming(line: line) else { return }
                lock.withLock { log.append((request.method, request.params)) }
                let connection = Connection()
                var out: [UInt8] = []
                respond(to: request, connection).appendLine(to: &out)
                out += connection.after
                _ = out.withUnsafeBytes { send(descriptor, $0.baseAddress, $0.count, CInt(MSG_NOSIGNAL)) }
            }
        }
    }

    private func respond(to request: RPCRequest, _ connection: Connection) -> RPCResponse {
        let id = request.id ?? .null
        do {
            if let handler = lock.withLock({ rawHandlers[request.method] }) {
                // The catalogue checks the methods that it has all the same.
                let isChecked = !lock.withLock { unchecked.contains(request.method) }
                if isChecked, Catalogue.method(request.method) != nil { _ = try Catalogue.validate(request) }
                return RPCResponse(id: id, result: try handler(request.params, connection))
            }
            let params = try Catalogue.validate(request)
            guard let handler = lock.withLock({ handlers[request.method] }) else {
                throw RPCError.methodNotFound(request.method)
            }
            let result = try handler(params, connection)
            try ContractCheck.check(result: result.harmless, of: request.method)
            return RPCResponse(id: id, result: result)
        } catch let error as RPCError {
            return RPCResponse(id: id, error: error)
        } catch let error as ControlError {
            return RPCResponse(id: id, error: RPCError(error))
        } catch {
            return RPCResponse(id: id, error: RPCError(ControlError(.internal, "\(error)")))
        }
    }
}

extension JSONValue {
    /// Without characters that no daemon lets through: tests have them to see that the command line doesn't either.
    fileprivate var harmless: JSONValue {
        switch self {
        case .string(let text):
            let plain = text.unicodeScalars.map { scalar -> Character in
                [.control, .format].contains(scalar.properties.generalCategory) ? "x" : Character(scalar)
            }
            return .string(String(plain))
        case .array(let elements): return .array(elements.map(\.harmless))
        case .object(let object):
            var result = JSONObject()
            for field in object.fields { result[field.name] = field.value.harmless }
            return .object(result)
        default: return self
        }
    }
}

/// The people, chats and files that the scripts speak of.
enum Cast {
    static let own = account(1)
    static let anna = account(2)
    static let annabel = account(3)
    static let bob = account(4)
    static let hostile = account(5)
    static let chat = "019ac0de-0000-7000-8000-000000000001"
    static let report = "019ac0de-1111-7000-8000-000000000001"
    static let photos = "019ac0de-1112-7000-8000-000000000002"
    static let song = "019ac0df-0000-7000-8000-000000000003"
    /// 2025-06-15 12:00:00 UTC.
    static let noon: Int64 = 1_749_988_800_000

    static func account(_ byte: UInt8) -> String {
        AccountID(bytes: [UInt8](repeating: byte, count: 32))?.description ?? ""
    }

    static let contacts = [
        Contact(id: anna, displayName: "Anna", relation: .friend, presence: .online, conversation: chat),
        Contact(id: annabel, displayName: "Annabel", alias: "Bella", relation: .friend, lastSeen: noon - 300_000),
        Contact(id: bob, displayName: "Bob", relation: .incoming, note: "from the workshop"),
    ]
    static let peers = [
        Peer(
            account: anna, device: "kibodev1a", displayName: "Anna", address: "127.0.0.1:1", relation: .friend,
            lastHeard: noon - 2_000),
        Peer(
            account: hostile, device: "kibodev1h", displayName: "Mal\u{1B}[2Jlory\u{202E}", address: "127.0.0.1:2",
            relation: .none, lastHeard: noon - 90_000),
    ]
    static func message(_ text: String, _ state: MessageState, attachments: [Attachment] = []) -> Message {
        Message(
            id: "019ac0de-2222-7000-8000-000000000001", conversation: chat, sender: own, text: text, sentAt: noon,
            position: "p1", state: state, recipients: [.init(id: anna, state: state, at: noon)],
            attachments: attachments)
    }
    static let conversations = [
        Conversation(
            id: chat, kind: .direct, title: "Anna", contact: anna, unread: 2,
            lastMessage: Cast.message("see you\nlater", .delivered), updatedAt: noon)
    ]
    static let transfers = [
        transfer(song, "song.mp3", .outgoing, .active, done: 512),
        transfer(photos, "photos", .incoming, .offered), transfer(report, "report.pdf", .incoming, .offered),
    ]
    static func transfer(
        _ id: String, _ name: String, _ direction: TransferDirection, _ state: TransferState, done: Int64 = 0,
        path: String? = nil
    ) -> Transfer {
        Transfer(
            id: id, direction: direction, peer: anna, name: name, size: 1024, bytesDone: done,
            rate: state == .active ? 256 : 0, secondsLeft: state == .active ? 2 : nil, state: state, path: path,
            createdAt: noon)
    }
}
