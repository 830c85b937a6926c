import Basics
import ControlProtocol
import Reactor
import Store

/// What the person has chosen, for rooms on the reactor.
///
/// This room (`Settings`) gives the settings of the catalogue their values. The database is the truth: a value changes with
/// a commit and in no other way. What must fit a transaction reads it there, by ``ReadTransaction/setting(_:)``; all else
/// reads this shadow, which follows each commit before anything that is committed later is told.
@ReactorActor final class Settings {
    private let store: Store
    /// Those that are not at their default, by key.
    private var values: [String: JSONValue] = [:]
    private var observers: [String: [@ReactorActor () -> Void]] = [:]

    init(store: Store, stored: [String: String]) {
        self.store = store
        for spec in SettingsCatalogue.all { values[spec.key] = spec.value(stored: stored[spec.key]) }
    }

    /// The value of the last commit that is known here.
    subscript<Value>(key: SettingKey<Value>) -> Value { key.value(values[key.spec.key]) }

    /// As clients see it.
    func setting(_ spec: SettingSpec) -> Setting { spec.setting(values[spec.key]) }

    /// Calls `body` on the reactor after each commit that gave the setting another value.
    func onChange<Value>(_ key: SettingKey<Value>, _ body: @escaping @ReactorActor (Value) -> Void) {
        observers[key.spec.key, default: []].append { [weak self] in
            if let self { body(self[key]) }
        }
    }

    /// Commits a value, lets the rooms that watch it know, and returns the setting as it is then.
    ///
    /// - Parameter value: nil for the default.
    /// - Throws: a refusal of kind `invalid` for a value that is not allowed.
    func set(_ spec: SettingSpec, to value: JSONValue?) async throws -> Setting {
        if let value, let problem = spec.problem(with: value) { throw problem }
        let text = value?.text
        return try await withCheckedThrowingContinuation { continuation in
            store.submit {
                try $0.setSetting(spec.key, to: text)
            } completion: { [self] result in
                Reactor.shared.post {
                    if case .success = result { self.committed(spec, value) }
                    continuation.resume(with: result.map { self.setting(spec) })
                }
            }
        }
    }

    private func committed(_ spec: SettingSpec, _ value: JSONValue?) {
        let before = setting(spec).value
        values[spec.key] = value
        guard setting(spec).value != before else { return }
        for observer in observers[spec.key] ?? [] { observer() }
    }
}

extension ReadTransaction {
    /// A setting as this transaction sees it.
    func setting<Value>(_ key: SettingKey<Value>) throws -> Value {
        key.value(stored: try setting(key.spec.key))
    }

    /// As clients see it.
    func setting(_ spec: SettingSpec) throws -> Setting {
        spec.setting(spec.value(stored: try setting(spec.key)))
    }
}
