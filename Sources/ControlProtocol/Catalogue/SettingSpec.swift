/// A setting as documents, checks and lists know it: everything but the type that a program reads it with.
public struct SettingSpec: Hashable, Sendable {
    /// As it is called on the wire and in the database.
    public let key: String
    /// The type of its value.
    public let type: ValueType
    /// The value that counts while the setting is not set.
    public let standard: JSONValue
    /// The effect of the setting, for people: a phrase without a full stop.
    public let doc: String
    /// The default in words, where it differs from host to host.
    public let standardNote: String?

    /// Whether it holds a path or a command of this host, which a browser can neither see nor set.
    public var isHost: Bool {
        switch type {
        case .path, .command, .list(.folderRule, _, _): true
        default: false
        }
    }

    /// Why a value can't be taken; nil if it can.
    ///
    /// - Returns: a refusal of kind `invalid` with the field `value`, which names what is allowed.
    public func problem(with value: JSONValue) -> ControlError? {
        do {
            try Validation.check(value, type, "value")
            return nil
        } catch {
            if case .command = type, value.string != nil {
                return ControlError(
                    .invalid, key + error.message.dropFirst("value".count), hint: .giveAllowedValue,
                    parameters: bounds, field: "value")
            }
            var given = value.string.map { "\"\($0.prefix(64))\"" } ?? value.integer.map { "\($0)" } ?? value.kindName
            // In a list one element is wrong, and only the whole list shows which one.
            if case .list = type, value.array != nil { given = "\(value.text.prefix(64))" }
            var parameters = bounds
            parameters["default"] = .string(standard.text)
            return ControlError(
                .invalid, "\(key) must be \(type.allowed), not \(given)", hint: .useDefault, parameters: parameters,
                field: "value")
        }
    }

    /// The key and the values that it takes, as parameters of a refusal.
    private var bounds: JSONObject {
        var bounds: JSONObject = ["key": .string(key)]
        var element = type
        if case .list(let inner, _, _) = type { element = inner }
        switch element {
        case .integer(let range):
            (bounds["least"], bounds["most"]) = (.integer(range.lowerBound), .integer(range.upperBound))
        case .choice(let words): bounds["values"] = .strings(words)
        case .boolean: bounds["values"] = [true, false]
        case .command(let required, let placeholders):
            (bounds["required"], bounds["placeholders"]) = (.strings(required), .strings(placeholders))
        default: break
        }
        return bounds
    }

    /// The setting with its value as it travels.
    ///
    /// - Parameters:
    ///   - value: as the user has set it; nil if the user has not.
    ///   - host: what the host's configuration says; nil if it says nothing.
    public func setting(_ value: JSONValue?, host: HostSetting? = nil) -> Setting {
        var limits = type.schema
        let word = limits["type"]?.string ?? ""
        limits["type"] = nil
        return Setting(
            key: key, value: inForce(value, host: host) ?? standard, standard: host?.value ?? standard, type: word,
            description: doc, host: isHost, forced: host?.isForced ?? false, limits: limits.isEmpty ? nil : limits)
    }

    /// The value that counts: forced by the host, set by the user, or the host's default, in this order; nil if the
    /// program's default counts.
    package func inForce(_ value: JSONValue?, host: HostSetting?) -> JSONValue? {
        guard let host else { return value }
        return host.isForced ? host.value : value ?? host.value
    }

    /// The stored value, if it counts. A value that this version can't use (a later one wrote it) counts as none.
    public func value(stored text: String?) -> JSONValue? {
        guard let text, let value = try? JSONParser.parse(text), problem(with: value) == nil else { return nil }
        return value
    }
}

/// A value that the host's configuration gives a setting.
public struct HostSetting: Hashable, Sendable {
    public let value: JSONValue
    /// Whether the value counts before what the user has set. Otherwise it counts only while the user has set nothing.
    public let isForced: Bool

    public init(value: JSONValue, isForced: Bool) {
        self.value = value
        self.isForced = isForced
    }
}

/// A setting with the type that programs read it as.
public struct SettingKey<Value: FieldValue>: Hashable, Sendable {
    /// The other facts about it.
    public let spec: SettingSpec
    /// The value that counts while the setting is not set.
    public let standard: Value

    init(_ key: String, _ type: ValueType, _ standard: Value, note: String? = nil, _ doc: String) {
        spec = SettingSpec(key: key, type: type, standard: standard.json, doc: doc, standardNote: note)
        self.standard = standard
    }

    /// As a program reads it.
    ///
    /// - Parameter json: the value as it was stored; nil if the default counts.
    public func value(_ json: JSONValue?) -> Value { json.flatMap { try? Value.read($0) } ?? standard }

    /// Does the same as ``value(_:)`` for the text that the database holds.
    public func value(stored text: String?) -> Value { value(spec.value(stored: text)) }
}

extension SettingKey where Value == Bool {
    init(_ key: String, _ standard: Bool, _ doc: String) { self.init(key, .boolean, standard, doc) }
}

extension SettingKey where Value == Int64 {
    init(_ key: String, _ standard: Int64, in range: ClosedRange<Int64>, _ doc: String) {
        self.init(key, .integer(range), standard, doc)
    }
}

extension SettingKey where Value == [String] {
    init(_ key: String, each type: ValueType, maximum: Int, _ standard: [String], _ doc: String) {
        self.init(key, .list(type, minimum: 0, maximum: maximum), standard, doc)
    }
}

extension SettingKey {
    /// Makes a setting that is a list of an enumeration's words.
    init<Word: ContractWord>(_ key: String, _ standard: [Word], _ doc: String) where Value == [Word] {
        self.init(key, .list(Word.contractType, minimum: 0, maximum: Word.allCases.count), standard, doc)
    }
}

extension SettingKey where Value: ContractWord {
    init(_ key: String, _ standard: Value, _ doc: String) { self.init(key, Value.contractType, standard, doc) }
}
