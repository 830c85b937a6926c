import Arguments
import Basics
import ControlProtocol

/// `kibo doctor`
struct DoctorCommand: Command {
    let spec = CommandSpec(
        "doctor", .start, "Find out why you and others can't find each other",
        options: [
            OptionSpec("--repair", help: "save what can be read of a damaged database; the daemon must not run"),
            OptionSpec(
                "--data", value: "DIR", help: "with --repair: the daemon's data directory, if it is not the usual one"),
        ],
        details: """
            Checks interfaces, announcements, the port (with the help of a connected friend), the
            firewall, clocks, disks, the database and permissions, and says what to do. Takes a few seconds.
            The exit code is 1 if something is wrong.

            --repair makes a new database from whatever can be read of a damaged one, and says what is lost. The damaged
            files stay beside it, as they were. Stop the daemon first; for kibod@USER: --data /var/lib/kibo/USER/data
            """)

    /// Longer than the daemon takes with a large database.
    private static let patience = Duration.seconds(90)

    func run(_ context: Context) throws -> ExitCode {
        if context.arguments.has("--repair") { return try repair(context) }
        if context.arguments.value("--data") != nil {
            throw Failure.usage("--data belongs to --repair", command: "doctor")
        }
        let result = try context.client().call("system.doctor", timeout: Self.patience)
        let checks = try (result["checks"]?.array ?? []).map { try DoctorCheck(json: $0) }
        let isWell = checks.allSatisfy(\.ok)
        if context.printJSON(result) { return isWell ? .done : .failed }
        let console = context.console
        let width = checks.map(\.name.count).max() ?? 0
        let indent = String(repeating: " ", count: width + 8)
        for check in checks {
            let sign = check.ok ? console.styled("ok", .green) + "   " : console.styled("look", .yellow) + " "
            let name = ForeignText.escaped(check.name)
            let padding = String(repeating: " ", count: max(0, width - name.count) + 2)
            let findings = StyledLine(ForeignText.escaped(DoctorWords.findings(of: check)))
            let rows = console.columns.map { findings.wrapped(to: $0 - indent.count) } ?? [findings]
            console.line(sign + " " + name + padding + rows.map(\.text).joined(separator: "\n" + indent))
            guard let hint = DoctorWords.advice(of: check) else { continue }
            // A terminal that breaks the line by itself lets people copy a command whole.
            console.line(indent + console.styled("→ ", .bold) + ForeignText.escaped(hint))
        }
        if isWell { console.line("Nothing seems to be wrong.") }
        return isWell ? .done : .failed
    }

    /// The daemon's program does it: only that knows the database.
    private func repair(_ context: Context) throws -> ExitCode {
        if context.json {
            throw Failure.usage("--repair prints text only; leave out --json", command: "doctor")
        }
        let data = context.arguments.value("--data")
        // With another directory another daemon is meant; its lock keeps the two apart.
        if data == nil, (try? context.client()) != nil {
            throw Failure(
                .failed, "The daemon is running and using the database.",
                hint: "Stop it first: \(DaemonUnit(socket: context.socketPath).command("stop"))")
        }
        guard let program = Program.find(["kibod", "../sbin/kibod", "../libexec/kibo/kibod"]) else {
            throw Failure(.failed, "kibod is not installed beside kibo.", hint: "Run it by hand: kibod --repair")
        }
        let status = Program.run(program, ["--repair"] + (data.map { ["--data", $0] } ?? []))
        return status == 0 ? .done : .failed
    }
}
