import Basics

/// What stands on `kibod`'s command line.
///
/// This room (`Start`) turns arguments, the configuration file and the data directory into a running ``Daemon``. It may
/// touch files and the environment; everything that it finds is handed on as values.
public struct Arguments: Sendable, Equatable {
    public var dataDirectory: String?
    public var socketPath: String?
    public var configurationFile: String?
    public var settings = ConfigurationLayer()
    /// Where to make a new realm key, instead of running.
    public var newRealmKey: String?
    public var showsVersion = false
    public var showsHelp = false

    /// A command line that can't be understood, in words for a person.
    public struct UsageError: Error, Equatable {
        public let message: String
    }

    /// - Parameter arguments: without the program's name.
    public init(_ arguments: [String]) throws(UsageError) {
        var rest = arguments[...]
        while let argument = rest.popFirst() {
            var name = argument
            var inline: String?
            if argument.hasPrefix("--"), let equals = argument.firstIndex(of: "=") {
                name = String(argument[..<equals])
                inline = String(argument[argument.index(after: equals)...])
            }
            func value() throws(UsageError) -> String {
                if let inline { return inline }
                guard let next = rest.popFirst() else { throw UsageError(message: "\(name) needs a value") }
                return next
            }
            switch name {
            case "--data": dataDirectory = try value()
            case "--socket": socketPath = try value()
            case "--config": configurationFile = try value()
            case "--listen": settings.listen = try Self.address(try value(), for: name)
            case "--discovery-port": settings.discoveryPort = try Self.port(try value(), for: name)
            case "--interface": settings.interfaces = (settings.interfaces ?? []) + [try value()]
            case "--peer": settings.peers = (settings.peers ?? []) + [try Self.peer(try value(), for: name)]
            case "--no-discovery": settings.discovery = false
            case "--realm-key-file": settings.realmKeyFile = try value()
            case "--make-realm-key": newRealmKey = try value()
            case "--log-level": settings.logLevel = try Self.choice(try value(), for: name)
            case "--log-format": settings.logFormat = try Self.choice(try value(), for: name)
            case "--version": showsVersion = true
            case "--help", "-h": showsHelp = true
            default: throw UsageError(message: "unknown argument \(argument); kibod --help lists them")
            }
        }
    }

    private static func address(_ text: String, for name: String) throws(UsageError) -> SocketAddress {
        guard let address = SocketAddress(text) else {
            throw UsageError(message: "\(name): \(text) is not an address with a port, such as 192.0.2.7:15426")
        }
        return address
    }

    private static func peer(_ text: String, for name: String) throws(UsageError) -> PeerAddress {
        guard let address = PeerAddress(text) else {
            throw UsageError(message: "\(name): \(text) is not a host or address with a port, such as nas.local:15426")
        }
        return address
    }

    private static func port(_ text: String, for name: String) throws(UsageError) -> UInt16 {
        guard let port = UInt16(text), port > 0 else {
            throw UsageError(message: "\(name): \(text) is not a port from 1 to 65535")
        }
        return port
    }

    private static func choice<Choice: CaseIterable & RawRepresentable<String>>(
        _ text: String, for name: String
    ) throws(UsageError) -> Choice {
        guard let choice = Choice(rawValue: text) else {
            let all = Choice.allCases.map(\.rawValue).joined(separator: ", ")
            throw UsageError(message: "\(name): \(text) is none of \(all)")
        }
        return choice
    }

    /// The text of `kibod --help`.
    public static let help = """
        kibod – the Kibo daemon: finds other Kibos on this network, keeps messages, moves files

        usage: kibod [options]

          --data DIR             where everything is kept (default $XDG_DATA_HOME/kibo)
          --socket PATH          control socket (default $KIBO_SOCKET, else $XDG_RUNTIME_DIR/kibo/kibod.sock)
          --config FILE          configuration (default $XDG_CONFIG_HOME/kibo/kibod.json5)
          --listen ADDR:PORT     where peers connect (default all chosen interfaces, port 15426 or the next free one)
          --discovery-port N     UDP port of the announcements (default 15426)
          --interface NAME       use only this interface; may be given several times (lo: this host only)
          --peer ADDR:PORT       a peer that announcements don't reach; may be given several times
          --no-discovery         neither announce nor listen for announcements
          --realm-key-file FILE  key of this realm, with which only those who have it too can be spoken to
          --make-realm-key FILE  make such a key in a new file, and end
          --log-level LEVEL      trace, debug, info, notice, warning, error (default info)
          --log-format FORMAT    text, json (default text)
          --version, --help

        Runs in the foreground and logs to standard error. SIGTERM ends it cleanly, SIGHUP rereads the configuration.
        Exit codes: 0 ended as asked, 1 failed, 2 usage, 6 another daemon has this data or socket.

        """
}
