import ControlProtocol
import Store

extension ReadTransaction {
    /// A setting as this transaction sees it.
    package func setting<Value>(_ key: SettingKey<Value>) throws -> Value {
        key.value(stored: try setting(key.spec.key))
    }

    /// As clients see it.
    package func setting(_ spec: SettingSpec) throws -> Setting {
        spec.setting(spec.value(stored: try setting(spec.key)))
    }
}
