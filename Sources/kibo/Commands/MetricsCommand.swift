import Arguments
import ControlProtocol

/// `kibo metrics [--label NAME=VALUE]… [--output FILE]`
struct MetricsCommand: Command {
    let spec = CommandSpec(
        "metrics", .other, "Print counters of the daemon, for Prometheus",
        options: [
            OptionSpec(
                "--label", value: "NAME=VALUE", repeats: true,
                help: "put this label on each counter, so that the files of several users differ"),
            OptionSpec("--output", short: "-o", value: "FILE", help: "write this file; readers never see half of it"),
        ],
        details: """
            In Prometheus' text format, for a textfile collector. The handbook explains each counter, and has a
            timer that writes the file. With --json: as one string.
            """,
        examples: [
            "kibo metrics", "kibo metrics --label account=anna -o /var/lib/prometheus/node-exporter/kibo-anna.prom",
        ])

    func run(_ context: Context) throws -> ExitCode {
        var labels: [(name: String, value: String)] = []
        for word in context.arguments.values("--label") {
            guard let label = Counters.label(word), !labels.contains(where: { $0.name == label.name }) else {
                throw Failure.usage("--label must be NAME=VALUE, each name once, not \"\(word)\"", command: "metrics")
            }
            labels.append(label)
        }
        let output = try context.arguments.value("--output").map { try LocalPath.new($0) }
        var counters = try Counters(context.client().call("system.metrics").string ?? "")
        try counters.add(labels)
        guard let output else {
            if !context.printJSON(.string(counters.text)) { context.console.write(counters.text) }
            return .done
        }
        // The collector is another user.
        try WholeFile.replace(output, with: counters.text, mode: 0o644, followsLinks: false)
        _ = context.printJSON(["path": .string(output)])
        return .done
    }
}
