import Basics
import Glibc
import Messaging
import Reactor
import Store

/// The daemon as a whole: owns the rooms, and the signals that end or reload it.
@ReactorActor public final class Daemon {
    /// Keeps the daemon of this process alive; a process has one.
    private static var running: Daemon?

    private let context: Context
    private let socketPath: String
    private let sink: StandardErrorSink
    private let service = ServiceManager()
    private var control: ControlServer?
    private var signals: SignalWatcher?
    private var isStopping = false

    init(
        options: Options, directory: DataDirectory, sink: StandardErrorSink, log: Logger, store: Store,
        contacts: ContactIndex, account: AccountAtStart, state: StoredState
    ) throws(StartError) {
        socketPath = options.socketPath
        self.sink = sink
        context = try Context(
            options: options, directory: directory, log: log, store: store, contacts: contacts, account: account,
            state: state)
    }

    func start() throws(StartError) {
        context.requestStop = { [weak self] in self?.stop(because: "a client asked for it") }
        // The one place where the order of commits is certain: what is to be sent goes to its session from here.
        context.store.observeCommits { [weak context, composer = context.composer, wanted = context.events.wanted] in
            let (commit, prompt) = ($0, wanted.compose($0.events, with: composer, in: $1))
            Reactor.shared.post {
                context?.typing.outboxGrew(commit.outbox)
                context?.network?.outboxGrew(commit.outbox)
                context?.events.committed(commit.events, prompt)
                if commit.hasDeletions { context?.housekeeper.deleted() }
                if !commit.events.isEmpty || commit.hasDeletions { context?.search.committed() }
            }
        }
        control = try ControlServer(path: socketPath, context: context)
        do {
            signals = try SignalWatcher([SIGTERM, SIGINT, SIGHUP]) { [weak self] signal in
                if signal == SIGHUP { self?.reload() } else { self?.stop(because: "signal \(signal)") }
            }
        } catch {
            throw .failed("can't take signals: \(error)")
        }
        context.search.start()
        context.addressBook.start()
        if context.media.path == nil {
            context.log.warning(
                "kibo-media is not beside kibod: the types of files are told by their names only, and there are no previews"
            )
        }
        context.keeper.noteState()
        context.disk.start()
        try context.openNetwork()
        context.keepHouse()
        Self.running = self
        let listen = context.network?.listenAddresses.map(\.description).joined(separator: ",") ?? "none"
        // The contract's words: programs wait for this line.
        context.log.notice("kibod ready socket=\(socketPath) listen=\(listen)")
        service.ready(standing(listen))
    }

    /// How it is, in the words that `systemctl status` shows.
    private func standing(_ listen: String) -> String {
        if context.profile == nil { return "no account yet; kibo setup makes one" }
        if context.store.isFull { return "the disk is full; nothing is stored or taken until there is room" }
        return context.isLocked ? "locked; kibo unlock opens it" : "listening on \(listen)"
    }

    /// SIGHUP: what can change while running changes; the rest is named in the log.
    private func reload() {
        service.reloading(at: context.clocks.now)
        do {
            let unchanged = try context.reload()
            sink.change(
                level: context.options.configuration.logLevel ?? .info,
                format: context.options.configuration.logFormat ?? .text)
            context.log.notice("configuration reread")
            for key in unchanged { context.log.warning("\(key) takes effect at the next start") }
        } catch {
            context.log.error("the configuration stays as it was: \(error.message)")
        }
        service.ready("configuration reread")
    }

    /// Goodbye to peers, answers to clients, everything on disk, exit 0.
    private func stop(because reason: String) {
        guard !isStopping else { return }
        isStopping = true
        context.log.notice("stopping", [("because", reason)])
        service.stopping()
        context.search.stop()
        context.transfers.stop()
        context.housekeeper.stop()
        context.retention.stop()
        context.disk.stop()
        context.network?.stop()
        control?.stop()
        // The goodbyes and answers leave at the end of this turn; what the network has not taken by then waits a moment.
        _ = Reactor.shared.schedule(at: context.clocks.now + .milliseconds(150)) { [context] in
            let store = context.store
            let log = context.log
            Task { @ReactorActor in
                await context.transfers.waitUntilStopped()
                store.close()
                log.notice("stopped")
                exit(0)
            }
        }
    }
}
