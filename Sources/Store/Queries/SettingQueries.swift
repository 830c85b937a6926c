import Basics

private let inForce = SQL("SELECT value FROM setting_in_force WHERE name = ?")
private let settingByName = SQL("SELECT value FROM setting WHERE name = ?")
private let allSettings = SQL("SELECT name, value FROM setting ORDER BY name")
private let settingUpdate = SQL(
    "INSERT INTO setting (name, value) VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET value = excluded.value")
private let settingRemoval = SQL("DELETE FROM setting WHERE name = ?")
private let hostSettingByName = SQL("SELECT name, value, forced FROM host_setting WHERE name = ?")
private let allHostSettings = SQL("SELECT name, value, forced FROM host_setting ORDER BY name")
private let hostSettingInsert = SQL("INSERT INTO host_setting (name, value, forced) VALUES (?, ?, ?)")
private let hostSettingsRemoval = SQL("DELETE FROM host_setting")

/// A value that the host's configuration gives a setting.
public struct HostSettingRow: Hashable, Sendable {
    public let name: String
    /// The value as JSON.
    public let value: String
    /// Whether the value counts before what the user has set. Otherwise it counts only while the user has set nothing.
    public let isForced: Bool

    public init(name: String, value: String, isForced: Bool) {
        self.name = name
        self.value = value
        self.isForced = isForced
    }
}

private func hostSettingRow(_ row: StoredRow) throws(StoreError) -> HostSettingRow {
    HostSettingRow(name: row.text(0), value: row.text(1), isForced: row.flag(2))
}

extension ReadTransaction {
    /// The value of a setting that counts: the user's or the host's; nil if the program's default counts.
    public func settingInForce(_ name: String) throws(StoreError) -> String? {
        try connection.first(inForce, name) { row in row.text(0) }
    }

    /// The value of a setting as the user has set it; nil if the user has not.
    public func setting(_ name: String) throws(StoreError) -> String? {
        try connection.first(settingByName, name) { row in row.text(0) }
    }

    /// All settings that the user has set, by name.
    public func settings() throws(StoreError) -> [(name: String, value: String)] {
        try connection.rows(allSettings) { row in (name: row.text(0), value: row.text(1)) }
    }

    /// What the host's configuration says of a setting.
    public func hostSetting(_ name: String) throws(StoreError) -> HostSettingRow? {
        try connection.first(hostSettingByName, name, read: hostSettingRow)
    }

    /// What the host's configuration says of settings, by name.
    public func hostSettings() throws(StoreError) -> [HostSettingRow] {
        try connection.rows(allHostSettings, read: hostSettingRow)
    }
}

extension WriteTransaction {
    /// Stores a setting; nil restores the default. An equal value changes nothing.
    public func setSetting(_ name: String, to value: String?) throws(StoreError) {
        guard try setting(name) != value else { return }
        changed(.setting(name), .update)
        if let value {
            try connection.run(settingUpdate, name, value)
        } else {
            try connection.run(settingRemoval, name)
        }
        if name == "messages.order" { try messageOrderChanged() }
    }

    /// Stores the values that the host's configuration gives settings, in place of the former ones. An equal list
    /// changes nothing.
    public func setHostSettings(_ rows: [HostSettingRow]) throws(StoreError) {
        let before = try hostSettings()
        let changes = Set(before).symmetricDifference(rows)
        guard !changes.isEmpty else { return }
        try connection.run(hostSettingsRemoval)
        for row in rows { try connection.run(hostSettingInsert, row.name, row.value, row.isForced) }
        for name in Set(changes.map(\.name)).sorted() {
            changed(.setting(name), .update)
            if name == "messages.order" { try messageOrderChanged() }
        }
    }
}
