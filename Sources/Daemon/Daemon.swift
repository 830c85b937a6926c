import Account
import Basics
import Control
import Glibc
import Messaging
import Reactor
import Runtime
import Store

/// The daemon as a whole: owns the services, and the signals that end or reload it.
@ReactorActor public final class Daemon {
    /// Keeps the daemon of this process alive; a process has one.
    private static var running: Daemon?

    private let services: Services
    private let directory: DataDirectory
    private let socketPath: String
    private let service = ServiceManager()
    private var control: ControlServer?
    private var signals: SignalWatcher?
    private var isStopping = false
    /// Whether this process becomes a new daemon once everything is closed.
    private var startsAgain = false
    private var environment: Environment { services.environment }

    init(
        options: Options, directory: DataDirectory, sink: StandardErrorSink, log: Logger, store: Store,
        contacts: ContactIndex, account: AccountAtStart, state: StoredState
    ) throws(StartError) {
        self.directory = directory
        socketPath = options.socketPath
        services = try Services(
            options: options, directory: directory.path, sink: sink, log: log, store: store, contacts: contacts,
            account: account,
            state: state, stop: { Self.running?.stop(because: "a client asked for it") },
            restart: { Self.running?.stop(because: "a backup was restored", startsAgain: true) })
    }

    func start() throws(StartError) {
        CommitFollower(services).follow()
        control = try ControlServer(
            path: socketPath, handlers: services.handlers, events: services.events, profiles: services.profiles)
        do {
            signals = try SignalWatcher([SIGTERM, SIGINT, SIGHUP]) { [weak self] signal in
                if signal == SIGHUP {
                    self?.services.configuration.read()
                } else {
                    self?.stop(because: "signal \(signal)")
                }
            }
        } catch {
            throw .failed("can't take signals: \(error)")
        }
        services.search.start()
        services.uploads.start()
        services.addressBook.start()
        if services.media.path == nil {
            environment.log.warning(
                "kibo-media is not beside kibod: the types of files are told by their names only, and there are no previews"
            )
        }
        services.keeper.noteState()
        services.keeper.keepRecoveryKey()
        services.disk.start()
        try services.online.open(incarnation: nil)
        services.online.keepHouse()
        Self.running = self
        // The contract fixes these words: programs wait for this line.
        environment.log.notice("kibod ready socket=\(socketPath) listen=\(listen)")
        services.configuration.standing = { [weak self] in self?.standing ?? "" }
        service.ready(standing)
    }

    private var listen: String {
        services.network.current?.doorway.addresses.map(\.description).joined(separator: ",") ?? "none"
    }

    /// The daemon's state in the words that `systemctl status` shows.
    private var standing: String {
        if services.account.profile == nil { return "no account yet; kibo setup makes one" }
        if environment.store.isFull { return "the disk is full; nothing is stored or accepted until there is room" }
        return services.account.isLocked ? "locked; kibo unlock opens it" : "listening on \(listen)"
    }

    /// Says goodbye to peers, answers clients, stores everything, and exits with 0.
    /// - Parameter startsAgain: whether this process becomes a new daemon instead.
    private func stop(because reason: String, startsAgain: Bool = false) {
        guard !isStopping else {
            // Whoever ends a daemon that is about to start again means the new one, too.
            self.startsAgain = self.startsAgain && startsAgain
            return
        }
        isStopping = true
        self.startsAgain = startsAgain
        environment.log.notice("stopping", [("because", reason)])
        if !startsAgain { service.stopping() }
        services.backups.stop()
        services.search.stop()
        services.uploads.stop()
        services.transfers.stop()
        services.housekeeper.stop()
        services.retention.stop()
        services.disk.stop()
        services.notifications.stop()
        services.guests.stop()
        services.network.flush { self.leave() }
    }

    /// Closes the network and the control socket, and ends when what they have said has left.
    private func leave() {
        services.network.current?.stop()
        control?.stop()
        // The goodbyes and answers leave at the end of this turn; what the network has not taken by then waits a moment.
        _ = Reactor.shared.schedule(at: environment.clocks.now + .milliseconds(150)) { [services] in
            Reactor.shared.task {
                await services.transfers.waitUntilStopped()
                services.environment.store.close()
                services.environment.log.notice("stopped")
                if self.startsAgain { Kibod.startAgain(services.environment.log) }
                exit(0)
            }
        }
    }
}
