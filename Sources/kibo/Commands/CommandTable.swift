import Basics

/// All commands, in the order in which `kibo help` lists them.
enum CommandTable {
    static let all: [any Command] =
        [
            SetupCommand(), WebCommand(), StatusCommand(), DoctorCommand(), LockCommand(), UnlockCommand(),
            PassphraseCommand(), RecoveryCommand(), RecoverCommand(),
            ProfileCommand(), PresenceCommand(),
            PeersCommand(), ContactsCommand(), RequestsCommand(), AddCommand(), AcceptCommand(), DeclineCommand(),
        ] + PersonCommand.all + [
            AliasCommand(), AutoDownloadCommand(), TrustCommand(), VerifyCommand(), LinkCommand(),
            GroupCommand(), CourierCommand(), AddressBookCommand(), InviteCommand(),
            ChatCommand(), ChatsCommand(), ReadCommand(), SendCommand(), SearchCommand(), WatchCommand(),
            CallCommand(), CallsCommand(),
            EditCommand(), DeleteCommand(), ReactCommand(), ForwardCommand(), RetryCommand(), WhyCommand(),
        ] + MarkCommand.all + [
            MuteCommand(),
            MarkReadCommand(), ForgetCommand(), ExportCommand(),
            TransfersCommand(), GetCommand(), PauseCommand(), ResumeCommand(), CancelCommand(), LocalSendCommand(),
            BackupCommand(), RestoreCommand(),
            SettingsCommand(), RosterCommand(), ReloadCommand(), MetricsCommand(), RPCCommand(), CompletionsCommand(),
            HelpCommand(),
        ]

    static func command(_ name: String) -> (any Command)? { all.first { $0.spec.name == name } }

    /// Words that people type for commands of other names.
    static let synonyms: [Synonym] = [
        .init(["version"], means: "--version"),
        .init(["friends", "people"], means: "contacts"),
        .init(["who", "users", "online", "nearby"], means: "peers"),
        .init(["whoami", "account"], means: "profile"),
        .init(["groups"], means: "group", "list"),
        .init(["couriers"], means: "courier"),
        .init(["parcels"], means: "courier", "parcels"),
        .init(["conversations", "inbox"], means: "chats"),
        .init(["history", "messages"], means: "read"),
        .init(["msg", "message", "dm", "tell", "say"], means: "send"),
        .init(["talk", "open"], means: "chat"),
        .init(["find", "grep"], means: "search"),
        .init(["tail", "listen", "follow"], means: "watch"),
        .init(["config", "set", "setting", "preferences"], means: "settings"),
        .init(["files", "downloads"], means: "transfers"),
        .init(["receive", "download", "take"], means: "get"),
        .init(["register", "signup", "init"], means: "setup"),
        .init(["man"], means: "help"),
        .init(["seed", "mnemonic"], means: "recovery", "show"),
        .init(
            ["ls", "list"],
            says: "There are several lists: kibo chats, kibo contacts, kibo peers, kibo transfers, kibo group list"),
        .init(["reply", "answer"], says: "kibo send CHAT --reply ID TEXT; to see ids: kibo read CHAT --ids"),
        .init(["login", "signin"], says: "To make an account: kibo setup. To open a locked one: kibo unlock"),
        .init(["logout", "signout"], says: "To lock your account on this computer: kibo lock"),
        .init(
            ["quit", "exit", "stop"],
            says: "Each command ends by itself; kibo chat ends with Ctrl-D. The daemon: systemctl --user stop kibod"),
        .init(["start", "restart"], says: "The daemon: systemctl --user start kibod (or restart, stop, status)"),
        .init(["log", "logs"], says: "The daemon's log: journalctl --user -u kibod"),
        .init(
            ["rename", "nick", "name"], says: "Your own name: kibo profile --name NAME. Another's: kibo alias WHO NAME"),
        .init(
            ["create", "join"],
            says: "To make a group: kibo group create NAME WHO…. To join one, ask a member to add you."),
        .init(["leave"], says: "kibo group leave GROUP"),
        .init(["upload", "share", "cp", "scp"], says: "kibo send WHO FILE…"),
        .init(["rm"], says: "kibo delete MESSAGE, kibo remove WHO, kibo forget CHAT, kibo cancel TRANSFER"),
        .init(["ring", "phone"], means: "call"),
        .init(["hangup"], says: "kibo call --hangup"),
    ]

    /// Other words for a command, which are run as it is.
    static func aliases(of spec: CommandSpec) -> [String] {
        synonyms.filter { $0.words == [spec.name] }.flatMap(\.names)
    }

    static func synonym(_ name: String) -> Synonym? { synonyms.first { $0.names.contains(name) } }

    /// The error for a command that is not in the table.
    static func unknown(_ name: String) -> Failure {
        let meant = meant(by: name)
        let question = meant.isEmpty ? nil : "Did you mean: " + meant.map { "kibo \($0)" }.joined(separator: ", ")
        return Failure(
            .usage, "There is no command \"\(name)\".",
            hint: synonym(name)?.advice ?? question ?? "See: kibo help")
    }

    /// The commands that a word may stand for: a few that begin with it, or else the nearest. A word of another program counts
    /// as the command that it means.
    private static func meant(by name: String) -> [String] {
        let names = all.map(\.spec.name)
        let begun = names.filter { $0.hasPrefix(name) }
        if name.count > 1, 1...3 ~= begun.count { return begun }
        let others = synonyms.filter { !$0.words.isEmpty }
        guard let near = Spelling.nearest(to: name, among: names + others.flatMap(\.names)) else { return [] }
        return [synonym(near)?.words.joined(separator: " ") ?? near]
    }
}
