import Basics
import ControlProtocol

/// `kibo status`
struct StatusCommand: Command {
    let spec = CommandSpec(
        "status", .start, "Show who you are and how the daemon is doing",
        details: """
            The exit code is 5 if there is no account yet or it is locked, and 3 if the daemon is not running.
            With --json: the result of system.status, with `hello`, `account` and `totals` beside it.
            """)

    func run(_ context: Context) throws -> ExitCode {
        let client = try context.client()
        let hello = try client.call(
            "system.hello", ["client": "kibo", "version": .string(ControlProtocol.productVersion)],
            as: DaemonHello.init(json:))
        let statusJSON = try client.call("system.status")
        var account: Account?
        if hello.account != nil { account = try client.call("account.get", as: Account.init(json:)) }
        let status = try DaemonStatus(json: statusJSON)
        // A locked account tells nothing of its chats.
        let totals = status.locked || account == nil ? nil : try? client.call("conversation.totals")
        let code: ExitCode = account == nil || status.locked ? .noAccount : .done
        if context.json {
            var object = statusJSON.object ?? [:]
            object["hello"] = hello.json
            object["account"] = account?.json ?? .null
            object["totals"] = totals ?? .null
            _ = context.printJSON(.object(object))
            return code
        }
        let backups = account == nil ? nil : try? client.call("backup.status", as: BackupStatus.init(json:))
        let guests = status.locked || account == nil ? nil : try? Guests(client)
        show(hello, status, account, totals.flatMap { try? Totals(json: $0) }, backups, guests, context)
        return code
    }

    /// What is wrong with the room on the disk; nil if there is enough.
    static func text(_ disk: DiskState, _ console: Console) -> String? {
        let free = disk.freeBytes.map { ", \(Humane.size($0)) free" } ?? ""
        return switch disk.room {
        case .enough: nil
        case .short:
            console.styled("nearly full", .yellow) + free
                + " – messages from others may wait until there is room: free some space"
        case .full:
            console.styled("full", .red) + " – nothing is stored or taken until there is room: free some space"
        }
    }

    /// That a backup is due. It is said only then.
    private static func text(_ backups: BackupStatus, _ now: WallTime) -> String {
        let last = backups.last.map { "the last one was made \(Humane.moment($0.madeAt, now: now))" } ?? "none yet"
        return "\(last) – make one on another disk with: kibo backup FILE"
    }

    /// How this host takes part in LocalSend, and what waits for an answer.
    private static func text(_ guests: Guests, _ console: Console) -> String {
        let waiting = Int64(guests.waiting.count)
        let offers = Humane.count(waiting, "offer waits", "offers wait")
        return guests.state(on: console) + (waiting > 0 ? "; \(offers) – see: kibo localsend" : "")
    }

    /// Who is put off, and why.
    private static func text(_ putOff: [DaemonStatus.PutOff]) -> String {
        func names(_ reason: PutOffReason) -> String {
            let some = putOff.filter { $0.reason == reason }.map {
                $0.name.map { Words.name($0) } ?? "people in groups"
            }
            return Set(some).sorted().joined(separator: ", ")
        }
        let (day, room) = (names(.day), names(.room))
        var parts: [String] = []
        if !day.isEmpty {
            parts.append("\(day) – over today's limit (messages.dailyBytes); their messages wait on their side")
        }
        if !room.isEmpty { parts.append("\(room) – the disk is nearly full: free some space") }
        return parts.joined(separator: "; ")
    }

    private func show(
        _ hello: DaemonHello, _ status: DaemonStatus, _ account: Account?, _ totals: Totals?,
        _ backups: BackupStatus?, _ guests: Guests?, _ context: Context
    ) {
        let console = context.console
        var rows: [(String, String)] = []
        if let account {
            rows.append(("You", console.styled(Words.name(account.displayName), .bold)))
            rows.append(("Id", account.id))
        } else {
            rows.append(("You", console.styled("no account yet", .yellow) + " – make one with: kibo setup"))
        }
        if let account {
            if status.locked {
                rows.append(("Account", console.styled("locked", .yellow) + " – open it with: kibo unlock"))
            } else if account.hasPassphrase {
                rows.append(("Account", "unlocked" + (account.remembered ? ", and by itself at each start" : "")))
            }
        }
        if let totals {
            if totals.unread > 0 {
                rows.append(("Unread", Humane.count(totals.unread, "message") + " – see: kibo chats"))
            }
            if totals.missedCalls > 0 {
                let words = console.styled(Humane.count(totals.missedCalls, "call"), .yellow)
                rows.append(("Missed", words + " – see: kibo calls --missed"))
            }
        }
        let version = ForeignText.escaped(hello.version)
        rows.append(("Daemon", "kibod \(version), up \(Humane.span(milliseconds: status.uptime))"))
        let places = status.listen.map { ForeignText.escaped($0) }.joined(separator: ", ")
        let names = status.interfaces.map { ForeignText.escaped($0) }.joined(separator: ", ")
        rows.append(("Listening", places.isEmpty ? "no" : places + (names.isEmpty ? "" : " on \(names)")))
        let network = Humane.count(status.peers, "peer") + ", " + Humane.count(status.sessions, "session")
        rows.append(("Network", network))
        if let guests, guests.isOn { rows.append(("LocalSend", Self.text(guests, console))) }
        let waiting = "\(status.queued) to deliver, " + Humane.count(status.transfers, "transfer")
        rows.append(("Waiting", waiting))
        rows.append(("Data", "\(ForeignText.escaped(status.data)), \(Humane.size(status.databaseBytes))"))
        if let disk = Self.text(status.disk, console) { rows.append(("Disk", disk)) }
        if let backups, backups.due { rows.append(("Backup", Self.text(backups, context.now))) }
        if !status.putOff.isEmpty { rows.append(("Put off", Self.text(status.putOff))) }
        let width = rows.map { $0.0.count }.max() ?? 0
        for (title, text) in rows {
            let padding = String(repeating: " ", count: width - title.count + 2)
            console.line(console.styled(title, .dim) + padding + text)
        }
    }
}
