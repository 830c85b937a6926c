import ControlProtocol

/// What is answered while the account is locked. A method that is not named here is not.
enum LockedMethods {
    /// These say nothing of what was written, or only what is needed to get on.
    private static let answered: Set<String> = [
        "system.hello", "system.status", "system.doctor", "system.metrics", "system.schema", "system.shutdown",
        "account.create", "account.get", "account.unlock", "account.lock", "account.link", "addressBook.countries",
        "settings.list", "settings.get", "events.subscribe", "events.ack", "events.unsubscribe",
    ]

    /// What was written before can be read without keys; whether it may be is a setting.
    private static let history: Set<String> = [
        "contact.list", "contact.get", "contact.safetyNumber", "conversation.list", "conversation.get",
        "conversation.export", "message.list", "message.get", "message.search", "message.why", "transfer.list",
        "transfer.get", "group.get", "group.list", "addressBook.list", "name.resolve",
    ]

    /// Events that say nothing of what was written.
    private static let events: Set<String> = [EventType.accountChanged.rawValue, EventType.settingsChanged.rawValue]

    /// - Parameter mayRead: whether the history may be read.
    static func answers(_ method: String, mayRead: Bool) -> Bool {
        answered.contains(method) || (mayRead && history.contains(method))
    }

    /// Whether somebody may subscribe to these; nil stands for all.
    static func brings(_ types: Set<String>?, mayRead: Bool) -> Bool {
        mayRead || (types?.isSubset(of: events) ?? false)
    }
}
