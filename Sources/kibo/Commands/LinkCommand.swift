import Arguments
import ControlProtocol

/// `kibo link`
struct LinkCommand: Command {
    let spec = CommandSpec(
        "link", .people, "Show your account as a link and a QR code, for others to add",
        options: [CodeDrawing.invertOption],
        details:
            "The person who gets the link runs: kibo add LINK. It contains your id, name and addresses, and nothing secret."
    )

    func run(_ context: Context) throws -> ExitCode {
        let result = try context.client().call("account.link")
        if context.printJSON(result) { return .done }
        context.console.write(CodeDrawing.lines(of: result["qr"]?.string ?? "", context))
        context.console.line()
        context.console.line(result["uri"]?.string ?? "")
        return .done
    }
}

/// Puts a QR code on the terminal so that a camera can read it, whatever the theme.
enum CodeDrawing {
    static let invertOption = OptionSpec(
        "--invert", help: "draw it for a dark screen without colours (with colours it works on any screen)")

    /// The daemon draws for dark letters on a light ground. With colours exactly that is asked for; without, it depends on the
    /// screen.
    static func lines(of drawing: String, _ context: Context) -> String {
        let lines = drawing.split(separator: "\n", omittingEmptySubsequences: false)
        if context.console.hasColor {
            // Black on bright white, to the end of the code and no further.
            return lines.map { "\u{1B}[30;107m\($0)\u{1B}[0m\n" }.joined()
        }
        let isInverted = context.arguments.has(invertOption.name)
        return lines.map { (isInverted ? String($0.map(inverted)) : String($0)) + "\n" }.joined()
    }

    private static func inverted(_ block: Character) -> Character {
        switch block {
        case "█": " "
        case " ": "█"
        case "▀": "▄"
        case "▄": "▀"
        default: block
        }
    }
}
