import CLinux
import ControlProtocol
import Crypto
import Glibc
import HTTP
import Reactor

/// The program kibo-web: the broker, and as its child the worker.
public enum GatewayProgram {
    private static let usage = """
        usage: kibo-web [--start] [--socket PATH] [--assets DIRECTORY]

        The gateway between this user's browser and kibod. `kibo web` starts it and opens the browser.

          --start              turn on the user's unit, or without one go on in the background
          --socket PATH        the daemon's control socket; web.sock is made beside it
          --assets DIRECTORY   where the page lies (index.html and assets/); else share/kibo/web beside the program

        """

    /// Runs as the words say, and ends the process.
    public static func run(_ words: [String]) -> Never {
        signal(SIGPIPE, SIG_IGN)
        _ = WebLog.isJournal
        let arguments = words.dropFirst()
        if arguments.elementsEqual([WorkerConfiguration.word]) {
            // A user who starts the program like this by hand gives it no such line.
            guard let configuration = WorkerConfiguration(from: WorkerConfiguration.broker) else { exit(2) }
            work(configuration)
        }
        if arguments.first == "--try", let name = arguments.last {
            // As in the worker, the reactor's thread runs before.
            Confinement.onReactor { $0() }
            guard confine() else { exit(1) }
            Confinement.attempt(name)
            exit(0)
        }
        if arguments.contains("--help") || arguments.contains("-h") {
            _ = usage.withCString { write(STDOUT_FILENO, $0, strlen($0)) }
            exit(0)
        }
        do throws(GatewayFailure) {
            let options = try options(arguments.drop { $0 == "--start" })
            let places = GatewayPlaces(socket: options["--socket"])
            umask(0o077)
            if arguments.first == "--start" {
                try start(places, Array(arguments.dropFirst()))
                exit(0)
            }
            exit(try Broker(places: places, assets: options["--assets"]).run())
        } catch {
            WebLog.write(error.description, .error)
            exit(error.exitCode)
        }
    }

    private static func confine() -> Bool {
        _ = try? JSONParser.parse("{}")
        return Confinement.close(descriptors: WebLimits.descriptors)
    }

    /// Has the service manager start the gateway, or starts it as a process of its own.
    private static func start(_ places: GatewayPlaces, _ words: [String]) throws(GatewayFailure) {
        if let unit = UserUnit(places: places) { return try unit.start() }
        let program = try Broker.ownPath()
        let pid = CommandWords.with([program] + words) { kibo_spawn_detached(program, $0) }
        guard pid > 0 else { throw .system("start \(program)", -pid) }
    }

    private static func options(_ words: ArraySlice<String>) throws(GatewayFailure) -> [String: String] {
        var options: [String: String] = [:]
        var rest = words
        while let word = rest.popFirst() {
            guard ["--socket", "--assets"].contains(word), let value = rest.popFirst(), !value.isEmpty else {
                throw .usage("unknown or incomplete: \(word); see kibo-web --help")
            }
            options[word] = value
        }
        return options
    }

    /// The worker: all that needs a right is done first, then the rights go, then the sockets are served.
    private static func work(_ configuration: WorkerConfiguration) -> Never {
        let assets = Assets(directory: configuration.assets)
        let diagnosis = kibo_tcp_diagnosis()
        guard diagnosis >= 0, (try? Sodium.start()) != nil else {
            WebLog.write("the worker can't ask the kernel or has no randomness", .error)
            exit(1)
        }
        Reactor.shared.post {
            do {
                let worker = try WebWorker(configuration, assets: assets, diagnosis: diagnosis)
                try worker.start()
                // The first connection is accepted in a later turn.
                guard confine() else {
                    WebLog.write("the worker can't give up its rights", .error)
                    exit(1)
                }
                WorkerHolder.worker = worker
            } catch {
                WebLog.write("the worker can't start: \(error)", .error)
                exit(1)
            }
        }
        while true { poll(nil, 0, -1) }
    }
}

/// Keeps the worker for the life of the process.
@ReactorActor private enum WorkerHolder {
    static var worker: WebWorker?
}
