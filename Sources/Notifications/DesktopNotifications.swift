import Basics
import ControlProtocol
import Glibc
import Media
import Reactor
import Runtime

/// Shows what the board says through kibo-notify, which is started for the first notification and again when it has ended.
@ReactorActor final class DesktopNotifications {
    /// What the user has done with a notification.
    enum Act: Hashable, Sendable {
        case read, answer, decline
        case reply(String)
    }

    /// Whether the bus has a server that shows notifications.
    private enum Server {
        case there
        /// The bus starts a server at need.
        case startable
        case none
    }

    private let environment: Environment
    private let log: Logger
    private let acted: @ReactorActor (Notification, Act) -> Void
    /// Is called when ``canRing`` may have changed.
    private let changed: @ReactorActor () -> Void
    private var board = NotificationBoard()
    private var helper: HelperProcess?
    private var isReady = false
    /// When the helper must have said that it is ready.
    private var readyBy: Instant?
    /// The order that is not answered yet, and when its answer must have come.
    private var order: (order: NotificationBoard.Order, until: Instant)?
    private var pause = NotificationLimits.firstPause
    private var notBefore: Instant?
    private var timer: TimerToken?
    private var isStopped = false
    private var server = Server.none
    /// Whether the bus has said that there is no server, and that it can't start one: then nothing is shown until one comes.
    private(set) var lacksServer = false
    /// What the log was told of the helper's end, so that it isn't told again each minute.
    private var toldEnd: String?
    /// Whether the helper runs also while there is nothing to show, so that it is known whether there is a server.
    private var isKept = false
    /// Why nothing is shown, a phrase for people; nil while all is well, as far as known.
    private(set) var problem: String?

    init(
        environment: Environment, acted: @escaping @ReactorActor (Notification, Act) -> Void,
        changed: @escaping @ReactorActor () -> Void
    ) {
        self.environment = environment
        log = environment.log.labelled("notify")
        self.acted = acted
        self.changed = changed
    }

    /// Whether a notification would be shown now, as far as is known.
    var canRing: Bool { isReady && server != .none && problem == nil }

    /// Runs the helper from now on, or lets it end once there is nothing to show.
    func keep(_ isKept: Bool) {
        self.isKept = isKept && isInstalled && hasBus
        pump()
    }

    /// The path of kibo-notify; nil where it isn't installed.
    private let program = MediaProgram.find("kibo-notify")
    var isInstalled: Bool { program != nil }

    /// Whether this session has a bus, which a notification server may be on.
    var hasBus: Bool {
        if Paths.environment("DBUS_SESSION_BUS_ADDRESS") != nil { return true }
        return SocketPath.runtimeDirectory.map { access($0 + "/bus", F_OK) == 0 } ?? false
    }

    var told: [(place: NotificationPlace, message: UUIDv7)] { board.messages }
    var isEmpty: Bool { board.places == 0 }

    func add(_ notification: Notification) {
        guard !isStopped, isInstalled, hasBus else { return }
        board.add(notification)
        pump()
    }

    func withdraw(_ place: NotificationPlace) {
        board.withdraw(place)
        pump()
    }

    func withdrawAll() {
        board.withdrawAll()
        pump()
    }

    func stop() {
        isStopped = true
        timer?.cancel()
        helper?.stop()
    }

    // MARK: Orders

    /// Where a notification is shown that kibo-notify has been given and has not answered for yet.
    private var placeUnderWay: NotificationPlace? {
        if case .show(let notification) = order?.order { notification.place } else { nil }
    }

    private func pump() {
        timer?.cancel()
        timer = nil
        guard !isStopped else { return }
        let due = board.nextDeadline ?? order?.until
        guard due != nil || isKept && !isReady else { return }
        let now = environment.clocks.now
        if let order {
            if order.until <= now {
                problem = "it took longer than \(NotificationLimits.answer.components.seconds) s"
                helper?.stop()
            } else {
                wake(at: order.until)
            }
            return
        }
        if let notBefore, notBefore > now { return wake(at: notBefore) }
        guard let helper else { return start(now) }
        guard isReady else {
            if let readyBy, readyBy > now { return wake(at: readyBy) }
            return helper.stop()
        }
        guard let due, !lacksServer else { return }
        guard due <= now, let next = board.next(now: now) else { return wake(at: due) }
        order = (next, now + NotificationLimits.answer)
        helper.say(Self.line(next))
        wake(at: now + NotificationLimits.answer)
    }

    private func wake(at moment: Instant) {
        timer = Reactor.shared.schedule(at: moment) { [weak self] in self?.pump() }
    }

    private static func line(_ order: NotificationBoard.Order) -> JSONObject {
        switch order {
        case .close(let place): return ["do": "close", "tag": .string(place.tag)]
        case .show(let notification):
            var line: JSONObject = [
                "do": "show", "tag": .string(notification.place.tag), "title": .string(notification.title.text),
                "body": .string(notification.fullBody),
            ]
            if notification.messages != nil {
                line["category"] = "im.received"
                line["actions"] = .string("read\n" + NotificationText.read)
                line["reply"] = .string(NotificationText.reply)
            }
            if let ring = notification.ring {
                line["category"] = "call.incoming"
                line["rings"] = .string(ring.rawValue)
                let actions = ["answer", NotificationText.answer, "decline", NotificationText.decline]
                line["actions"] = .string(actions.joined(separator: "\n"))
            }
            return line
        }
    }

    // MARK: The helper

    /// Where the helper finds the session's bus.
    private static var variables: [String] {
        let places = [
            "DBUS_SESSION_BUS_ADDRESS": Paths.environment("DBUS_SESSION_BUS_ADDRESS"),
            "XDG_RUNTIME_DIR": SocketPath.runtimeDirectory, "HOME": Paths.environment("HOME"),
        ]
        return ["PATH=/usr/local/bin:/usr/bin:/bin", "LANG=C.UTF-8"]
            + places.compactMap { name, value in value.map { "\(name)=\($0)" } }
    }

    private func start(_ now: Instant) {
        guard let program else { return }
        isReady = false
        let readyBy = now + NotificationLimits.answer
        self.readyBy = readyBy
        helper = HelperProcess(
            program, environment: Self.variables, line: NotificationLimits.line,
            heard: { [weak self] in self?.heard($0) }, ended: { [weak self] in self?.ended($0) })
        wake(at: readyBy)
    }

    private func heard(_ line: JSONObject) {
        let before = canRing
        defer { if canRing != before { changed() } }
        let place = line["tag"]?.string.flatMap { NotificationPlace(tag: $0) }
        switch line["said"]?.string {
        case "ready": isReady = true
        case "done":
            if case .show = order?.order {
                environment.metrics.count(.notifications, "shown")
                (problem, pause) = (nil, NotificationLimits.firstPause)
            }
            order = nil
        case "failed":
            problem = line["why"]?.string.map { ForeignText.escaped(String($0.prefix(200))) } ?? "it failed"
            environment.metrics.count(.notifications, "refused")
            if case .show(let notification) = order?.order { board.wasRefused(notification) }
            order = nil
            rest()
        case "gone":
            // A server that the bus has to start first has shown nothing yet.
            if server == .there { board.nothingIsShown(but: placeUnderWay) }
            server = line["text"] == nil ? .none : .startable
            lacksServer = server == .none
        case "there":
            (server, problem, lacksServer, toldEnd) = (.there, nil, false, nil)
            (notBefore, pause) = (nil, NotificationLimits.firstPause)
        case "closed": if let place { board.wasSeen(place) }
        case "action": if let place, let act = Self.act(line["text"]?.string) { self.act(place, act) }
        case "reply": if let place, let text = line["text"]?.string { act(place, .reply(text)) }
        default: break
        }
        pump()
    }

    private static func act(_ name: String?) -> Act? {
        switch name {
        case "read": .read
        case "answer": .answer
        case "decline": .decline
        default: nil
        }
    }

    private func act(_ place: NotificationPlace, _ act: Act) {
        guard let notification = board.shown(at: place) else { return }
        board.wasSeen(place, isOpen: true)
        acted(notification, act)
    }

    private func ended(_ why: String) {
        let before = canRing
        defer { if canRing != before { changed() } }
        helper = nil
        (isReady, server, lacksServer) = (false, .none, false)
        guard !isStopped else { return }
        if case .show(let notification) = order?.order { board.wasRefused(notification) }
        order = nil
        board.nothingIsShown()
        problem = problem ?? why
        if why != toldEnd { log.info("kibo-notify has ended", [("why", why)]) }
        toldEnd = why
        environment.metrics.count(.notifications, "helper_ended")
        rest()
        pump()
    }

    /// Puts the next attempt off by a pause, which grows.
    private func rest() {
        notBefore = environment.clocks.now + pause
        pause = min(pause * 2, NotificationLimits.longestPause)
    }
}
