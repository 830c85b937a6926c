import Arguments
import ControlProtocol

/// `kibo web`
struct WebCommand: Command {
    let spec = CommandSpec(
        "web", .start, "Open Kibo in the browser",
        options: [
            OptionSpec("--print", help: "print the link instead of opening it"),
            OptionSpec("--sessions", help: "list the browsers that are logged in"),
            OptionSpec("--end", value: "ID", help: "log a browser out, or all of them: --end all"),
        ],
        details: """
            The link works once, and within a minute. A browser that has opened it stays logged in until it logs out,
            until you log out of this computer, or for 30 days without use. The page then has another address.
            Only programs of your own user can reach the page.
            From another computer: ssh -L 15427:localhost:15427 HOST,
            then open there the link that kibo web --print prints here.
            """,
        examples: ["kibo web", "kibo web --print", "kibo web --sessions", "kibo web --end all"])

    func run(_ context: Context) throws -> ExitCode {
        // Without a daemon the page itself says what to do.
        _ = try? context.startingClient()
        let gateway = try Gateway.connect(context)
        if let id = context.arguments.value("--end") { return try end(id, gateway, context) }
        if context.arguments.has("--sessions") { return try list(gateway, context) }
        let result = try gateway.call("web.link")
        if context.printJSON(result) { return .done }
        if let moved = result["moved"] { tell(moved, context) }
        if !context.arguments.has("--print"), try Browser.open(gateway) {
            // From the menu of the desktop this goes to the journal, which administrators and their tools read.
            guard context.console.isTerminal else {
                context.console.line("Opening Kibo in the browser. If nothing opens: kibo web --print")
                return .done
            }
            context.console.line("The browser opens Kibo. If it does not, open this within a minute:")
        }
        context.console.line(result["link"]?.string ?? "")
        return .done
    }

    /// Says that the page is at another port than before.
    private func tell(_ moved: JSONValue, _ context: Context) {
        let (from, to) = (moved["from"]?.integer ?? 0, moved["to"]?.integer ?? 0)
        context.console.errorLine(
            """
            Port \(from) is in use by another program, so Kibo's page has moved to port \(to), with a new address.
            All browsers have to log in again. Bookmarks of the old address lead to that program: delete them,
            and type no passphrase there.
            """)
    }

    private func list(_ gateway: ControlClient, _ context: Context) throws -> ExitCode {
        let result = try gateway.call("web.logins")
        if context.printJSON(result) { return .done }
        let logins = result["logins"]?.array ?? []
        defer { tellRefused(result["refused"]?.object?.fields ?? [], context) }
        if logins.isEmpty {
            context.console.line("No browser is logged in.")
            return .done
        }
        var table = Table([.init(title: "ID"), .init(title: "USED"), .init(title: "BROWSER", shrinks: true)])
        for login in logins {
            table.rows.append([
                .init(Words.excerpt(login["id"]?.string ?? "")),
                .init(Humane.ago(login["usedAt"]?.integer ?? 0, now: context.now), .dim),
                .init(Words.excerpt(login["agent"]?.string ?? "")),
            ])
        }
        context.console.write(table.render(on: context.console))
        return .done
    }

    /// Says what the gateway has refused: other users, other sites, a wrong name of the host.
    private func tellRefused(_ refused: [JSONObject.Field], _ context: Context) {
        guard !refused.isEmpty else { return }
        let reasons = refused.map { "\($0.name) \($0.value.integer ?? 0)" }
        let all = Words.excerpt(reasons.joined(separator: ", "))
        context.console.line("Refused since the page's program started: \(all).")
    }

    private func end(_ id: String, _ gateway: ControlClient, _ context: Context) throws -> ExitCode {
        let result = try gateway.call("web.end", ["id": .string(id)])
        if context.printJSON(result) { return .done }
        let count = result["ended"]?.integer ?? 0
        guard count > 0 || id == "all" else {
            throw Failure(.failed, "no browser is logged in as \"\(id)\"", hint: "See: kibo web --sessions")
        }
        context.console.line(count == 1 ? "One browser is logged out." : "\(count) browsers are logged out.")
        return .done
    }
}
