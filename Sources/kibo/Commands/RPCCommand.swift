import Arguments
import ControlProtocol

/// `kibo rpc METHOD [JSON|-]`
struct RPCCommand: Command {
    let spec = CommandSpec(
        "rpc", .other, "Call any method of the daemon's interface",
        arguments: [
            ArgumentSpec("METHOD", help: "such as peer.list; to list them: kibo rpc system.schema"),
            ArgumentSpec("JSON", .optional, help: "the parameters, an object; - reads them from standard input"),
        ],
        details: "Prints the result as JSON, or the error to standard error.",
        examples: ["kibo rpc system.status", "kibo rpc message.send '{\"to\":\"kibo1…\",\"text\":\"hello\"}'"])

    func run(_ context: Context) throws -> ExitCode {
        let params = try parameters(context)
        let result = try context.client().call(context.word(0), params)
        context.console.line(JSONOutput.text(result))
        return .done
    }

    private func parameters(_ context: Context) throws -> JSONObject {
        guard let word = context.arguments.positional(1) else { return [:] }
        let text = word == "-" ? try StandardInput.text(maximumBytes: ProtocolLimits.lineBytes) : word
        do {
            guard case .object(let object) = try JSONParser.parse(text) else {
                throw Failure.usage("the parameters must be a JSON object", command: "rpc")
            }
            return object
        } catch let error as JSONError {
            throw Failure.usage("the parameters are not JSON: \(error)", command: "rpc")
        }
    }
}
