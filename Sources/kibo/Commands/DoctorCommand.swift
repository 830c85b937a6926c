import Basics
import ControlProtocol

/// `kibo doctor`
struct DoctorCommand: Command {
    let spec = CommandSpec(
        "doctor", .start, "Find out why others don't find you, or you don't find them",
        details: """
            Looks at interfaces, announcements, the port (with the help of a friend who is connected), the
            firewall, clocks, disks, the database and permissions, and says what to do. Takes some seconds.
            Ends with 1 if something is wrong.
            """)

    /// Longer than the daemon takes with a large database.
    private static let patience = Duration.seconds(90)

    func run(_ context: Context) throws -> ExitCode {
        let result = try context.client().call("system.doctor", timeout: Self.patience)
        let checks = try (result["checks"]?.array ?? []).map { try DoctorCheck(json: $0) }
        let isWell = checks.allSatisfy(\.ok)
        if context.printJSON(result) { return isWell ? .done : .failed }
        let console = context.console
        let width = checks.map(\.name.count).max() ?? 0
        for check in checks {
            let sign = check.ok ? console.styled("ok", .green) + "   " : console.styled("look", .yellow) + " "
            let name = ForeignText.escaped(check.name)
            let padding = String(repeating: " ", count: max(0, width - name.count) + 2)
            console.line(sign + " " + name + padding + ForeignText.escaped(DoctorWords.findings(of: check)))
            guard let hint = DoctorWords.advice(of: check) else { continue }
            console.line(
                String(repeating: " ", count: width + 8) + console.styled("→ ", .bold) + ForeignText.escaped(hint))
        }
        if isWell { console.line("Nothing seems to be wrong.") }
        return isWell ? .done : .failed
    }
}
