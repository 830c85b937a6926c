import Arguments
import Basics
import ControlProtocol
import Vocabulary

/// `kibo presence [online|away] [--status TEXT]`
struct PresenceCommand: Command {
    let spec = CommandSpec(
        "presence", .start, "Show friends that you are online, or away",
        arguments: [
            ArgumentSpec("STATE", .optional, help: "online (you are at this computer) or away", choices: states)
        ],
        options: [
            OptionSpec("--status", value: "TEXT", help: "a line about yourself that everyone sees; \"\" removes it")
        ],
        details: """
            Away lasts until you say online, even after a restart. Messages still arrive. Without a
            STATE, this shows how friends see you now. Only friends see it; when the daemon is stopped or locked,
            they see you offline.
            """,
        examples: ["kibo presence away --status \"Back at two\"", "kibo presence online --status \"\""])

    private static let states = [Presence.online.rawValue, Presence.away.rawValue]

    func run(_ context: Context) throws -> ExitCode {
        let client = try context.client()
        let status = context.arguments.value("--status")
        guard let word = context.arguments.positional(0) else {
            let result =
                try status.map { try client.call("account.update", ["statusText": .string($0)]) }
                ?? client.call("account.get")
            if context.printJSON(result) { return .done }
            return say(try Account(json: result).presence, context)
        }
        guard Self.states.contains(word) else {
            throw Failure.usage("STATE is online or away, not \"\(word)\"", command: "presence")
        }
        var params: JSONObject = ["state": .string(word)]
        if let status { params["statusText"] = .string(status) }
        let result = try client.call("presence.set", params)
        if context.printJSON(result) { return .done }
        return say(result["state"]?.string.flatMap(Presence.init) ?? .online, context)
    }

    private func say(_ presence: Presence, _ context: Context) -> ExitCode {
        let advice =
            switch presence {
            case .online: ""
            case .away: " To be online again: kibo presence online"
            case .offline: " Your account is locked: kibo unlock"
            }
        context.console.line("Friends see you \(Words.presence(presence, context.console)).\(advice)")
        return .done
    }
}
