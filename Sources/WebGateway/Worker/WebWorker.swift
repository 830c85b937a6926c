import Basics
import CLinux
import ControlProtocol
import Crypto
import Glibc
import HTTP
import Reactor

/// The worker: answers what came through the gate.
@ReactorActor final class WebWorker {
    private let configuration: WorkerConfiguration
    private let assets: Assets
    private let store: LoginStore
    private let gate: Gate
    private var source: LineSource?
    private var server: HTTPServer?
    private var door: Door?
    /// The session of each login, by the login's place.
    private var sessions: [Int: LoginSession] = [:]
    private static let limits = HTTPLimits(
        connections: WebLimits.connections, waiting: WebLimits.waiting, fields: WebLimits.fields,
        connectionMemory: WebLimits.connectionMemory, silentSeconds: WebLimits.silentSeconds,
        headSeconds: WebLimits.headSeconds, roomSeconds: WebLimits.roomSeconds, idleSeconds: WebLimits.idleSeconds,
        slowReaderSeconds: WebLimits.slowReaderSeconds, bodySeconds: WebLimits.bodySeconds,
        largeBodySeconds: WebLimits.pieceSeconds, sweepSeconds: WebLimits.sweepSeconds, wake: WebLimits.pieceWake)
    /// Uploads that are receiving a piece now.
    private var uploads: Set<String> = []
    private var lastUse = Reactor.shared.now

    init(_ configuration: WorkerConfiguration, assets: Assets, diagnosis: CInt) throws(SocketError) {
        self.configuration = configuration
        self.assets = assets
        store = LoginStore(file: WorkerConfiguration.logins)
        gate = Gate(name: configuration.address.name, port: configuration.address.port)
        store.whenEnded = { [unowned self] place in sessions.removeValue(forKey: place)?.end() }
        store.endOld()
        source = try LineSource(descriptor: WorkerConfiguration.broker) { exit(0) }
        server = try HTTPServer(
            limits: Self.limits, common: Reply.common,
            objection: { fd in
                // Only this user's programs get in.
                var uid = uid_t()
                return kibo_tcp_owner(diagnosis, fd, &uid) == 0 && uid == geteuid() ? nil : "uid"
            },
            begin: { [unowned self] in begin($0, $1) })
        door = try Door(descriptor: WorkerConfiguration.door, store: store, configuration: configuration) {
            [unowned self] in server?.refusals ?? [:]
        }
    }

    /// Begins to accept.
    func start() throws(SocketError) {
        for index in 0..<configuration.listeners {
            try server?.listen(on: WorkerConfiguration.firstListener + CInt(index))
        }
        restLater()
    }

    /// Ends the worker when no browser has used it for ten minutes; the next connection starts another one.
    private func restLater() {
        Reactor.shared.schedule(at: Reactor.shared.now + .seconds(WebLimits.beatSeconds * 8)) { [self] in
            store.endOld()
            let isUsed = sessions.values.contains { $0.streamCount > 0 || $0.underWay > 0 }
            if isUsed { lastUse = Reactor.shared.now }
            if Reactor.shared.now - lastUse >= .seconds(WebLimits.workerRest), server?.connections == 0 { exit(0) }
            restLater()
        }
    }

    // MARK: Routes

    private func begin(_ exchange: Exchange, _ head: RequestHead) -> HTTPServer.Begun {
        let request: Admitted
        do throws(GateRefusal) {
            request = try gate.admit(head)
        } catch {
            server?.countRefusal(error.rawValue)
            let isPast = error == .host && gate.isPast(head)
            exchange.answer(isPast ? .past : gate.isOverloaded(head) ? .overloaded : .forbidden)
            return .refused
        }
        (exchange.length, exchange.isLarge) = (request.length, request.method == .put)
        lastUse = Reactor.shared.now
        do throws(GatewayError) {
            return try route(exchange, request)
        } catch {
            exchange.intake = .dropped
            exchange.answer(.error(error))
            return .answers
        }
    }

    private func route(_ exchange: Exchange, _ request: Admitted) throws(GatewayError) -> HTTPServer.Begun {
        switch (request.method, request.route) {
        case (.get, .page):
            exchange.answer(page())
            return .answers
        case (.get, .asset(let name)):
            guard let asset = assets.files[name] else { throw .notFound }
            exchange.answer(Self.reply(asset, kept: true))
            return .answers
        case (.get, .open(let ticket)):
            exchange.answer(opening(ticket))
            return .answers
        case (.post, .login):
            return try gather(exchange, request, WebLimits.loginBytes) { [self] in logIn(exchange, request) }
        default: break
        }
        guard let login = store.login(of: request.cookies) else { throw .loggedOut }
        return try route(exchange, request, login)
    }

    /// Routes that need a login.
    private func route(
        _ exchange: Exchange, _ request: Admitted, _ login: (cookie: String, place: Int)
    ) throws(GatewayError) -> HTTPServer.Begun {
        let place = login.place
        switch (request.method, request.route) {
        case (.get, .login):
            let current = store.login(at: place)?.id
            exchange.answer(
                .json(200, ["logins": .array(store.logins.map { $0.json(current: $0.id == current) })]))
        case (.post, .logout):
            return try gather(exchange, request, WebLimits.loginBytes) { [self] in logOut(exchange, place) }
        case (.post, .rpc): return try gather(exchange, request, WebLimits.rpcBytes) { [self] in call(exchange, place) }
        case (.get, .daemon): tellDaemon(exchange)
        case (.post, .daemon):
            return try gather(exchange, request, WebLimits.loginBytes) { [self] in startDaemon(exchange, place) }
        case (.get, .events(let since, let epoch, let notifies)):
            let resumed = request.lastEventID.flatMap(EventStreamMachine.place)
            let machine = EventStreamMachine(
                since: resumed?.since ?? since, epoch: resumed?.epoch ?? epoch, notifies: notifies)
            try openStream(exchange, login, machine)
        case (.put, .upload(let id, let offset)): return try receivePiece(exchange, request, place, id, offset)
        case (.get, .file), (.get, .thumbnail), (.get, .picture), (.get, .export):
            let session = try session(place)
            guard session.mayTake(1) else { throw .busy }
            try FileRoutes.answer(exchange, request, session)
        default: throw .notFound
        }
        return .answers
    }

    private func receivePiece(
        _ exchange: Exchange, _ request: Admitted, _ place: Int, _ id: String, _ offset: Int64
    ) throws(GatewayError) -> HTTPServer.Begun {
        guard let length = request.length else { throw .noLength }
        guard length <= WebLimits.pieceBytes else { throw .tooLarge }
        let session = try session(place)
        guard session.mayTake(1), uploads.insert(id).inserted else { throw .busy }
        PieceIntake(exchange, offset: offset) { [unowned self] in uploads.remove(id) }.begin(id, session)
        return .waits
    }

    /// Gathers a body of at most that many bytes, and then calls `body`.
    private func gather(
        _ exchange: Exchange, _ request: Admitted, _ limit: Int, _ body: @escaping @ReactorActor () -> Void
    ) throws(GatewayError) -> HTTPServer.Begun {
        guard let length = request.length else { throw .noLength }
        guard length <= limit else { throw .tooLarge }
        exchange.whenComplete = body
        return .takesBody
    }

    /// Leads to the page: with a new link for a ticket that counts, else as it is known to this browser.
    private func opening(_ ticket: String) -> Reply {
        let place = store.redeemTicket(ticket)
        let link = place.map { "#t=" + store.makeToken() + ($0.isEmpty ? "" : "&go=" + $0) } ?? ""
        return Reply(302, [("Location", configuration.origin + "/" + link)])
    }

    private func page() -> Reply {
        Self.reply(assets.page ?? Assets.missing, kept: false)
    }

    private static func reply(_ asset: Assets.Asset, kept: Bool) -> Reply {
        let keeping = kept ? "public, max-age=31536000, immutable" : "no-store"
        return Reply(200, [("Content-Type", asset.type), ("Cache-Control", keeping)], .bytes(asset.bytes))
    }

    // MARK: Login

    private func logIn(_ exchange: Exchange, _ request: Admitted) {
        guard let json = try? JSONParser.parse(exchange.body), let token = json["token"]?.string else {
            return exchange.answer(.error(.malformed("the body is {token}")))
        }
        switch store.redeem(token, agent: request.agent) {
        case .wrong: exchange.answer(.error(.wrongToken))
        case .tooMany: exchange.answer(.error(.tooManyTries(seconds: 60 / Int(WebLimits.tries))))
        case .welcome(let cookie, let place):
            let id = store.login(at: place)?.id ?? ""
            var object: JSONObject = ["id": .string(id)]
            object["moved"] = configuration.moved(unlessOld: store)
            exchange.answer(.json(200, .object(object), [setting(cookie)]))
        }
    }

    /// Sets our cookie; an empty one is taken away.
    private func setting(_ cookie: String) -> (name: String, value: String) {
        let life = cookie.isEmpty ? 0 : WebLimits.loginLife / 1_000
        return ("Set-Cookie", "\(gate.cookieName)=\(cookie); HttpOnly; SameSite=Strict; Path=/; Max-Age=\(life)")
    }

    private func logOut(_ exchange: Exchange, _ place: Int) {
        guard let json = try? JSONParser.parse(exchange.body), case .object(let object) = json else {
            return exchange.answer(.error(.malformed("the body is {id?}")))
        }
        let own = store.login(at: place)?.id ?? ""
        let id = object["id"]?.string ?? own
        var fields: [(name: String, value: String)] = []
        if id == own || id == "all" {
            fields.append(("Clear-Site-Data", "\"cache\", \"cookies\", \"storage\""))
            fields.append(setting(""))
        }
        exchange.answer(.json(200, ["ended": .integer(Int64(store.end(id)))], fields))
    }

    // MARK: Requests and events

    /// The session of a login, made if needed.
    func session(_ place: Int) throws(GatewayError) -> LoginSession {
        if let session = sessions[place] { return session }
        guard sessions.count < WebLimits.lines, let source else { throw .busy }
        let session = LoginSession(source: source) { [unowned self] session in
            if sessions[place] === session { sessions[place] = nil }
        }
        sessions[place] = session
        return session
    }

    private func call(_ exchange: Exchange, _ place: Int) {
        do throws(GatewayError) {
            // The login may have ended while the body came.
            guard store.login(at: place) != nil else { throw .loggedOut }
            let calls = try PageCalls(body: exchange.body)
            let session = try session(place)
            guard session.mayTake(calls.items.count) else { throw .busy }
            let answers = PageAnswers(exchange, count: calls.items.count, isBatch: calls.isBatch)
            for (index, item) in calls.items.enumerated() {
                switch item {
                case .refused(let error): answers.set(index, .error(error))
                case .call(let method, let params):
                    session.call(method, params) { outcome, descriptor in
                        if let descriptor { close(descriptor) }
                        answers.set(index, outcome)
                    }
                }
            }
        } catch {
            exchange.answer(.error(error))
        }
    }

    /// Says how the daemon can be started.
    private func tellDaemon(_ exchange: Exchange) {
        source?.ask(.startable) { [configuration] answer, _ in
            exchange.answer(
                .json(
                    200,
                    [
                        "startable": .bool(answer == .yes),
                        "command": configuration.command.map { .string($0) } ?? .null,
                    ]))
        }
    }

    /// Has the daemon started. The body says nothing: there is one thing to start.
    private func startDaemon(_ exchange: Exchange, _ place: Int) {
        guard store.login(at: place) != nil else { return exchange.answer(.error(.loggedOut)) }
        source?.ask(.start) { answer, _ in exchange.answer(.json(200, ["started": .bool(answer == .yes)])) }
    }

    private func openStream(
        _ exchange: Exchange, _ login: (cookie: String, place: Int), _ machine: EventStreamMachine
    ) throws(GatewayError) {
        let session = try session(login.place)
        guard session.streamCount < WebLimits.streams else { throw .busy }
        let stream = EventStream(session: session, machine: machine)
        let fields = [(name: "Content-Type", value: "text/event-stream"), setting(login.cookie)]
        exchange.answer(Reply(200, fields, .stream(stream)))
        session.add(stream)
    }
}
