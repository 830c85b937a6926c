import Arguments
import ControlProtocol

/// Writes kibo(1) from the command table.
enum ManualWriter {
    static func page(of commands: [any Command]) -> String {
        var page = ManualPage(
            "kibo", section: 1, summary: "messages and files between the people of one network",
            source: "Kibo \(ControlProtocol.productVersion)")
        page.section("SYNOPSIS")
        page.paragraph("kibo [--socket PATH] [--json] COMMAND …")
        page.section("DESCRIPTION")
        page.paragraph(
            """
            Kibo is a messenger for one local network, without a server. kibo is its command line: it asks the daemon
            kibod(8) of the same user, which finds the others, keeps the messages and moves the files.
            """)
        page.paragraph(HelpWriter.placeholders)
        page.section("COMMANDS")
        for group in CommandSpec.Group.allCases {
            page.part(group.rawValue)
            for command in commands where command.spec.group == group { add(command.spec, to: &page) }
        }
        page.section("OPTIONS OF ALL COMMANDS")
        page.items(CommandSpec.globalOptions)
        page.section("EXIT STATUS")
        for code in ExitCode.allCases { page.item("\(code.rawValue)", code.meaning) }
        page.section("ENVIRONMENT")
        page.item("KIBO_SOCKET", "the daemon's control socket, if --socket does not name it")
        page.item("NO_COLOR", "if it has any value, there are no colours")
        page.section("FILES")
        page.item(
            "$XDG_RUNTIME_DIR/kibo/kibod.sock",
            "the control socket of the user's daemon; without that variable, in /run/user/UID or else in /tmp/kibo-UID")
        page.item(
            "\(SocketPath.systemDirectory)/USER/kibod.sock",
            "the control socket of the system unit kibod@USER, which is used where the first one is missing")
        page.section("SEE ALSO")
        page.paragraph("kibod(8), kibod.json5(5)")
        return page.text
    }

    private static func add(_ spec: CommandSpec, to page: inout ManualPage) {
        page.item(spec.usage, spec.summary + ".")
        page.indented { page in
            page.items(spec.arguments)
            page.items(spec.options)
            if !spec.details.isEmpty { page.verbatim(spec.details) }
            if !spec.examples.isEmpty {
                page.verbatim("Examples:\n" + spec.examples.map { "  " + $0 }.joined(separator: "\n"))
            }
        }
    }
}
