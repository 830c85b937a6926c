import Basics
import Vocabulary

/// Decides what this daemon shows of itself on the network.
public enum DiscoveryModeSetting: String, ContractWord {
    /// It announces itself to all.
    case open
    /// It announces itself to contacts, and answers no other peer.
    case contacts
    /// It announces nothing and dials only friends.
    case silent
}

extension MessageOrder: ContractWord {}
extension ContactPolicy: ContractWord {}

/// Every setting of this version: key, type, default, limits and description. Only the settings in this list exist, and
/// each one has an effect. A new setting is a line here and a name in ``all``.
public enum SettingsCatalogue {
    public static let messagesOrder = SettingKey<MessageOrder>(
        "messages.order", .sent,
        "how messages are ordered: `sent` (by the sender's clock) or `arrival` (as they came; nothing ever moves)")
    public static let readReceipts = SettingKey<Bool>(
        "messages.readReceipts", true, "tell friends that their messages were read")
    public static let keepDays = SettingKey<Int64>(
        "messages.keepDays", 0, in: 0...ProtocolLimits.keepDays,
        "remove messages that are older than this many days, but not notes to yourself; 0 keeps them")
    public static let messagesDailyBytes = SettingKey<Int64>(
        "messages.dailyBytes", 128 << 20, in: (1 << 20)...ProtocolLimits.transferBytes,
        "how much one contact may write per day, in bytes of the database (the default is some 200,000 short "
            + "messages); anything more waits on their side until the day is over")
    public static let typing = SettingKey<Bool>(
        "presence.typing", true,
        "tell friends when you are typing, and see when they are; if off, neither")

    public static let contactsPolicy = SettingKey<ContactPolicy>(
        "contacts.policy", .ask,
        "who becomes a friend by asking: `ask` (those you accept), `everyone` (at once) or `nobody` (they are told "
            + "that you take no requests)")

    public static let discoveryMode = SettingKey<DiscoveryModeSetting>(
        "discovery.mode", .open,
        "who sees you on the network: with `open`, everybody; with `contacts`, only friends: your announcements tell "
            + "nobody else who is here, and nobody else gets an answer; with `silent`, nothing is announced: Kibo "
            + "calls friends where they were last or where they announce themselves, never strangers, and answers "
            + "nobody else")

    public static let historyWhileLocked = SettingKey<Bool>(
        "privacy.historyWhileLocked", false,
        "whether contacts, messages and transfers can be read while the account is locked")

    /// All of them, in the order of lists and documents.
    public static let all: [SettingSpec] =
        [
            contactsPolicy.spec, messagesOrder.spec, readReceipts.spec, keepDays.spec, messagesDailyBytes.spec,
            typing.spec,
            discoveryMode.spec, historyWhileLocked.spec,
        ] + notifications + profile + files + calls + courier + localSend + invite

    /// The setting of that key.
    ///
    /// - Throws: a refusal of kind `not_found` with the field `key`.
    public static func setting(_ key: String) throws(ControlError) -> SettingSpec {
        if let spec = all.first(where: { $0.key == key }) { return spec }
        var parameters: JSONObject = ["key": .string(String(key.prefix(64)))]
        let nearest = nearest(to: key)
        if let nearest { parameters["nearest"] = .string(nearest) }
        throw ControlError(
            .notFound, "there is no setting \(key.prefix(64))",
            hint: nearest == nil ? .seeSettings : .nearestSetting, parameters: parameters, field: "key")
    }

    /// The setting that may be meant: its key has a typing error, or was written without its area.
    private static func nearest(to key: String) -> String? {
        let keys = all.map(\.key)
        if let nearest = Spelling.nearest(to: key, among: keys) { return nearest }
        let names = keys.map { $0.split(separator: ".").last.map(String.init) ?? $0 }
        let lower = key.lowercased()
        let index =
            names.firstIndex { $0.lowercased() == lower } ?? keys.firstIndex { $0.lowercased() == lower }
            ?? Spelling.nearest(to: key, among: names).flatMap { names.firstIndex(of: $0) }
            ?? beginning(with: lower, in: keys) ?? beginning(with: lower, in: names)
        return index.map { keys[$0] }
    }

    /// The only key with this beginning.
    private static func beginning(with key: String, in keys: [String]) -> Int? {
        let matches = keys.indices.filter { key.count >= 3 && keys[$0].lowercased().hasPrefix(key) }
        return matches.count == 1 ? matches[0] : nil
    }
}
