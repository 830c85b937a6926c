import Basics
import CLinux
import ControlProtocol
import Crypto
import Glibc
import Messaging
import Network
import PeerProtocol
import Reactor
import Runtime

/// The program `kibod`: from arguments to a running daemon and an exit code.
public enum Kibod {
    /// The version of the program, the same for `kibod` and `kibo`.
    public static let version = ControlProtocol.productVersion

    /// Runs until the daemon is told to stop. Never returns: the process ends with the exit codes of the contract.
    public static func run(_ commandLine: [String]) -> Never {
        let arguments: DaemonArguments
        do {
            arguments = try DaemonArguments(Array(commandLine.dropFirst()))
        } catch {
            complain("kibod: \(error)")
            complain("See:   kibod --help")
            exit(2)
        }
        if arguments.showsHelp {
            say(DaemonArguments.help, to: STDOUT_FILENO)
            exit(0)
        }
        if arguments.showsManual {
            say(DaemonArguments.manual, to: STDOUT_FILENO)
            exit(0)
        }
        if arguments.showsVersion {
            say("kibod \(version)\n", to: STDOUT_FILENO)
            exit(0)
        }
        do {
            if let path = arguments.newRealmKey {
                try Sodium.start()
                try RealmKeyFile.make(path)
                say(
                    "\(path) holds a new realm key. Give it to all users of the realm, and to no others.\n",
                    to: STDOUT_FILENO)
                exit(0)
            }
            if arguments.repairs {
                try Sodium.start()
                let directory = try DataDirectory(path: arguments.dataDirectory ?? Paths.data)
                let outcome = try DatabaseRescue(directory: directory).run()
                say(outcome.text, to: STDOUT_FILENO)
                exit(outcome.isUsable ? 0 : 1)
            }
            var options = try Options.resolve(arguments)
            if arguments.checks {
                try Sodium.start()
                say(try options.check(), to: STDOUT_FILENO)
                exit(0)
            }
            let sink = StandardErrorSink(
                level: options.configuration.logLevel ?? .info, format: options.configuration.logFormat ?? .text)
            let log = Logger(label: "kibod", sink: sink)
            SignalWatcher.ignoreBrokenPipes()
            kibo_limit_arenas(DaemonLimits.arenas)
            raiseFileLimit()
            hideMemory(log)
            try Sodium.start()
            if let missing = options.missingInterface { log.warning("\(missing); it is used once it is there") }
            options.realmKey = try options.readRealmKey()
            options.realmOnDisk = options.realmKey?.id
            options.readRoster(comparing: false)
            if let problem = options.rosterProblem {
                log.error("no roster is read: \(problem); the friends that it made before stay")
            }
            let directory = try DataDirectory(path: options.dataDirectory)
            let starter = Starter(options: options, directory: directory, sink: sink, log: log)
            start(starter, log)
            while true { pause() }
        } catch {
            let error = StartError(error)
            complain("kibod: \(error.message)")
            exit(error.exitCode)
        }
    }

    /// Allows as many descriptors as the limits on connections need, if the hard limit does: the usual soft limit of 1024 is for
    /// programs that use select(2).
    private static func raiseFileLimit() {
        var limit = rlimit()
        guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return }
        let wanted = min(limit.rlim_max, DaemonLimits.fileDescriptors)
        guard limit.rlim_cur < wanted else { return }
        limit.rlim_cur = wanted
        _ = setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
    }

    /// Keeps keys and texts in memory out of core dumps, and away from debuggers of this user's other programs.
    /// Developers set `KIBOD_DUMPABLE` to look into their own daemon without being root.
    private static func hideMemory(_ log: Logger) {
        guard getenv("KIBOD_DUMPABLE") == nil, kibo_hide_memory() != 0 else { return }
        let because = String(cString: strerror(errno))
        log.warning("this process's memory can't be hidden from other programs", [("because", because)])
    }

    /// The main thread has nothing more to do; the reactor's thread ends the program.
    private static func start(_ starter: Starter, _ log: Logger) {
        Reactor.shared.task {
            do {
                try await starter.start()
            } catch {
                let error = StartError(error)
                log.error(error.message)
                exit(error.exitCode)
            }
        }
    }

    /// Becomes a new process of the same program, with the same words and the same number, so that a service manager sees one
    /// service all along. Everything must be closed; what is not is closed by the kernel.
    static func startAgain(_ log: Logger) -> Never {
        // The new program would inherit the mask of this thread.
        var none = sigset_t()
        sigemptyset(&none)
        pthread_sigmask(SIG_SETMASK, &none, nil)
        // The file may have been replaced by an upgrade; then the new one starts.
        var buffer = [CChar](repeating: 0, count: Int(PATH_MAX))
        if readlink("/proc/self/exe", &buffer, buffer.count - 1) > 0 { execv(buffer, CommandLine.unsafeArgv) }
        execv("/proc/self/exe", CommandLine.unsafeArgv)
        // The service manager starts it again after a failure.
        log.error("can't start again", [("because", describe(errno))])
        exit(1)
    }

    /// Says what is wrong while there is no log yet.
    private static func complain(_ line: String) {
        let prefix = Journal.reads(STDERR_FILENO) ? LogLevel.error.journalPrefix : ""
        say(prefix + ForeignText.escaped(line) + "\n", to: STDERR_FILENO)
    }

    private static func say(_ text: String, to descriptor: CInt) {
        let bytes = Array(text.utf8)
        _ = write(descriptor, bytes, bytes.count)
    }
}

/// Arguments, environment and configuration file as one value.
public struct Options: Sendable {
    public var dataDirectory: String
    public var socketPath: String
    public var configurationFile: String
    /// Whether the file was named by the user and so must exist.
    public var requiresConfigurationFile: Bool
    /// The values of the command line, which go before those of the files.
    public var commandLine: ConfigurationLayer
    /// The values that count: the command line's over those of the user's file over those of the host's.
    public var configuration: ConfigurationLayer
    /// The settings that the user's own file forces, and the host's does not.
    private(set) var forcedByUser: Set<String> = []
    /// The key of our realm, read once at the start.
    public var realmKey: RealmKey?
    /// The id of the realm whose key was on the disk when that was read last.
    fileprivate(set) var realmOnDisk: [UInt8]?
    /// The roster of the office, as it was read last.
    public private(set) var roster: Roster?
    /// Why the roster on the disk can't be used; nil if it can, or if there is none.
    private(set) var rosterProblem: String?
    /// The configuration files that there are: the host's, then the user's.
    private(set) var files: [String] = []

    static func resolve(_ arguments: DaemonArguments) throws(StartError) -> Options {
        var options = Options(
            dataDirectory: arguments.dataDirectory ?? Paths.data,
            socketPath: Paths.absolute(SocketPath.resolve(explicit: arguments.socketPath)),
            configurationFile: arguments.configurationFile ?? Paths.configuration,
            requiresConfigurationFile: arguments.configurationFile != nil, commandLine: arguments.settings,
            configuration: arguments.settings)
        // A start goes on without what may come later: the disk for downloads, an interface.
        try options.readFile(isStrict: arguments.checks)
        return options
    }

    /// Reads the host's configuration file and the user's again; on an error nothing changes. It blocks, and for long where
    /// a file or the directory for downloads is on a network share that hangs.
    /// - Parameter isStrict: whether a directory for downloads that can't be written to, or an interface that isn't there, is an
    ///   error.
    mutating func readFile(isStrict: Bool) throws(StartError) {
        // If the kernel doesn't say which interfaces there are, their names are not checked. A start goes on without one, because
        // it may come later: a card that is plugged in, a network that another service makes.
        let existing = isStrict ? Self.interfaces : nil
        if let existing, let unknown = commandLine.interfaces?.first(where: { !existing.contains($0) }) {
            throw .unusable("--interface: \(ConfigurationLayer.unknown(unknown, existing))")
        }
        func layer(_ file: String) throws(StartError) -> ConfigurationLayer? {
            let read = try NamedPlace.look(at: file) { () throws(StartError) in
                try Paths.readFile(file, limit: DaemonLimits.configurationBytes)
            }
            guard let bytes = read else { return nil }
            do {
                return try ConfigurationLayer(json5: bytes, file: file, existing: existing) {
                    !isStrict || Self.acceptsFiles($0)
                }
            } catch {
                throw .unusable(error.message)
            }
        }
        let host = try layer(Paths.hostConfiguration)
        // The user's own file may be a link to the host's.
        let path = Paths.absolute(configurationFile)
        let isHosts = try NamedPlace.look(at: configurationFile) { () throws(StartError) in
            Paths.isSame(path, Paths.hostConfiguration)
        }
        let own = isHosts ? nil : try layer(configurationFile)
        if requiresConfigurationFile, (isHosts ? host : own) == nil {
            throw .unusable("there is no configuration file \(configurationFile)")
        }
        let below = host?.forAllUsers ?? ConfigurationLayer()
        configuration = commandLine.over((own ?? ConfigurationLayer()).over(below))
        forcedByUser = (own?.forced ?? []).subtracting(below.forced)
        files = (host.map { _ in [Paths.hostConfiguration] } ?? []) + (own.map { _ in [configurationFile] } ?? [])
    }

    /// The names of this host's network interfaces; nil if the kernel doesn't say.
    private static var interfaces: Set<String>? { (try? NetworkInterfaces.list()).map { Set($0.map(\.name)) } }

    /// What is missing of the interfaces that the configuration names, for the log; nil if none is.
    var missingInterface: String? {
        guard let existing = Self.interfaces,
            let name = configuration.interfaces?.first(where: { !existing.contains($0) })
        else { return nil }
        return ConfigurationLayer.unknown(name, existing)
    }

    private static func acceptsFiles(_ folder: String) -> Bool {
        let look = { @Sendable () throws(StartError) in Destination(at: folder).isWritable }
        return (try? NamedPlace.look(at: folder, look)) ?? false
    }

    /// The options with what the configuration file and the roster say now. It blocks, see ``readFile()``.
    func reread() throws(StartError) -> Options {
        var new = self
        try new.readFile(isStrict: true)
        new.realmOnDisk = try new.readRealmKey()?.id
        new.readRoster(comparing: true)
        return new
    }

    /// Reads the roster. One that can't be used stops nothing: the one before stays. It blocks.
    /// - Parameter comparing: whether it is compared with the one that the daemon has acted upon last. At a start the
    ///   daemon does that once it has the database.
    mutating func readRoster(comparing: Bool) {
        rosterProblem = nil
        guard let source = configuration.roster else { return roster = nil }
        do {
            roster = comparing ? try source.check(data: Paths.absolute(dataDirectory)) : try source.read()
        } catch {
            rosterProblem = error.message
            if roster?.signer != source.signer { roster = nil }
        }
    }

    /// Reads the key of our realm, if the configuration names one. It blocks.
    func readRealmKey() throws(StartError) -> RealmKey? {
        try configuration.realmKeyFile.map { path throws(StartError) in
            let path = Paths.absolute(path)
            return try NamedPlace.look(at: path) { () throws(StartError) in try RealmKeyFile.read(path) }
        }
    }
}
