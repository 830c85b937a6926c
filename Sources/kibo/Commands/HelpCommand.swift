import Arguments

/// `kibo help [COMMAND] [--manual]`
struct HelpCommand: Command {
    let spec = CommandSpec(
        "help", .other, "Explain a command, or list them all",
        arguments: [ArgumentSpec("COMMAND", .optional, help: "what to explain")],
        options: [OptionSpec("--manual", help: "print the page of all commands for man(1)")])

    func run(_ context: Context) throws -> ExitCode {
        if context.arguments.has("--manual") {
            context.console.write(ManualWriter.page(of: CommandTable.all))
            return .done
        }
        let writer = HelpWriter(console: context.console)
        guard let name = context.arguments.positional(0) else {
            context.console.write(writer.overview(of: CommandTable.all))
            return .done
        }
        let meant = CommandTable.synonym(name)?.words.first ?? name
        guard let command = CommandTable.command(meant) else { throw CommandTable.unknown(name) }
        context.console.write(writer.page(for: command.spec, aliases: CommandTable.aliases(of: command.spec)))
        return .done
    }
}
