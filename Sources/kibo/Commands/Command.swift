/// One command of the program. A new one is a file in this folder and a line in ``CommandTable``.
protocol Command: Sendable {
    /// Name, words, options and help.
    var spec: CommandSpec { get }

    /// Does it.
    ///
    /// - Throws: ``Failure`` and `ClientError`, which are shown with what to do about them.
    func run(_ context: Context) throws -> ExitCode
}

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
            GroupCommand(), AddressBookCommand(), InviteCommand(),
            ChatCommand(), ChatsCommand(), ReadCommand(), SendCommand(), SearchCommand(), WatchCommand(),
            CallCommand(), CallsCommand(),
            EditCommand(), DeleteCommand(), ReactCommand(), ForwardCommand(), RetryCommand(), WhyCommand(),
        ] + MarkCommand.all + [
            MuteCommand(),
            MarkReadCommand(), ForgetCommand(), ExportCommand(),
            TransfersCommand(), GetCommand(), PauseCommand(), ResumeCommand(), CancelCommand(),
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

    static func synonym(_ name: String) -> Synonym? { synonyms.first { $0.names.contains(name) } }
}

/// Words that people bring from other programs, and where they lead.
struct Synonym: Sendable {
    let names: [String]
    /// The words that mean exactly the same and are run in its place; empty where there is no such command.
    let words: [String]
    /// What to type instead, where the meaning is not the same; empty where it is.
    let advice: String

    init(_ names: [String], means words: String...) { (self.names, self.words, advice) = (names, words, "") }
    init(_ names: [String], says advice: String) { (self.names, words, self.advice) = (names, [], advice) }
}
