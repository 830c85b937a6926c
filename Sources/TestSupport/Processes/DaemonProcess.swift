// The module of everything that starts real programs. It may use processes, files and loopback sockets. It knows the
// daemon only by its command line and its control socket.

import Basics
import ControlProtocol
import Glibc
import Vocabulary

/// A real `kibod` on loopback with temporary data, for tests of whole daemons and for measuring them.
///
/// ```swift
/// let port = try FreePort.udp()
/// let anna = try DaemonProcess.launch(name: "Anna", options: .init(discoveryPort: port))
/// let ben = try DaemonProcess.launch(name: "Ben", options: .init(discoveryPort: port))
/// try anna.befriend(ben)
/// ben.kill()
/// try ben.start()
/// ```
///
/// For one thread; calls block. When the value goes, the daemon is killed and its data are removed.
public final class DaemonProcess {
    /// How a daemon is started.
    public struct Options: Sendable {
        /// The UDP port of this test's own network; nil for no discovery at all.
        public var discoveryPort: UInt16?
        /// The address to listen on for peers; port 0 lets the system choose.
        public var listen = "127.0.0.1:0"
        /// `address:port` of peers to keep connections with.
        public var peers: [String] = []
        public var logLevel: LogLevel = .debug
        /// Whether the command line names the level; otherwise the configuration does.
        public var namesLogLevel = true
        /// Further arguments of `kibod`.
        public var arguments: [String] = []
        /// The beginning of the command line, such as a tracer that then becomes the daemon.
        public var wrapper: [String] = []
        /// Whether programs of the daemon's user may look into it. Tests count its files and search its memory; root may
        /// do so anyway.
        public var isDumpable = geteuid() != 0
        /// Further environment.
        public var environment: [String: String] = [:]

        /// Whether ``launch(name:options:)`` allows files of any type and takes none automatically, so that a test of
        /// something else sees every offer. False leaves the settings of files at their defaults.
        public var asksForFiles = true

        /// Whether everything that the daemon answers is held against the catalogue: an answer or event that breaks the contract
        /// is an error of the client. False where time is measured.
        public var checksContract = true

        /// Whether Argon2 costs as much as it costs users, also in suites in which it costs little (scripts/test).
        public var paysForPassphrases = false

        /// The network namespace to run in; nil for the current one, with loopback only.
        public var namespace: TestNetwork.Host?

        public init(discoveryPort: UInt16? = nil, logLevel: LogLevel = .debug) {
            self.discoveryPort = discoveryPort
            self.logLevel = logLevel
        }

        /// For a daemon that is measured: it logs little, and its answers are not checked.
        public static func measured(discoveryPort: UInt16? = nil, logLevel: LogLevel = .notice) -> Options {
            var options = Options(discoveryPort: discoveryPort, logLevel: logLevel)
            options.checksContract = false
            return options
        }
    }

    /// A daemon that did not start, or did not do what was asked, with the end of its log.
    public struct Failure: Error, CustomStringConvertible {
        public let description: String
    }

    /// The daemon's name in reports, and the account's display name where ``launch(name:options:)`` makes one.
    public let name: String
    /// The directory of the data, the socket, the log and the downloads.
    public let directory: TemporaryDirectory
    public var options: Options
    /// How long the last start took, from the call until the first answer.
    public private(set) var startDuration = Duration.zero

    private var process: ChildProcess?
    private var connection: ControlClient?

    /// Prepares a daemon without starting it.
    /// - Throws: ``SystemError``.
    public init(name: String, options: Options) throws(SystemError) {
        self.name = name
        self.options = options
        directory = try TemporaryDirectory()
        for part in ["data", "config", "home", "Downloads"] { try directory.makeDirectory(part) }
    }

    /// Starts a daemon and makes an account with that name.
    public static func launch(name: String, options: Options = Options()) throws -> DaemonProcess {
        let daemon = try DaemonProcess(name: name, options: options)
        try daemon.start()
        if options.asksForFiles {
            try daemon.set("files.allowedTypes", to: ["*"])
            try daemon.set("files.autoDownload", to: "never")
        }
        try daemon.createAccount()
        return daemon
    }

    public var dataPath: String { directory.file("data") }
    public var socketPath: String { directory.file("kibod.sock") }
    /// Where the daemon looks for the configuration of the host; there is no such file until a test writes it.
    public var hostConfigurationPath: String { directory.file("host.json5") }
    public var logPath: String { directory.file("log") }
    /// The folder for received files unless a request names another one.
    public var downloadsPath: String { directory.file("Downloads/Kibo") }
    public var pid: pid_t? { process?.end == nil ? process?.pid : nil }
    public var isRunning: Bool { pid != nil }

    /// The whole log so far, over all starts.
    public var log: String { (try? TextFile.text(logPath)) ?? "" }

    // MARK: Running

    /// Starts the daemon on its data, and returns when it answers `system.hello`.
    /// - Throws: ``Failure`` if the daemon ends or does not answer in time, ``SystemError`` if there is no such
    ///   program.
    public func start(within limit: Duration = Patience.usual) throws {
        let clocks = SystemClocks()
        let begin = clocks.now
        let started = try spawn()
        while true {
            if let end = started.end { throw Failure(description: "\(name) ended at its start, \(end)\n\(logTail)") }
            if let client = try? connect(),
                (try? client.call("system.hello", Self.hello, timeout: .seconds(5))) != nil
            {
                connection = client
                break
            }
            guard clocks.now - begin < limit else {
                throw Failure(description: "\(name) did not answer within \(limit)\n\(logTail)")
            }
            usleep(1_000)
        }
        startDuration = clocks.now - begin
    }

    /// Connects again to a daemon that restarts by itself, and waits until its answer satisfies `isReady`.
    /// - Throws: ``Failure`` if it ends or does not answer so in time.
    public func reconnect(within limit: Duration = Patience.usual, until isReady: (JSONValue) -> Bool) throws {
        connection = nil
        connection = try Patience.until("\(name) to be back", within: limit, report: logTail) {
            if let end = process?.end { throw Failure(description: "\(name) ended, \(end)\n\(logTail)") }
            guard let client = try? connect(),
                let hello = try? client.call("system.hello", Self.hello, timeout: .seconds(5)), isReady(hello)
            else { return nil }
            return client
        }
    }

    /// Starts the daemon on its data, and does not wait until it answers.
    @discardableResult
    public func spawn() throws -> ChildProcess {
        precondition(!isRunning, "\(name) runs already")
        let command = (options.namespace?.prefix ?? []) + options.wrapper + [ProgramPaths.kibod] + arguments
        let started = try ChildProcess(
            command[0], Array(command.dropFirst()), environment: environment, outputPath: logPath)
        process = started
        connection = nil
        return started
    }

    /// Kills the daemon with SIGKILL; its data stay.
    public func kill() {
        connection = nil
        process?.kill()
    }

    /// Sends SIGTERM and waits for the end.
    /// - Throws: ``Failure`` if the daemon is not gone in time, or ended with another status than 0.
    public func stop(within limit: Duration = Patience.usual) throws {
        connection = nil
        process?.signal(SIGTERM)
        switch process?.wait(limit) {
        case .exited(0): return
        case .some(let end): throw Failure(description: "\(name) stopped with \(end)\n\(logTail)")
        case nil: throw Failure(description: "\(name) did not stop within \(limit)\n\(logTail)")
        }
    }

    /// Lets the daemon read its configuration again (SIGHUP).
    public func reload() { process?.signal(SIGHUP) }

    /// Stops the daemon as SIGSTOP does, or lets it go on.
    public func freeze(_ isFrozen: Bool) { process?.signal(isFrozen ? SIGSTOP : SIGCONT) }

    /// Waits for an end that comes by itself; nil if it does not come in time.
    public func waitForEnd(within limit: Duration = Patience.usual) -> ChildProcess.End? { process?.wait(limit) }

    // MARK: Speaking

    /// The connection that ``start(within:)`` made.
    /// - Throws: ``Failure`` while the daemon does not run.
    public var client: ControlClient {
        get throws {
            guard let connection else { throw Failure(description: "\(name) does not run\n\(logTail)") }
            return connection
        }
    }

    /// Makes another connection to the control socket, for its own subscriptions.
    public func connect() throws(ClientError) -> ControlClient {
        let client = try ControlClient.connect(path: socketPath)
        if options.checksContract { client.witness = ContractWitness() }
        return client
    }

    /// Calls a method over ``client``.
    /// - Throws: ``Failure`` with method and log if the daemon does not answer. An error that the daemon returns is
    ///   thrown as it is.
    @discardableResult
    public func call(_ method: String, _ params: JSONObject = [:]) throws -> JSONValue {
        do {
            return try client.call(method, params, timeout: Patience.usual)
        } catch let error as ClientError {
            if case .refused = error { throw error }
            throw Failure(description: "\(name): \(method): \(error)\n\(logTail)")
        }
    }

    /// The end of the log, for the message of a failure.
    public var logTail: String { "--- log of \(name)\n\(TextFile.tail(log, lines: 40))" }

    private static let hello: JSONObject = ["client": "tests", "version": "1"]

    private var arguments: [String] {
        var words = ["--data", dataPath, "--socket", socketPath]
        // Outside a namespace of the test's own, nothing ever leaves this host.
        if let namespace = options.namespace {
            for interface in namespace.interfaces { words += ["--interface", interface] }
        } else {
            words += ["--listen", options.listen, "--interface", "lo"]
        }
        if let port = options.discoveryPort {
            words += ["--discovery-port", "\(port)"]
        } else {
            words.append("--no-discovery")
        }
        for peer in options.peers { words += ["--peer", peer] }
        if options.namesLogLevel { words += ["--log-level", options.logLevel.rawValue] }
        return words + options.arguments
    }

    /// The daemon's environment. Nothing of the user who runs the tests is touched, whatever the daemon's defaults are.
    private var environment: [String: String] {
        var variables = [
            "PATH": "/usr/local/bin:/usr/bin:/bin", "LANG": "C.UTF-8", "HOME": directory.file("home"),
            "XDG_CONFIG_HOME": directory.file("config"), "XDG_DATA_HOME": dataPath,
            "XDG_DOWNLOAD_DIR": directory.file("Downloads"), "XDG_RUNTIME_DIR": directory.path,
            "KIBOD_HOST_CONFIG": hostConfigurationPath,
        ]
        if options.isDumpable { variables["KIBOD_DUMPABLE"] = "1" }
        variables.merge(options.environment) { $1 }
        // scripts/test has put the same library into this process.
        if !options.paysForPassphrases, let cheap = getenv("KIBO_CHEAP_PASSPHRASES") {
            variables["LD_PRELOAD"] = [String(cString: cheap), variables["LD_PRELOAD"]].compactMap(\.self)
                .joined(separator: ":")
        }
        return variables
    }
}

/// The answer of `kibo`, as a user sees it.
public struct CommandLineAnswer: Sendable, CustomStringConvertible {
    public let words: [String]
    /// The exit status.
    public let code: CInt
    /// Standard output and error together.
    public let text: String

    public var isDone: Bool { code == 0 }
    public var description: String { "kibo \(words.joined(separator: " ")) (\(code))\n\(text)" }
}

extension DaemonProcess {
    /// Runs the real command line with this daemon, as its user would.
    /// - Throws: ``Failure`` if it does not end in time.
    @discardableResult
    public func kibo(_ words: String..., within limit: Duration = Patience.usual) throws -> CommandLineAnswer {
        try kibo(words, within: limit)
    }

    /// Runs the command line with words in a list.
    @discardableResult
    public func kibo(_ words: [String], within limit: Duration = Patience.usual) throws -> CommandLineAnswer {
        let place = try TemporaryDirectory()
        let output = place.file("output")
        let child = try ChildProcess(
            ProgramPaths.kibo, ["--socket", socketPath] + words,
            environment: ["PATH": "/usr/bin:/bin", "LANG": "C.UTF-8", "COLUMNS": "120", "NO_COLOR": "1"],
            outputPath: output)
        guard case .exited(let code)? = child.wait(limit) else {
            throw Failure(description: "kibo \(words.joined(separator: " ")) did not end\n\(logTail)")
        }
        return CommandLineAnswer(words: words, code: code, text: (try? TextFile.text(output)) ?? "")
    }
}

/// Old copies of a data directory, as a backup, a snapshot or a machine's image brings them back.
extension DaemonProcess {
    /// Copies the data of a daemon that doesn't run.
    /// - Returns: the path of the copy, for ``putBack(_:)``.
    public func copyData() throws -> String {
        let path = directory.file("copy-\(TemporaryDirectory.names(in: directory.path).count)")
        try copy(dataPath, to: path)
        return path
    }

    /// Puts a copy in the place of the data of a daemon that doesn't run. The copy stays.
    public func putBack(_ copy: String) throws {
        TemporaryDirectory.remove(dataPath)
        try self.copy(copy, to: dataPath)
    }

    private func copy(_ from: String, to path: String) throws {
        precondition(!isRunning, "\(name) runs")
        let copier = try ChildProcess(
            "/bin/cp", ["-a", from, path], environment: [:], outputPath: directory.file("copies"))
        guard case .exited(0) = copier.wait(Patience.usual) else {
            throw Failure(description: "\(from) can't be copied to \(path)")
        }
    }
}

/// First steps of most tests of daemons: accounts, friends, a conversation. They use the control API, as any client
/// would.
extension DaemonProcess {
    /// Makes the account, named like the daemon.
    @discardableResult
    public func createAccount() throws -> Account {
        try Account(json: call("account.create", ["displayName": .string(name)]))
    }

    /// Changes a setting.
    public func set(_ key: String, to value: JSONValue) throws {
        try call("settings.set", ["key": .string(key), "value": value])
    }

    /// This daemon's account.
    public var account: Account { get throws { try Account(json: call("account.get")) } }

    /// `system.status`.
    public var status: DaemonStatus { get throws { try DaemonStatus(json: call("system.status")) } }

    /// The first address at which peers reach the daemon.
    /// - Throws: what ``Patience`` throws, if the daemon does not listen.
    public var listenAddress: String {
        get throws { try Patience.until("\(name) to listen", report: logTail) { try status.listen.first } }
    }

    /// All peers on its network now.
    public var peers: [Peer] {
        get throws { try (call("peer.list")["peers"]?.array ?? []).map { json in try Peer(json: json) } }
    }

    /// One of its contacts; nil if the daemon doesn't know the account.
    public func contact(_ id: String) throws -> Contact? {
        do {
            return try Contact(json: call("contact.get", ["id": .string(id)]))
        } catch ClientError.refused(let error) where error.data?["kind"]?.string == "not_found" {
            return nil
        }
    }

    /// Waits until this daemon sees the other daemon on the network.
    public func waitToSee(_ other: DaemonProcess, within limit: Duration = Patience.usual) throws {
        let id = try other.account.id
        try Patience.until("\(name) to see \(other.name)", within: limit, report: logTail + other.logTail) {
            try peers.contains { $0.account == id }
        }
    }

    /// Asks the other daemon's account to be a friend, has it accept, and waits until both know. Uses the address where
    /// there is no discovery.
    public func befriend(_ other: DaemonProcess) throws {
        let (own, theirs) = (try account.id, try other.account.id)
        if options.discoveryPort == nil {
            try call("contact.request", ["address": .string(try other.listenAddress)])
        } else {
            try waitToSee(other)
            try call("contact.request", ["id": .string(theirs)])
        }
        func wait(_ daemon: DaemonProcess, _ id: String, _ relation: Relation) throws {
            try Patience.until("\(daemon.name): relation \(relation)", report: logTail + other.logTail) {
                try daemon.contact(id)?.relation == relation
            }
        }
        try wait(other, own, .incoming)
        try other.call("contact.accept", ["id": .string(own)])
        try wait(other, own, .friend)
        try wait(self, theirs, .friend)
    }

    /// The conversation with a friend, made if needed.
    public func conversation(with other: DaemonProcess) throws -> String {
        let id = try other.account.id
        return try Conversation(json: call("conversation.open", ["contact": .string(id)])).id
    }
}
