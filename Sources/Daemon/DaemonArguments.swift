import Arguments
import Basics
import Network
import Runtime

/// The arguments of `kibod`'s command line. The start turns it, the configuration file and the data directory into a running
/// ``Daemon``.
public struct DaemonArguments: Sendable, Equatable {
    public var dataDirectory: String?
    public var socketPath: String?
    public var configurationFile: String?
    public var settings = ConfigurationLayer()
    /// Where to make a new realm key, instead of running.
    public var newRealmKey: String?
    /// Whether to check the configuration, instead of running.
    public var checks = false
    /// Whether to repair the database, instead of running.
    public var repairs = false
    public var showsVersion = false
    public var showsHelp = false
    public var showsManual = false

    private static let options = [
        OptionSpec("--data", value: "DIR", help: "where everything is kept (default $XDG_DATA_HOME/kibo)"),
        OptionSpec(
            "--socket", value: "PATH",
            help: "control socket (default $KIBO_SOCKET, else kibo/kibod.sock in $XDG_RUNTIME_DIR or /run/user/UID)"),
        OptionSpec(
            "--config", value: "FILE",
            help: "your configuration, over /etc/kibo/kibod.json5 (default $XDG_CONFIG_HOME/kibo/kibod.json5)"),
        OptionSpec(
            "--listen", value: "ADDR[:PORT]",
            help: "where peers connect (default all chosen interfaces, a port of this user's own from 15426 down)"),
        OptionSpec("--discovery-port", value: "N", help: "UDP port of the announcements (default 15426)"),
        OptionSpec(
            "--interface", value: "NAME", repeats: true,
            help: "use only this interface; may be given several times (lo: this host only)"),
        OptionSpec(
            "--peer", value: "ADDR:PORT", repeats: true,
            help: "a peer that announcements don't reach; may be given several times"),
        OptionSpec("--no-discovery", help: "neither announce nor listen for announcements"),
        OptionSpec(
            "--realm-key-file", value: "FILE",
            help: "key of this realm: only daemons with the same key can talk to this one"),
        OptionSpec("--make-realm-key", value: "FILE", help: "make such a key in a new file, and end"),
        OptionSpec(
            "--log-level", value: "LEVEL", help: "\(names(of: LogLevel.self)) (default info)"),
        OptionSpec("--log-format", value: "FORMAT", help: "\(names(of: LogFormat.self)) (default text)"),
        OptionSpec("--check", help: "say whether the configuration can be used, and end"),
        OptionSpec("--repair", help: "save what can be read of a damaged database, and end (kibo doctor --repair)"),
        OptionSpec("--version", help: "print the version"),
        OptionSpec("--manual", help: "print this as a page for man(1)"),
        OptionSpec("--help", short: "-h", help: "show this"),
    ]

    /// - Parameter words: without the program's name.
    /// - Throws: what is wrong with them, for the user.
    package init(_ words: [String]) throws(ArgumentParser.Problem) {
        let parsed = try ArgumentParser(options: Self.options).parse(words)
        showsVersion = parsed.has("--version")
        showsHelp = parsed.has("--help")
        showsManual = parsed.has("--manual")
        if showsVersion || showsHelp || showsManual { return }
        dataDirectory = parsed.value("--data")
        socketPath = parsed.value("--socket")
        configurationFile = parsed.value("--config")
        newRealmKey = parsed.value("--make-realm-key")
        checks = parsed.has("--check")
        repairs = parsed.has("--repair")
        func read<Value>(
            _ option: String, _ expected: String, _ meaning: (String) -> Value?
        ) throws(ArgumentParser.Problem) -> [Value]? {
            var values: [Value] = []
            for text in parsed.values(option) {
                values.append(try ParsedArguments.read(text, of: option, expected: expected, meaning))
            }
            return values.isEmpty ? nil : values
        }
        settings.listen = try read("--listen", "an address, such as 192.0.2.7:15426") { ListenPlace($0) }?
            .last
        settings.discoveryPort =
            try read("--discovery-port", "a port from 1 to 65535") { UInt16($0).flatMap { $0 > 0 ? $0 : nil } }?.last
        settings.interfaces = try read("--interface", "a name") { $0 }
        settings.peers = try read("--peer", "a host or address with a port, such as nas.local:15426") {
            PeerAddress($0)
        }
        settings.discovery = parsed.has("--no-discovery") ? false : nil
        settings.realmKeyFile = parsed.value("--realm-key-file")
        settings.logLevel = try read("--log-level", "one of \(Self.names(of: LogLevel.self))", LogLevel.init)?.last
        settings.logFormat = try read("--log-format", "one of \(Self.names(of: LogFormat.self))", LogFormat.init)?.last
    }

    private static func names<Choice: CaseIterable & RawRepresentable<String>>(of choices: Choice.Type) -> String {
        choices.allCases.map(\.rawValue).joined(separator: ", ")
    }

    private static let summary = "the Kibo daemon: finds other Kibos on this network, keeps messages, moves files"
    private static let remarks = """
        Runs in the foreground and logs to standard error. SIGTERM ends it cleanly, SIGHUP rereads the configuration.
        Exit codes: 0 ended as asked, 1 failed, 2 usage, 6 another daemon has this data or socket, 78 the configuration,
        a key, an address or the data can't be used.
        """

    /// The text of `kibod --help`.
    package static var help: String {
        let width = options.map(\.title.count).max() ?? 0
        let lines = options.map { option in
            "  " + option.title + String(repeating: " ", count: width - option.title.count + 2) + option.help
        }
        return """
            kibod – \(summary)

            usage: kibod [options]

            \(lines.joined(separator: "\n"))

            \(remarks)

            """
    }

    /// kibod(8), for `kibod --manual`.
    package static var manual: String {
        var page = ManualPage("kibod", section: 8, summary: summary, source: "Kibo \(Kibod.version)")
        page.section("SYNOPSIS")
        page.paragraph("kibod [options]")
        page.section("DESCRIPTION")
        page.paragraph(
            """
            Kibo is a messenger for one local network, without a server. Each user has a daemon: as the user's unit
            kibod.service, as the system unit kibod@USER.service, or started by hand. kibo(1) and kibo web talk to it.
            """)
        page.paragraph(remarks)
        page.section("OPTIONS")
        page.items(options)
        page.section("SEE ALSO")
        page.paragraph("kibo(1), kibod.json5(5)")
        return page.text
    }
}
