import Arguments
import Basics
import ControlProtocol
import Glibc

/// `kibo backup FILE | check FILE | --to DIR [--keep N]`
struct BackupCommand: Command {
    let spec = CommandSpec(
        "backup", .other, "Make a backup of your account and your messages, or check one",
        arguments: [
            ArgumentSpec(
                "FILE", .optional, help: "the file to write, which may be an earlier backup; or the word check"),
            ArgumentSpec("FILE", .optional, help: "with check: the backup to check"),
        ],
        options: [
            OptionSpec(
                "--passphrase-file", value: "PATH",
                help: "the file that holds the backup's passphrase; - is standard input"),
            OptionSpec("--to", value: "DIR", help: "write into this folder, for the recovery code alone"),
            OptionSpec("--keep", value: "N", help: "with --to: how many of these backups to keep (7)"),
        ],
        details: """
            A backup holds your account, contacts, groups, messages, settings and people's pictures, but not
            the files that you have received. You can go on writing while it is made. It is read back before
            it counts. The passphrase is the backup's own. It opens the file, and so does the recovery code of
            your account (kibo recovery show); nothing else does. Anyone with the file and one of them can act
            as you, so keep the file on another disk, and the passphrase and the code in a safe place.

            kibo backup --to DIR asks for nothing, so a timer can call it, and it works while the account is
            locked. The file gets a name with your account, the host and the time. Only the recovery code opens
            it. Then the oldest backups that were made there in this way are removed; other files are never touched.
            systemctl --user enable --now kibo-backup.timer makes one every day.

            kibo backup check FILE asks for one of the two, reads a backup from its beginning to its end, and
            says what is in it and whether it is whole. kibo restore FILE brings everything back.
            """,
        examples: [
            "kibo backup /media/usb/anna.kibo", "kibo backup check /media/usb/anna.kibo",
            "kibo backup anna.kibo --passphrase-file ~/.kibo-backup", "kibo backup --to /media/usb --keep 7",
        ])

    func run(_ context: Context) throws -> ExitCode {
        let words = context.arguments.positionals
        if let directory = context.arguments.value("--to") {
            guard words.isEmpty, !context.arguments.has("--passphrase-file") else {
                throw Failure.usage(
                    "kibo backup --to DIR takes neither FILE nor a passphrase: it gives a name, and the recovery code opens it",
                    command: spec.name)
            }
            return try rotate(directory, context)
        }
        guard !context.arguments.has("--keep") else {
            throw Failure.usage("--keep goes with --to DIR", command: spec.name)
        }
        guard words.first == "check" else {
            guard words.count == 1 else { throw Failure.usage("kibo backup takes one FILE", command: spec.name) }
            return try make(context)
        }
        guard words.count == 2 else {
            throw Failure(
                .usage, "FILE is missing: which backup is to be checked?",
                hint: "kibo backup check FILE. To write a backup that is called check: kibo backup ./check")
        }
        return try check(words[1], context)
    }

    private func make(_ context: Context) throws -> ExitCode {
        let path = try LocalPath.new(context.word(0))
        let client = try context.client()
        // A locked account is said before anybody types a passphrase.
        guard try !client.call("account.get", as: Account.init(json:)).locked else {
            throw Failure(.noAccount, "The account is locked.", hint: "Unlock it first: kibo unlock")
        }
        let passphrase = try Passphrases.new(context, option: "--passphrase-file", "A passphrase for the backup: ")
        let result = try BackupWait("Making the backup", context).call(
            "backup.create", ["path": .string(path), "passphrase": .string(passphrase)])
        if context.printJSON(result) { return .done }
        let made = try BackupSummary(json: result)
        let console = context.console
        console.line("Wrote \(Words.name(made.path)) (\(Humane.size(made.bytes))) and read it back.")
        console.line("In it: \(BackupWords.counts(made)).")
        console.line(
            "Its passphrase opens it, and so does your recovery code. Anyone who has this file and one of them can act "
                + "as you.")
        console.line("Received files are not in it.")
        console.line("To bring it back on an empty Kibo: kibo restore \(Shell.quoted(made.path))")
        return .done
    }

    private func rotate(_ directory: String, _ context: Context) throws -> ExitCode {
        let keep = try context.number("--keep", in: 1...Int64(ProtocolLimits.keptBackups)) ?? Self.kept
        let result = try BackupWait("Making the backup", context).call(
            "backup.rotate", ["directory": .string(try LocalPath.new(directory)), "keep": .integer(keep)])
        if context.printJSON(result) { return .done }
        let made = try BackupSummary(json: result["backup"] ?? .null)
        let console = context.console
        console.line("Wrote \(Words.name(made.path)) (\(Humane.size(made.bytes))) and read it back.")
        let removed = result["removed"]?.integer ?? 0
        if removed > 0 { console.line("\(Humane.count(removed, "older backup")) removed.") }
        console.line("Only your recovery code opens it.")
        if try context.client().call("backup.status", as: BackupStatus.init(json:)).codeShownAt == nil {
            console.line(
                console.styled("The recovery code was never shown.", .yellow)
                    + " Without it nobody can open this backup. Write it down: kibo recovery show")
        }
        return .done
    }

    /// How many stay if nobody says it.
    private static let kept: Int64 = 7

    private func check(_ word: String, _ context: Context) throws -> ExitCode {
        let path = try LocalPath.existing(word)
        _ = try context.client()
        let passphrase = try Passphrases.present(context, BackupWords.prompt)
        let result = try BackupWait("Reading the backup", context).call(
            "backup.check", ["path": .string(path), "passphrase": .string(passphrase)])
        let found = try BackupSummary(json: result)
        if context.printJSON(result) { return found.complete ? .done : .failed }
        let console = context.console
        let whose = found.displayName.map { "\(Words.name($0)) (\(found.account))" } ?? found.account
        console.line("A backup of \(whose)")
        console.line(
            "made \(Humane.moment(found.madeAt, now: context.now)) by \(Words.name(found.software)), "
                + "\(Humane.size(found.bytes))")
        guard found.complete else {
            console.line(
                console.styled("It is damaged or cut at byte \(found.damagedAt ?? 0).", .yellow)
                    + " Before that place: \(BackupWords.counts(found)); "
                    + "\(found.rows) of \(found.rowsAnnounced) rows.")
            console.line("To bring back that part: kibo restore --even-if-cut \(Shell.quoted(word))")
            return .failed
        }
        console.line("It is whole: \(BackupWords.counts(found)).")
        console.line(BackupWords.openings(found))
        return .done
    }
}

/// `kibo restore FILE [--even-if-cut]`
struct RestoreCommand: Command {
    let spec = CommandSpec(
        "restore", .other, "Bring back your account and your messages from a backup",
        arguments: [ArgumentSpec("FILE", help: "the backup")],
        options: [
            OptionSpec(
                "--passphrase-file", value: "PATH",
                help: "the file with the backup's passphrase or the recovery code; - is standard input"),
            OptionSpec(
                "--even-if-cut", help: "bring back what comes before the place where the backup is damaged or cut"),
        ],
        details: """
            Kibo must have no account here yet: start with an empty data directory, without kibo setup. The
            backup's passphrase opens it, and so does the recovery code of the account; you are asked for one.
            Either everything comes back or nothing does. Your friends see the same account as before, on a new device.
            The device that made the backup must not run any more, or your friends' messages reach one or the
            other by chance. What was written after the backup is not in it; groups fetch what they can from
            their members. The restored keys have no passphrase; kibo passphrase sets one.
            """,
        examples: ["kibo restore /media/usb/anna.kibo", "kibo restore --even-if-cut anna.kibo"])

    /// An upgrade of a large database from an older version takes a minute.
    private static let patience = Duration.seconds(300)

    func run(_ context: Context) throws -> ExitCode {
        let path = try LocalPath.existing(context.word(0))
        let client = try context.startingClient()
        if let account = try client.call("system.hello", Self.hello)["account"], account != .null {
            throw Failure(
                .failed, "There is an account here already, and a backup can only be restored where there is none.",
                hint:
                    "To see it: kibo status. To put the backup in its place: stop the daemon, move its data directory "
                    + "away, start it again, then: kibo restore \(Shell.quoted(context.word(0)))")
        }
        let passphrase = try Passphrases.present(context, BackupWords.prompt)
        let result = try BackupWait("Bringing back the backup", context).call(
            "backup.restore",
            [
                "path": .string(path), "passphrase": .string(passphrase),
                "evenIfCut": .bool(context.arguments.has("--even-if-cut")),
            ])
        let restored = try BackupSummary(json: result)
        try waitForDaemon(with: restored.account, context)
        if context.printJSON(result) { return .done }
        say(restored, context)
        return .done
    }

    private static let hello: JSONObject = ["client": "kibo", "version": .string(ControlProtocol.productVersion)]

    /// Waits until the daemon has started again with that account.
    private func waitForDaemon(with account: String, _ context: Context) throws {
        let deadline = context.console.clocks.now + Self.patience
        while true {
            context.disconnect()
            if let client = try? context.client(),
                let hello = try? client.call("system.hello", Self.hello, timeout: .seconds(5)),
                hello["account"]?.string == account
            {
                return
            }
            guard context.console.clocks.now < deadline else {
                throw Failure(
                    .noDaemon, "Everything was brought back, but the daemon doesn't answer.",
                    hint: "Start it: \(DaemonUnit(socket: context.socketPath).command("start"))")
            }
            usleep(50_000)
        }
    }

    private func say(_ restored: BackupSummary, _ context: Context) {
        let console = context.console
        let name = restored.displayName.map { console.styled(Words.name($0), .bold) } ?? restored.account
        console.line("You are \(name) again: \(BackupWords.counts(restored)) are back.")
        if !restored.complete {
            console.line(
                console.styled("The backup is damaged or cut at byte \(restored.damagedAt ?? 0).", .yellow)
                    + " \(restored.rows) of \(restored.rowsAnnounced) rows are back; the rest is lost.")
        }
        console.line(
            "It was made \(Humane.moment(restored.madeAt, now: context.now)). What was written after that is missing.")
        console.line("The device that made it must not run any more.")
        if restored.hasPassphrase {
            console.line("Your keys had a passphrase and have none now. Set one again: kibo passphrase")
        }
    }
}

/// Words that both commands use.
enum BackupWords {
    /// What is in a backup: `12 contacts, 40 conversations and 1,234 messages`.
    static func counts(_ summary: BackupSummary) -> String {
        "\(Humane.count(summary.people, "contact")), \(Humane.count(summary.conversations, "conversation")) and "
            + Humane.count(summary.messages, "message")
    }

    /// What opens a backup.
    static let prompt = "The backup's passphrase, or the recovery code (it is not shown): "

    /// What opens this one.
    static func openings(_ summary: BackupSummary) -> String {
        switch (summary.takesPassphrase, summary.takesCode) {
        case (true, true): "Its passphrase opens it, and so does the recovery code of the account."
        case (true, false): "Its passphrase opens it; the recovery code does not."
        default: "The recovery code of the account opens it; it has no passphrase."
        }
    }
}

/// Waits for a backup that is made, looked at or restored, and shows on a terminal how far it is.
struct BackupWait {
    private let title: String
    private let context: Context

    /// How often the daemon is asked.
    private static let pause = Duration.milliseconds(250)

    init(_ title: String, _ context: Context) { (self.title, self.context) = (title, context) }

    func call(_ method: String, _ params: JSONObject) throws -> JSONValue {
        let client = try context.client()
        return try context.interruptibly {
            guard !context.json, context.console.isTerminal else { return try client.call(method, params) }
            let region = LiveRegion(context.console)
            defer {
                region.clear()
                region.end()
            }
            region.draw("\(title)…")
            let request = try client.send(method, params)
            while true {
                do { return try client.reply(to: request, timeout: Self.pause) } catch ClientError.timedOut {}
                let status = try? client.call("backup.status", as: BackupStatus.init(json:))
                region.draw(status?.running.map(text) ?? "\(title)…")
            }
        }
    }

    private func text(_ running: BackupStatus.Running) -> String {
        let step =
            switch running.step {
            case .writing: "writing"
            case .reading: "reading"
            case .finishing: "putting everything in order"
            }
        let share = running.total > 0 ? " \(min(100, running.done * 100 / running.total)) %" : ""
        return "\(title): \(step)\(share)"
    }
}
