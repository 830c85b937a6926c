import Basics
import ControlProtocol

/// Says what went wrong and what to do about it, to people or to programs.
struct Report {
    let console: Console
    let json: Bool

    /// Prints an error to standard error; what the program is to end with.
    func failure(_ error: any Error) -> ExitCode {
        switch error {
        case let failure as Failure:
            say(failure, as: ["message": .string(failure.message), "hint": .string(failure.hint)])
            return failure.code
        case let problem as ArgumentParser.Problem:
            return self.failure(Failure.usage(problem.message))
        case let error as ClientError:
            return clientFailure(error)
        default:
            return self.failure(Failure(.failed, "\(error)"))
        }
    }

    private func clientFailure(_ error: ClientError) -> ExitCode {
        let code = ExitCode(error)
        // The person knows: it was their Ctrl-C.
        if error == .interrupted { return code }
        let failure = Failure(code, error.description, hint: Self.hint(for: error))
        if case .refused(let refusal) = error {
            say(failure, as: refusal.json)
        } else {
            say(failure, as: ["message": .string(failure.message), "hint": .string(failure.hint)])
        }
        return code
    }

    private func say(_ failure: Failure, as object: JSONValue) {
        if json {
            console.errorLine(JSONOutput.text(["error": object, "exitCode": .integer(Int64(failure.code.rawValue))]))
            return
        }
        let mark = console.styledError("kibo:", .red, .bold)
        console.errorLine("\(mark) \(ForeignText.escaped(failure.message, multiline: true))")
        for line in failure.hint.split(separator: "\n") {
            console.errorLine("      " + ForeignText.escaped(String(line)))
        }
    }

    /// What to do about an error that doesn't say so itself.
    static func hint(for error: ClientError) -> String {
        switch error {
        case .noDaemon:
            return """
                Start it with: systemctl --user start kibod
                or by hand, in another terminal: kibod
                """
        case .foreignDaemon: return "Nothing was sent. Say where your own daemon is with --socket PATH."
        case .disconnected: return "It has ended or was restarted; see: kibo status"
        case .broken: return "Daemon and command line may be of different versions: kibo status, kibo --version"
        case .timedOut, .interrupted: return ""
        case .refused(let error):
            if !error.hint.isEmpty { return error.hint }
            switch error.kind {
            case .noAccount: return "Make one with: kibo setup"
            case .notFriends: return "Ask them first: kibo add WHO"
            case .offline: return "See who is there: kibo peers"
            default: break
            }
            return error.code == RPCError.methodNotFoundCode
                ? "The daemon may be older than this program: kibo status, kibo --version" : ""
        }
    }
}
