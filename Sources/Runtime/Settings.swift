import Basics
import ControlProtocol
import Reactor
import Store

/// What the user has chosen, for shells on the reactor.
///
/// The database is the truth: a value changes with a commit and in no other way. Code that runs in a transaction reads
/// the setting there. All other code reads this shadow, which follows each commit before anything that is committed
/// later.
@ReactorActor package final class Settings {
    private let store: Store
    /// The values that the user has set, by key.
    private var values: [String: JSONValue] = [:]
    /// The settings in this host's configuration, by key.
    private var hosts: [String: HostSetting] = [:]
    /// The settings that the user's own configuration file forces: no administrator has to be asked about them.
    package var forcedByUser: Set<String> = []
    private var observers: [(key: String, observation: SettingObservation)] = []

    /// - Parameters:
    ///   - stored: the values that the user has set, by key, as the database has them.
    ///   - host: what the configuration of this host says, as the database has it.
    package init(store: Store, stored: [String: String], host: [HostSettingRow] = []) {
        self.store = store
        for spec in SettingsCatalogue.all { values[spec.key] = spec.value(stored: stored[spec.key]) }
        hosts = Self.hosts(host)
    }

    private static func hosts(_ rows: [HostSettingRow]) -> [String: HostSetting] {
        var hosts: [String: HostSetting] = [:]
        for row in rows { hosts[row.name] = SettingsCatalogue.all.first { $0.key == row.name }.flatMap(row.setting) }
        return hosts
    }

    /// The value of the last commit that is known here.
    package subscript<Value>(key: SettingKey<Value>) -> Value {
        key.value(key.spec.inForce(values[key.spec.key], host: hosts[key.spec.key]))
    }

    /// As clients see it.
    package func setting(_ spec: SettingSpec) -> Setting { spec.setting(values[spec.key], host: hosts[spec.key]) }

    /// Calls `body` on the reactor after each commit that gave the setting another value, until the observation is
    /// cancelled. An observer that lives as long as the daemon needn't keep the observation.
    @discardableResult
    package func onChange<Value>(
        _ key: SettingKey<Value>, _ body: @escaping @ReactorActor (Value) -> Void
    ) -> SettingObservation {
        let observation = SettingObservation(settings: self) { [weak self] in
            if let self { body(self[key]) }
        }
        observers.append((key.spec.key, observation))
        return observation
    }

    /// How many observers there are.
    var observerCount: Int { observers.count }

    fileprivate func remove(_ observation: SettingObservation) {
        observers.removeAll { $0.observation === observation }
    }

    /// Commits a value, tells the observers, and returns the setting as it is then.
    ///
    /// - Parameter value: nil for the default.
    /// - Throws: a refusal of kind `invalid` for a value that is not allowed, and of kind `not_allowed` for a setting that
    ///   the configuration of this host forces.
    package func set(_ spec: SettingSpec, to value: JSONValue?) async throws -> Setting {
        if let value, let problem = spec.problem(with: value) { throw problem }
        if hosts[spec.key]?.isForced == true {
            let isUsers = forcedByUser.contains(spec.key)
            throw ControlError(
                .notAllowed,
                "\(spec.key) is forced by \(isUsers ? "your own kibod.json5" : "the configuration of this host")",
                hint: isUsers ? nil : .askAdministrator, parameters: ["key": .string(spec.key)], field: "key")
        }
        let text = value?.text
        return try await store.commit {
            try $0.setSetting(spec.key, to: text)
        } apply: {
            self.committed(spec, value)
            return self.setting(spec)
        }
    }

    /// Commits the host's current configuration of settings, and tells the observers of settings whose values change by
    /// that.
    package func configure(_ rows: [HostSettingRow]) async throws {
        try await store.commit {
            try $0.setHostSettings(rows)
        } apply: {
            let new = Self.hosts(rows)
            for spec in SettingsCatalogue.all where new[spec.key] != self.hosts[spec.key] {
                self.follow(spec) { self.hosts[spec.key] = new[spec.key] }
            }
        }
    }

    private func committed(_ spec: SettingSpec, _ value: JSONValue?) { follow(spec) { values[spec.key] = value } }

    private func follow(_ spec: SettingSpec, _ change: () -> Void) {
        let before = setting(spec).value
        change()
        guard setting(spec).value != before else { return }
        for observer in observers where observer.key == spec.key { observer.observation.call() }
    }
}

/// One observer of a setting.
@ReactorActor package final class SettingObservation {
    private weak var settings: Settings?
    fileprivate let call: @ReactorActor () -> Void

    fileprivate init(settings: Settings, call: @escaping @ReactorActor () -> Void) {
        self.settings = settings
        self.call = call
    }

    /// The observer is not called any more, and is forgotten.
    package func cancel() { settings?.remove(self) }
}
