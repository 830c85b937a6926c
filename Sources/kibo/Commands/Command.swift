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
            PassphraseCommand(),
            ProfileCommand(), PresenceCommand(),
            PeersCommand(), ContactsCommand(), RequestsCommand(), AddCommand(), AcceptCommand(), DeclineCommand(),
        ] + PersonCommand.all + [
            AliasCommand(), AutoDownloadCommand(), TrustCommand(), VerifyCommand(), LinkCommand(),
            GroupCommand(), AddressBookCommand(), InviteCommand(),
            ChatCommand(), ChatsCommand(), ReadCommand(), SendCommand(), SearchCommand(), WatchCommand(),
            EditCommand(), DeleteCommand(), ReactCommand(), RetryCommand(), WhyCommand(),
        ] + MarkCommand.all + [
            ForgetCommand(), ExportCommand(),
            TransfersCommand(), GetCommand(), PauseCommand(), ResumeCommand(), CancelCommand(),
            SettingsCommand(), RPCCommand(), HelpCommand(),
        ]

    static func command(_ name: String) -> (any Command)? { all.first { $0.spec.name == name } }
}
