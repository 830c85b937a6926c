import Arguments
import Basics

/// A measurement that the user can start, with its options.
struct BenchCommand: Sendable {
    let name: String
    let options: [OptionSpec]
    var arguments: [ArgumentSpec] = []
    /// Whether only the program itself starts it.
    var isInternal = false
    let run: @Sendable (ParsedArguments) throws -> Void

    private static let rounds = OptionSpec("--rounds", value: "N")
    private static let directory = OptionSpec("--directory", value: "DIR")
    private static let preload = OptionSpec("--preload", value: "LIBRARY")
    private static let contenders = OptionSpec("--contender", value: "NAME=COMMAND", repeats: true)

    private static func numbers(_ names: String...) -> [OptionSpec] { names.map { OptionSpec($0, value: "N") } }

    static let all = [
        BenchCommand(name: "messages", options: numbers("--latencies", "--throughput") + [rounds, contenders, preload])
        {
            try MessageBench(
                latencies: $0.number("--latencies", default: 1_000),
                throughput: $0.number("--throughput", default: 20_000), rounds: $0.number("--rounds", default: 3),
                contenders: Contender.all($0), preload: $0.value("--preload")
            ).run()
        },
        BenchCommand(name: "files", options: numbers("--mebibytes") + [rounds, directory, contenders]) {
            try FileBench(
                mebibytes: $0.number("--mebibytes", default: 4_096), rounds: $0.number("--rounds", default: 3),
                directory: $0.value("--directory") ?? "/var/tmp", contenders: Contender.all($0)
            ).run()
        },
        BenchCommand(name: "tree", options: numbers("--files", "--bytes") + [rounds, directory, contenders]) {
            try TreeBench(
                files: $0.number("--files", default: 10_000), bytes: $0.number("--bytes", default: 4_096),
                rounds: $0.number("--rounds", default: 3), directory: $0.value("--directory") ?? "/var/tmp",
                contenders: Contender.all($0)
            ).run()
        },
        BenchCommand(name: "chat", options: numbers("--mebibytes", "--messages") + [rounds, directory]) {
            try ChatBench(
                mebibytes: $0.number("--mebibytes", default: 4_096), messages: $0.number("--messages", default: 1_000),
                rounds: $0.number("--rounds", default: 3), directory: $0.value("--directory") ?? "/var/tmp"
            ).run()
        },
        BenchCommand(name: "idle", options: numbers("--starts", "--seconds")) {
            try IdleBench(
                starts: $0.number("--starts", default: 10), seconds: $0.number("--seconds", default: 10)
            ).run()
        },
        BenchCommand(name: "discovery", options: numbers("--hosts", "--listeners", "--seconds", "--seed")) {
            let hosts = try $0.number("--hosts", default: 1_000)
            try DiscoveryBench(
                hosts: hosts, listeners: $0.number("--listeners", default: hosts),
                seconds: $0.number("--seconds", default: 3_600), seed: $0.number("--seed", default: 1)
            ).run()
        },
        BenchCommand(name: "veil", options: numbers("--friends")) {
            try VeilBench(friends: $0.number("--friends", default: 10_000)).run()
        },
        BenchCommand(name: "swarm", options: numbers("--members", "--messages")) {
            try SwarmBench(
                members: $0.number("--members", default: 12), messages: $0.number("--messages", default: 500)
            ).run()
        },
        BenchCommand(name: "lan", options: numbers("--daemons") + [rounds] + numbers("--seconds")) {
            try LanBench(
                daemons: $0.number("--daemons", default: 60), rounds: $0.number("--rounds", default: 5),
                seconds: $0.number("--seconds", default: 60)
            ).run()
        },
        BenchCommand(
            name: "hostile",
            options: numbers("--seconds") + [
                OptionSpec("--only", value: Attack.allCases.map(\.rawValue).joined(separator: "|"))
            ]
        ) {
            let only = $0.value("--only")
            try HostileBench(
                seconds: $0.number("--seconds", default: 15),
                attacks: Attack.allCases.filter { only == nil || $0.rawValue == only }
            ).run()
        },
        BenchCommand(
            name: "attack", options: [OptionSpec("--target", value: "ADDR:PORT")] + numbers("--announce", "--seconds"),
            arguments: [ArgumentSpec("ATTACK", help: "")], isInternal: true
        ) {
            try Attacker($0).run()
        },
        BenchCommand(name: "cache", options: numbers("--messages", "--conversations") + [rounds]) {
            try CacheBench(
                messages: $0.number("--messages", default: 100_000),
                conversations: $0.number("--conversations", default: 1_000),
                rounds: $0.number("--rounds", default: 2_000)
            ).run()
        },
        BenchCommand(name: "groups", options: numbers("--members", "--entries", "--messages")) {
            try GroupBench(
                members: $0.number("--members", default: 256), entries: $0.number("--entries", default: 2_000),
                messages: $0.number("--messages", default: 10_000)
            ).run()
        },
        BenchCommand(
            name: "history",
            options: numbers("--messages", "--conversations", "--chinese", "--calls", "--starts") + [
                OptionSpec("--keep", value: "DIR"), OptionSpec("--reuse", value: "DIR"),
            ]
        ) {
            try HistoryBench($0).run()
        },
        BenchCommand(
            name: "backup",
            options: numbers("--messages", "--conversations") + [
                rounds, directory, contenders, OptionSpec("--reuse", value: "DIR"),
            ]
        ) {
            try BackupBench(
                messages: $0.number("--messages", default: 1_000_000),
                conversations: $0.number("--conversations", default: 1_000),
                rounds: $0.number("--rounds", default: 3), reuse: $0.value("--reuse"),
                directory: $0.value("--directory") ?? "/var/tmp", contenders: Contender.all($0)
            ).run()
        },
    ]

    /// Runs the measurement that a command line names.
    /// - Parameter words: the command line without the program's name.
    /// - Throws: ``ArgumentParser/Problem`` for a command line that makes no sense.
    static func run(_ words: [String]) throws {
        guard let command = all.first(where: { $0.name == words.first }) else {
            throw ArgumentParser.Problem(message: usage)
        }
        try command.run(command.parse(Array(words.dropFirst())))
    }

    func parse(_ words: [String]) throws(ArgumentParser.Problem) -> ParsedArguments {
        try ArgumentParser(options: options, arguments: arguments).parse(words)
    }

    static var usage: String {
        let lines = all.filter { !$0.isInternal }.map { command in
            (["kibo-bench", command.name] + command.options.map(\.usage)).joined(separator: " ")
        }
        return """
            usage: \(lines.joined(separator: "\n       "))
            A contender's command is run by sh. For files and trees it has $SOURCE and $DESTINATION, where its copy has to be;
            for a backup $SOURCE is the database and $DESTINATION a file;
            for messages $LATENCIES, $THROUGHPUT and $WINDOW, and it prints p50=MILLISECONDS p99=MILLISECONDS rate=PER_SECOND.
            --chinese is the share of conversations in Chinese, in percent.
            --keep leaves a copy of the history in DIR; --reuse measures such a copy, which stays as it is.
            The daemon is the one in $KIBO_BIN_DIR, else the one beside this program.
            """
    }
}
