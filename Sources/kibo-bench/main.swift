// Measures whole daemons on loopback, as a client sees them: what a message costs, how fast a file goes, what idling
// takes, how a long history slows things; and discovery among simulated hosts. scripts/bench builds and drives it, and
// docs/PERFORMANCE.md says how to read it. It is not installed.

import Glibc

// A contender or a daemon that ends early is an error to report; it must not end this program by SIGPIPE.
signal(SIGPIPE, SIG_IGN)

func complain(_ text: String) {
    let bytes = Array("\(text)\n".utf8)
    _ = write(2, bytes, bytes.count)
}

do {
    var arguments = Arguments(CommandLine.arguments.dropFirst())
    switch arguments.command {
    case "messages":
        try MessageBench(
            latencies: arguments.number("--latencies", default: 1_000),
            throughput: arguments.number("--throughput", default: 20_000),
            rounds: arguments.number("--rounds", default: 3), contenders: arguments.contenders()
        ).run(arguments)
    case "files":
        try FileBench(
            mebibytes: arguments.number("--mebibytes", default: 4_096),
            rounds: arguments.number("--rounds", default: 3),
            directory: arguments.text("--directory", default: "/var/tmp"), contenders: arguments.contenders()
        ).run(arguments)
    case "tree":
        try TreeBench(
            files: arguments.number("--files", default: 10_000), bytes: arguments.number("--bytes", default: 4_096),
            rounds: arguments.number("--rounds", default: 3),
            directory: arguments.text("--directory", default: "/var/tmp"), contenders: arguments.contenders()
        ).run(arguments)
    case "chat":
        try ChatBench(
            mebibytes: arguments.number("--mebibytes", default: 4_096),
            messages: arguments.number("--messages", default: 1_000),
            rounds: arguments.number("--rounds", default: 3),
            directory: arguments.text("--directory", default: "/var/tmp")
        ).run(arguments)
    case "idle":
        try IdleBench(
            starts: arguments.number("--starts", default: 10), seconds: arguments.number("--seconds", default: 10)
        ).run(arguments)
    case "cache":
        try CacheBench(
            messages: arguments.number("--messages", default: 100_000),
            conversations: arguments.number("--conversations", default: 1_000),
            rounds: arguments.number("--rounds", default: 2_000)
        ).run(arguments)
    case "discovery":
        let hosts = try arguments.number("--hosts", default: 1_000)
        try DiscoveryBench(
            hosts: hosts, listeners: arguments.number("--listeners", default: hosts),
            seconds: arguments.number("--seconds", default: 3_600), seed: arguments.number("--seed", default: 1)
        ).run(arguments)
    case "veil":
        try VeilBench(friends: arguments.number("--friends", default: 10_000)).run(arguments)
    case "groups":
        try GroupBench(
            members: arguments.number("--members", default: 256),
            entries: arguments.number("--entries", default: 2_000),
            messages: arguments.number("--messages", default: 10_000)
        ).run(arguments)
    case "swarm":
        try SwarmBench(
            members: arguments.number("--members", default: 12), messages: arguments.number("--messages", default: 500)
        ).run(arguments)
    case "lan":
        try LanBench(
            daemons: arguments.number("--daemons", default: 60), rounds: arguments.number("--rounds", default: 5),
            seconds: arguments.number("--seconds", default: 60)
        ).run(arguments)
    case "hostile":
        let only = try arguments.text("--only", default: "")
        try HostileBench(
            seconds: arguments.number("--seconds", default: 15),
            attacks: Attack.allCases.filter { only.isEmpty || $0.rawValue == only }
        ).run(arguments)
    case "attack":
        // The command "hostile" starts this in a process of its own.
        try arguments.attacker().run()
    case "history":
        try HistoryBench(arguments: &arguments).run()
    default:
        throw Arguments.Misuse(description: Arguments.usage)
    }
} catch let misuse as Arguments.Misuse {
    complain("\(misuse)")
    exit(2)
} catch {
    complain("kibo-bench: \(error)")
    exit(1)
}
