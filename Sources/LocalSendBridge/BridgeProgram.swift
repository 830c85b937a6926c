import ControlProtocol
import Crypto
import Glibc
import HTTP
import LocalSend
import Reactor

/// The program kibo-localsend: speaks LocalSend with devices nearby for the daemon, which starts it, hands it its sockets, and
/// exchanges lines of JSON with it over its standard input and output. It ends with them.
public enum BridgeProgram {
    private static let usage = """
        kibo-localsend speaks LocalSend for kibod, which starts it; see: kibo localsend

        """

    /// Runs as the words say, and ends the process.
    public static func run(_ words: [String]) -> Never {
        signal(SIGPIPE, SIG_IGN)
        let arguments = words.dropFirst()
        if arguments.first == "--try", let name = arguments.last {
            // As when it serves, the reactor's thread runs before.
            Confinement.onReactor { $0() }
            guard confine() else { exit(1) }
            Confinement.attempt(name)
            exit(0)
        }
        var kind = stat()
        guard arguments.isEmpty, fstat(STDIN_FILENO, &kind) == 0, kind.st_mode & S_IFMT == S_IFSOCK else {
            _ = usage.withCString { write(STDOUT_FILENO, $0, strlen($0)) }
            exit(arguments.isEmpty ? 2 : 0)
        }
        guard (try? Sodium.start()) != nil else { exit(1) }
        Reactor.shared.post { BridgeHolder.channel = Channel() }
        while true { poll(nil, 0, -1) }
    }

    static func confine() -> Bool {
        _ = try? JSONParser.parse("{}")
        return Confinement.close(descriptors: BridgeLimits.descriptors)
    }
}

/// Keeps the bridge for the life of the process.
@ReactorActor private enum BridgeHolder {
    static var channel: Channel?
}

/// The limits of the bridge as a program.
enum BridgeLimits {
    /// Descriptors: connections, those that wait, files, sockets, and a dozen of its own.
    static let descriptors: UInt64 = 192
    /// Connections that are served, that wait to be, and those of one address: eight files, and two requests beside them.
    static let connections = 32
    static let waiting = 32
    static let ofAddress = 10
    /// Fields of a head.
    static let fields = 40
    /// Bytes that the parser may use for a connection.
    static let connectionMemory = 64 << 10
    /// Seconds until the first byte, for a head, and for the body of a document.
    static let silentSeconds = 10
    static let headSeconds = 10
    static let bodySeconds = 30
    /// Seconds without a byte until a connection is over: more than an upload may rest, which ends with a better word.
    static let idleSeconds: UInt32 = 45
    /// Seconds in which a whole file has to come: a day; a file that rests is ended long before.
    static let fileSeconds = 24 * 3600
    /// Between two reports of how much has come.
    static let reportPause = Duration.milliseconds(250)
    /// The announcements at the start, and the pause before an answer to one, by datagram: one serves all who ask meanwhile.
    static let announcements: [Duration] = [.milliseconds(100), .milliseconds(500), .seconds(2)]
    static let answerPause = Duration.milliseconds(250)

    static var server: HTTPLimits {
        HTTPLimits(
            connections: connections, waiting: waiting, ofAddress: ofAddress, fields: fields,
            connectionMemory: connectionMemory, silentSeconds: silentSeconds, headSeconds: headSeconds, roomSeconds: 10,
            idleSeconds: idleSeconds, slowReaderSeconds: 30, bodySeconds: bodySeconds, largeBodySeconds: fileSeconds,
            sweepSeconds: 5, wake: 256 << 10)
    }
}
