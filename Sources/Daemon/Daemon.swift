import Account
import Basics
import Control
import Glibc
import Messaging
import Reactor
import Runtime
import Store
import Threads

/// The daemon as a whole: owns the services, and the signals that end or reload it.
@ReactorActor public final class Daemon {
    /// Keeps the daemon of this process alive; a process has one.
    private static var running: Daemon?

    private let services: Services
    private let directory: DataDirectory
    private var options: Options
    private let sink: StandardErrorSink
    private let service = ServiceManager()
    private var control: ControlServer?
    private var signals: SignalWatcher?
    private var isStopping = false
    /// Whether the configuration is being read, and whether it is to be read again afterwards.
    private var (isRereading, wantsReread) = (false, false)
    private var environment: Environment { services.environment }

    init(
        options: Options, directory: DataDirectory, sink: StandardErrorSink, log: Logger, store: Store,
        contacts: ContactIndex, account: AccountAtStart, state: StoredState
    ) throws(StartError) {
        self.options = options
        self.directory = directory
        self.sink = sink
        services = try Services(
            options: options, directory: directory.path, log: log, store: store, contacts: contacts, account: account,
            state: state, stop: { Self.running?.stop(because: "a client asked for it") })
    }

    func start() throws(StartError) {
        followCommits()
        control = try ControlServer(
            path: options.socketPath, handlers: services.handlers, events: services.events, profiles: services.profiles)
        do {
            signals = try SignalWatcher([SIGTERM, SIGINT, SIGHUP]) { [weak self] signal in
                if signal == SIGHUP { self?.reload() } else { self?.stop(because: "signal \(signal)") }
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
        services.disk.start()
        try services.online.open(incarnation: nil)
        services.online.keepHouse()
        Self.running = self
        let listen = services.network.current?.doorway.addresses.map(\.description).joined(separator: ",") ?? "none"
        // The contract fixes these words: programs wait for this line.
        environment.log.notice("kibod ready socket=\(options.socketPath) listen=\(listen)")
        service.ready(standing(listen))
    }

    /// Passes new items of the outbox to their sessions. The order of commits is certain only here.
    private func followCommits() {
        let (events, typing, network) = (services.events, services.typing, services.network)
        let (housekeeper, search, notifications) = (services.housekeeper, services.search, services.notifications)
        let totals = TotalsWatch(store: environment.store, hub: events)
        environment.store.observeCommits { [composer = events.composer, wanted = events.wanted] in
            let (commit, prompt) = ($0, wanted.compose($0.events, with: composer, in: $1))
            Reactor.shared.post {
                typing.outboxGrew(commit.outbox)
                network.outboxGrew(commit.outbox)
                events.committed(commit.events, prompt)
                totals.committed(commit.events)
                notifications.committed(commit.events)
                if commit.hasDeletions { housekeeper.deleted() }
                if !commit.events.isEmpty || commit.hasDeletions { search.committed() }
            }
        }
    }

    /// The daemon's state in the words that `systemctl status` shows.
    private func standing(_ listen: String) -> String {
        if services.account.profile == nil { return "no account yet; kibo setup makes one" }
        if environment.store.isFull { return "the disk is full; nothing is stored or accepted until there is room" }
        return services.account.isLocked ? "locked; kibo unlock opens it" : "listening on \(listen)"
    }

    /// SIGHUP: applies what can change in a running daemon, and names the rest in the log.
    private func reload() {
        guard !isRereading else { return wantsReread = true }
        isRereading = true
        service.reloading(at: environment.clocks.now)
        Reactor.shared.task { [self, options] in
            let read: Result<Options, any Error>
            do {
                // Files and directories may hang.
                read = .success(try await PlatformThread.run(name: "configuration") { try options.reread() })
            } catch {
                read = .failure(error)
            }
            isRereading = false
            take(read)
            if wantsReread {
                wantsReread = false
                reload()
            }
        }
    }

    private func take(_ read: Result<Options, any Error>) {
        do {
            let unchanged = use(try read.get())
            sink.change(
                level: options.configuration.logLevel ?? .info, format: options.configuration.logFormat ?? .text)
            environment.log.notice("configuration reread")
            for key in unchanged { environment.log.warning("\(key) takes effect at the next start") }
        } catch {
            let why = (error as? StartError)?.message ?? "\(error)"
            environment.log.error("the configuration stays as it was: \(why)")
        }
        service.ready("configuration reread")
    }

    /// Applies the options that were read.
    /// - Returns: the keys whose change waits for the next start.
    private func use(_ new: Options) -> [String] {
        let before = options.configuration
        options = new
        let after = options.configuration
        services.roster.configure(options.roster)
        services.network.configure(options.network)
        environment.settings.forcedByUser = options.forcedByUser
        let rows = after.hostSettings
        if before.hostSettings != rows {
            Reactor.shared.task { [environment] in
                do { try await environment.settings.configure(rows) } catch {
                    environment.log.error(
                        "the settings of the configuration could not be stored and take effect at the next start",
                        [("why", "\(error)")])
                }
            }
        }
        let changes = [
            ("listen", before.listen != after.listen), ("discoveryPort", before.discoveryPort != after.discoveryPort),
            ("interfaces", before.interfaces != after.interfaces), ("discovery", before.discovery != after.discovery),
            ("realmKeyFile", before.realmKeyFile != after.realmKeyFile),
        ]
        return changes.filter(\.1).map(\.0)
    }

    /// Says goodbye to peers, answers clients, stores everything, and exits with 0.
    private func stop(because reason: String) {
        guard !isStopping else { return }
        isStopping = true
        environment.log.notice("stopping", [("because", reason)])
        service.stopping()
        services.search.stop()
        services.uploads.stop()
        services.transfers.stop()
        services.housekeeper.stop()
        services.retention.stop()
        services.disk.stop()
        services.notifications.stop()
        services.network.current?.stop()
        control?.stop()
        // The goodbyes and answers leave at the end of this turn; what the network has not taken by then waits a moment.
        _ = Reactor.shared.schedule(at: environment.clocks.now + .milliseconds(150)) { [services] in
            Reactor.shared.task {
                await services.transfers.waitUntilStopped()
                services.environment.store.close()
                services.environment.log.notice("stopped")
                exit(0)
            }
        }
    }
}
