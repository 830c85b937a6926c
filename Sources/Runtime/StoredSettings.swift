import ControlProtocol
import Store

extension ReadTransaction {
    /// A setting as this transaction sees it.
    package func setting<Value>(_ key: SettingKey<Value>) throws -> Value {
        key.value(stored: try settingInForce(key.spec.key))
    }

    /// As clients see it.
    package func setting(_ spec: SettingSpec) throws -> Setting {
        spec.setting(
            spec.value(stored: try setting(spec.key)), host: try hostSetting(spec.key).flatMap { $0.setting(spec) })
    }
}

extension HostSettingRow {
    /// Nil for a value that this version can't use.
    package func setting(_ spec: SettingSpec) -> HostSetting? {
        spec.value(stored: value).map { HostSetting(value: $0, isForced: isForced) }
    }
}
