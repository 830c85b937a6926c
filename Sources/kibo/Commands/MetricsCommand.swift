import ControlProtocol

/// `kibo metrics`
struct MetricsCommand: Command {
    let spec = CommandSpec(
        "metrics", .other, "Print counters of the daemon, for Prometheus",
        details: """
            In Prometheus' text format, for a textfile collector or a cron job. The handbook explains each counter.
            With --json: as one string.
            """, examples: ["kibo metrics > /var/lib/node_exporter/kibo.prom"])

    func run(_ context: Context) throws -> ExitCode {
        let result = try context.client().call("system.metrics")
        if context.printJSON(result) { return .done }
        context.console.write(result.string ?? "")
        return .done
    }
}
