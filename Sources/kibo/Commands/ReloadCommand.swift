import ControlProtocol

/// `kibo reload`
struct ReloadCommand: Command {
    let spec = CommandSpec(
        "reload", .other, "Let the daemon read its configuration again",
        details: """
            The daemon reads kibod.json5 and the roster that is named there. If one of them can't be used, kibo
            says what is wrong and where, the exit code is 1, and what was in use stays in use. The units use
            this for systemctl reload.
            """)

    func run(_ context: Context) throws -> ExitCode {
        let result = try context.client().call("system.reload")
        if context.printJSON(result) { return .done }
        context.console.line("The configuration is in use.")
        for name in (result["atNextStart"]?.array ?? []).compactMap(\.string) {
            context.console.line(
                "\(name) takes effect when the daemon starts again: \(DaemonUnit.own.command("restart"))")
        }
        return .done
    }
}
