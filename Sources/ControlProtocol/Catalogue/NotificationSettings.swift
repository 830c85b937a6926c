/// Whether the daemon shows notifications on the desktop.
public enum DesktopSetting: String, ContractWord {
    /// Shows them where the user's session has a desktop.
    case auto
    /// The same, and the doctor reports if the session has no desktop.
    case on
    case off
}

/// The words that a notification has.
public enum NotificationWords: String, ContractWord {
    case all
    /// Who wrote, and where.
    case name
    /// Only that there is something.
    case none
}

/// The settings of notifications.
extension SettingsCatalogue {
    public static let notificationsDesktop = SettingKey<DesktopSetting>(
        "notifications.desktop", .auto,
        "whether the daemon shows notifications while no other program does: `auto` (if there is a desktop), `on` (the "
            + "same, and the doctor reports it if there is none) or `off`")
    public static let notificationsShow = SettingKey<NotificationWords>(
        "notifications.show", .all,
        "what notifications and the hook command contain: `all` of the text, only the `name` of who wrote and where, "
            + "or `none` of it")
    public static let notificationsHook = SettingKey<String>(
        "notifications.hook", .command(required: [], allowed: []), "",
        "the program to run, without a shell, for each message from others and each friend request; its standard input "
            + "is a JSON object")

    static let notifications: [SettingSpec] = [
        notificationsDesktop.spec, notificationsShow.spec, notificationsHook.spec,
    ]
}
