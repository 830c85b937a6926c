import Arguments

/// `kibo help [COMMAND]`
struct HelpCommand: Command {
    let spec = CommandSpec(
        "help", .other, "Explain a command, or list them all",
        arguments: [ArgumentSpec("COMMAND", .optional, help: "what to explain")])

    func run(_ context: Context) throws -> ExitCode {
        let writer = HelpWriter(console: context.console)
        guard let name = context.arguments.positional(0) else {
            context.console.write(writer.overview(of: CommandTable.all))
            return .done
        }
        guard let command = CommandTable.command(name) else { throw Kibo.unknown(name) }
        context.console.write(writer.page(for: command.spec))
        return .done
    }
}
