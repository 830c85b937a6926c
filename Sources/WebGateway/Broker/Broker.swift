import CLinux
import ControlProtocol
import Glibc

/// The broker: has the listening sockets, starts the worker when a connection comes, and gives it lines to the daemon. It
/// reads no byte of the web.
struct Broker {
    private let places: GatewayPlaces
    private let sockets: ListeningSockets
    private let worker: WorkerConfiguration
    private let program: String
    private let logins: CInt
    private let starter: DaemonStarter
    /// Whether the service manager holds the sockets, so that the broker may end with its worker.
    private let isStartedOnDemand: Bool

    init(places: GatewayPlaces, assets: String?) throws(GatewayFailure) {
        self.places = places
        program = try Self.ownPath()
        let current = try places.knownAddress()
        if let inherited = try ListeningSockets.inherited() {
            sockets = inherited
            isStartedOnDemand = true
        } else {
            sockets = try ListeningSockets.bound(known: current?.port, door: places.door)
            isStartedOnDemand = false
        }
        let address = try places.settle(current, sockets)
        logins = try places.openLogins()
        starter = DaemonStarter(places)
        worker = WorkerConfiguration(
            address: address, listeners: sockets.internet.count, assets: assets ?? Assets.directory(beside: program),
            command: starter.command)
    }

    static func ownPath() throws(GatewayFailure) -> String {
        var path = [CChar](repeating: 0, count: ProtocolLimits.pathBytes + 1)
        let count = readlink("/proc/self/exe", &path, path.count)
        guard count > 0 else { throw .system("find this program") }
        return String(decoding: path[..<count].map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    /// Serves until the service manager's worker has nothing more to do, or for ever.
    func run() -> Int32 {
        while true {
            if !isStartedOnDemand { waitForConnection() }
            let status = serve()
            if status == 0 {
                if isStartedOnDemand { return 0 }
            } else {
                WebLog.write("the worker has ended with \(status); another one is started")
                sleep(WebLimits.restartPause)
            }
        }
    }

    private func waitForConnection() {
        var waits = (sockets.internet + [sockets.door]).map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
        while poll(&waits, nfds_t(waits.count), -1) <= 0 {}
    }

    /// Runs one worker to its end: its exit status, or 128 and its signal.
    private func serve() -> Int32 {
        var ends: [CInt] = [-1, -1]
        guard socketpair(AF_UNIX, CInt(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0, &ends) == 0 else { return 1 }
        let pid = start(ends[1])
        close(ends[1])
        defer { close(ends[0]) }
        guard pid > 0 else { return 1 }
        // This goes over the socket, because all users can read a command line.
        let words = worker.line
        if send(ends[0], words, words.count, CInt(MSG_NOSIGNAL)) != words.count { kill(pid, SIGKILL) }
        var sign: UInt8 = 0
        while true {
            let count = read(ends[0], &sign, 1)
            if count < 0, errno == EINTR { continue }
            guard count == 1 else { break }
            guard let question = BrokerSign.Question(rawValue: sign) else {
                // A worker that says something else is not trusted any more.
                kill(pid, SIGKILL)
                break
            }
            guard answer(question, to: ends[0]) else { break }
        }
        var status: CInt = 0
        while waitpid(pid, &status, 0) < 0, errno == EINTR {}
        return status & 0x7F == 0 ? status >> 8 & 0xFF : 128 + status & 0x7F
    }

    private func start(_ channel: CInt) -> pid_t {
        // Under the worker's filter the backtracer would spin for ever.
        // With one arena malloc never shrinks the heap of a thread: before that, glibc reads a file of /proc, which
        // kills the worker.
        var environment = ["SWIFT_BACKTRACE=enable=no", "MALLOC_ARENA_MAX=1", "LC_ALL=C.UTF-8", "TZ=UTC"]
        if let stream = getenv("JOURNAL_STREAM") { environment.append("JOURNAL_STREAM=" + String(cString: stream)) }
        let descriptors = [channel, logins, sockets.door] + sockets.internet
        return CommandWords.with([program, WorkerConfiguration.word]) { arguments in
            CommandWords.with(environment) {
                kibo_spawn_inheriting(program, arguments, $0, descriptors, CInt(descriptors.count))
            }
        }
    }

    /// Answers the worker.
    /// - Returns: false if it hears nothing any more.
    private func answer(_ question: BrokerSign.Question, to worker: CInt) -> Bool {
        switch question {
        case .line:
            let line = Greeting.line(to: places.control)
            defer { if let line { close(line) } }
            return say(line == nil ? .no : .yes, line, to: worker)
        case .startable: return say(starter.isStartable() ? .yes : .no, nil, to: worker)
        case .start: return say(starter.start() ? .yes : .no, nil, to: worker)
        }
    }

    private func say(_ answer: BrokerSign.Answer, _ line: CInt?, to worker: CInt) -> Bool {
        var sign = answer.rawValue
        while kibo_send_descriptor(worker, &sign, 1, line ?? -1) != 1 {
            guard errno == EAGAIN else { return false }
            var wait = pollfd(fd: worker, events: Int16(POLLOUT), revents: 0)
            poll(&wait, 1, -1)
        }
        return true
    }
}

/// The first words on a connection to the daemon.
enum Greeting {
    /// A connection on which the daemon has answered them; nil if it doesn't answer.
    static func line(to path: String) -> CInt? {
        guard let descriptor = UnixEnd.connect(path) else { return nil }
        if greet(descriptor) { return descriptor }
        close(descriptor)
        return nil
    }

    private static func greet(_ descriptor: CInt) -> Bool {
        var line: [UInt8] = []
        let params: JSONObject = [
            "client": "kibo-web", "version": .string(ControlProtocol.productVersion), "role": "web",
        ]
        RPCRequest(id: .integer(0), method: "system.hello", params: params).append(to: &line)
        guard send(descriptor, line, line.count, CInt(MSG_NOSIGNAL)) == line.count else { return false }
        // Nothing follows the answer, because nothing else was asked, so this can't read bytes that are meant for
        // others.
        var answer: [UInt8] = []
        while answer.last != UInt8(ascii: "\n") {
            var wait = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
            let ready = poll(&wait, 1, WebLimits.greetingSeconds * 1_000)
            if ready < 0, errno == EINTR { continue }
            var buffer = [UInt8](repeating: 0, count: 4_096)
            guard ready > 0, answer.count <= ProtocolLimits.lineBytes else { return false }
            let count = recv(descriptor, &buffer, buffer.count, 0)
            guard count > 0 else { return false }
            answer += buffer[..<count]
        }
        guard let json = try? JSONParser.parse(answer), let reply = try? RPCResponse(json: json) else { return false }
        switch reply.outcome {
        case .result: return true
        case .error(let error):
            WebLog.write("the daemon refuses the gateway: \(error.message)")
            return false
        }
    }
}
