import Basics
import ControlProtocol
import Crypto
import Glibc
import LocalSend
import Media
import Network
import Reactor
import Runtime

/// Keeps the bridge running while it is wanted: makes its sockets, starts it, and starts it again when it has ended or when its
/// addresses are old.
@ReactorActor final class BridgeKeeper {
    /// What its owner says and hears.
    struct Owner {
        /// Whether the bridge is to run.
        let isWanted: @ReactorActor () -> Bool
        /// Whether the keeper may restart the bridge now: not while files come in.
        let mayRestart: @ReactorActor () -> Bool
        /// What this host is called in the lists of others.
        let name: @ReactorActor () -> String
        /// Gets what the bridge says.
        let heard: @ReactorActor (BridgeReport) -> Void
        /// Is called when the bridge has ended: nothing that it has begun goes on.
        let ended: @ReactorActor () -> Void
        /// Is called when ``port`` or ``problem`` may be another.
        let changed: @ReactorActor () -> Void
    }

    /// What this host says of itself, and its certificate.
    struct Own {
        let info: DeviceInfo
        /// Nil while it speaks plainly.
        let identity: SelfSignedCertificate?
    }

    private let environment: Environment
    private let log: Logger
    private let choice: InterfaceChoice
    private let owner: Owner
    let program = MediaProgram.find("kibo-localsend")
    /// What tells this host from others while it speaks without a certificate.
    private let plainFingerprint: [UInt8]
    private var bridge: HelperProcess?
    private var sockets: BridgeSockets?
    private var watch: NetworkWatch?
    /// The addresses of the last start.
    private var tried: [BridgeOrder.Link]?
    private var alias = ""
    private var isReady = false
    /// Whether the bridge was told to end.
    private var isStopping = false
    /// Whether the keeper will restart the bridge once its owner allows that: its addresses have changed.
    private var isStale = false
    /// Counts the starts, so that what an earlier one has begun counts for nothing.
    private(set) var run = 0
    private var pause = GuestLimits.firstPause
    private var retry: TimerToken?
    /// Why the bridge of this run can't serve, as it says.
    private var said: String?
    /// Since when it serves.
    private var served: Instant?
    private var loggedProblem: String?

    /// By what this host is known to devices; nil while the bridge isn't wanted, and until it has begun.
    private(set) var own: Own?

    /// The hosts to which something may be given.
    var neighbourhood: Neighbourhood { Neighbourhood(sockets?.links ?? []) }

    /// The names of the interfaces that it uses, by the kernel's numbers.
    var interfaces: [UInt32: String] {
        let used = Set((sockets?.links ?? []).map(\.index))
        return (watch?.current ?? []).reduce(into: [:]) { names, one in
            if used.contains(one.index) { names[one.index] = one.name }
        }
    }

    /// The names of those that are meant, in order.
    func names(_ isMeant: (UInt32) -> Bool) -> [String] {
        interfaces.filter { isMeant($0.key) }.map(\.value).sorted()
    }

    /// Those of them on which it can't hear multicast.
    var unjoined: Set<UInt32> { sockets?.unjoined ?? [] }

    /// Whether it has a socket for datagrams.
    var hasDatagrams: Bool { sockets?.datagrams != nil }

    /// Its TCP port; nil while it doesn't listen.
    var port: UInt16? { isReady ? sockets?.port : nil }
    /// Why it doesn't work, in words for people; nil if it does, or is not wanted.
    private(set) var problem: String?
    /// Whether the program is there.
    var isInstalled: Bool { program != nil }
    /// Whether it runs.
    var isRunning: Bool { bridge != nil }

    /// - Parameter interfaces: the names of those that are used; nil for all that reach a network.
    init(environment: Environment, interfaces: [String]?, log: Logger, owner: Owner) {
        self.environment = environment
        self.log = log
        self.owner = owner
        choice = InterfaceChoice(names: interfaces)
        var random = SodiumGenerator()
        plainFingerprint = (0..<32).map { _ in .random(in: .min ... .max, using: &random) }
    }

    /// Starts the bridge or ends it, as it is wanted now.
    func apply() {
        guard owner.isWanted() else {
            (problem, pause) = (nil, GuestLimits.firstPause)
            run += 1
            own = nil
            retry?.cancel()
            retry = nil
            watch?.stop()
            watch = nil
            isStopping = bridge != nil
            bridge?.stop()
            return owner.changed()
        }
        if bridge == nil, retry == nil { launch() }
    }

    /// Restarts the bridge, at once or as soon as its owner allows it.
    func restart() {
        guard let bridge else { return }
        isStale = !owner.mayRestart()
        guard !isStale else { return }
        isStopping = true
        // It is started again when it has ended.
        bridge.stop()
    }

    /// Notes that the bridge may be ended now.
    func mayRestartNow() { if isStale { restart() } }

    /// Notes that this host may have another name now.
    func nameChanged() { if bridge != nil, alias != owner.name() { restart() } }

    /// - Parameter descriptor: goes with the order.
    func say(_ order: BridgeOrder, with descriptor: Descriptor? = nil) {
        bridge?.say(order.line, with: descriptor)
        if let bridge, bridge.bufferedBytes > LocalSendLimits.lineBytes { distrust("it doesn't listen") }
    }

    /// Ends a bridge that does what it may not.
    func distrust(_ why: String) {
        said = said ?? "kibo-localsend is not trusted any more: \(why)"
        bridge?.stop()
    }

    /// What devices must say.
    var pin: String? {
        let pin = environment.settings[SettingsCatalogue.localSendPIN]
        return pin.isEmpty ? nil : pin
    }

    // MARK: Starting

    private func launch() {
        guard let program else {
            problem = "kibo-localsend is not installed beside kibod"
            return owner.changed()
        }
        run += 1
        let (run, directory) = (run, environment.directory)
        let isPlain = environment.settings[SettingsCatalogue.localSendPlain]
        Reactor.shared.task { [self] in
            do {
                let identity =
                    isPlain ? nil : try await environment.workers.files.run { try BridgeIdentity.load(directory) }
                guard run == self.run, bridge == nil else { return }
                try begin(program, identity, isPlain: isPlain)
            } catch {
                guard run == self.run else { return }
                fail("\(error)")
            }
        }
    }

    private func begin(_ program: String, _ identity: SelfSignedCertificate?, isPlain: Bool) throws {
        let watch = watch ?? NetworkWatch(choice: choice, clocks: environment.clocks, log: log)
        if self.watch == nil { watch.start { [weak self] _ in self?.networkChanged() } }
        self.watch = watch
        guard isPlain == environment.settings[SettingsCatalogue.localSendPlain] else { return launch() }
        tried = BridgeSockets.links(watch.current)
        let sockets = try BridgeSockets(watch.current)
        self.sockets = sockets
        let refused = names { sockets.unjoined.contains($0) }
        if !refused.isEmpty {
            log.warning(
                "the system refuses multicast for LocalSend", [("interfaces", refused.joined(separator: ", "))])
        }
        alias = owner.name()
        (said, served) = (nil, nil)
        let fingerprint = identity?.fingerprint ?? plainFingerprint
        let info = DeviceInfo(
            alias: alias, model: "Kibo", kind: .desktop, fingerprint: Hex.encode(fingerprint), port: sockets.port,
            isEncrypted: identity != nil)
        own = Own(info: info, identity: identity)
        // Under its filter the backtracer would spin for ever, and with more arenas malloc would read a file of /proc.
        bridge = HelperProcess(
            program, environment: ["SWIFT_BACKTRACE=enable=no", "MALLOC_ARENA_MAX=1", "LC_ALL=C.UTF-8", "TZ=UTC"],
            line: LocalSendLimits.lineBytes, heard: { [weak self] in self?.heard($0) },
            ended: { [weak self] in self?.ended($0) })
        say(
            .begin(
                .init(
                    info: info, certificate: identity?.certificate, key: identity?.key, pin: pin, links: sockets.links,
                    first: run * GuestLimits.numbersOfRun)))
        for listener in sockets.listeners { say(.listen, with: listener) }
        if let (socket, joined) = sockets.datagrams { say(.hear(joined), with: socket) }
    }

    private func networkChanged() {
        let links = watch.map { BridgeSockets.links($0.current) }
        guard bridge != nil else {
            // It may have waited for a network.
            if retry != nil, links != tried { again(after: GuestLimits.restartPause) }
            return
        }
        if links != tried { restart() }
    }

    private func heard(_ line: JSONObject) {
        guard let report = BridgeReport(line: .object(line)) else {
            return distrust("it said something that makes no sense")
        }
        switch report {
        case .ready:
            (isReady, served, loggedProblem) = (true, environment.clocks.now, nil)
            let isHeard = sockets?.datagrams != nil
            problem = isHeard ? nil : "devices don't find this host by themselves: it can't hear multicast"
            owner.changed()
        case .failed(let why):
            said = ForeignText.escaped(why)
            bridge?.stop()
        default: owner.heard(report)
        }
    }

    // MARK: Its end

    private func ended(_ why: String) {
        bridge = nil
        // The child may still be about to end, and the ports are wanted again.
        for listener in sockets?.listeners ?? [] { shutdown(listener.number, CInt(SHUT_RDWR)) }
        sockets = nil
        if let served, environment.clocks.now - served >= GuestLimits.longestPause { pause = GuestLimits.firstPause }
        let wasTold = isStopping
        (isReady, isStale, isStopping) = (false, false, false)
        owner.ended()
        owner.changed()
        guard owner.isWanted() else { return }
        if wasTold { again(after: GuestLimits.restartPause) } else { fail(said ?? why) }
    }

    private func fail(_ why: String) {
        if loggedProblem != why { log.warning("LocalSend doesn't work now", [("why", why)]) }
        (problem, loggedProblem) = (why, why)
        owner.changed()
        again(after: pause)
        pause = min(pause * 2, GuestLimits.longestPause)
    }

    private func again(after pause: Duration) {
        retry?.cancel()
        retry = Reactor.shared.schedule(at: environment.clocks.now + pause) { [weak self] in
            guard let self else { return }
            retry = nil
            if owner.isWanted(), bridge == nil { launch() }
        }
    }
}
