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
    /// The values that are not the default, by key.
    private var values: [String: JSONValue] = [:]
    private var observers: [(key: String, observation: SettingObservation)] = []

    package init(store: Store, stored: [String: String]) {
        self.store = store
        for spec in SettingsCatalogue.all { values[spec.key] = spec.value(stored: stored[spec.key]) }
    }

    /// The value of the last commit that is known here.
    package subscript<Value>(key: SettingKey<Value>) -> Value { key.value(values[key.spec.key]) }

    /// As clients see it.
    package func setting(_ spec: SettingSpec) -> Setting { spec.setting(values[spec.key]) }

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
    /// - Throws: a refusal of kind `invalid` for a value that is not allowed.
    package func set(_ spec: SettingSpec, to value: JSONValue?) async throws -> Setting {
        if let value, let problem = spec.problem(with: value) { throw problem }
        let text = value?.text
        return try await store.commit {
            try $0.setSetting(spec.key, to: text)
        } apply: {
            self.committed(spec, value)
            return self.setting(spec)
        }
    }

    private func committed(_ spec: SettingSpec, _ value: JSONValue?) {
        let before = setting(spec).value
        values[spec.key] = value
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
