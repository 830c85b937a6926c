import Vocabulary

/// What a connection may hear and say. A connection has ``full`` until it says otherwise in `system.hello`.
public enum Role: String, Hashable, Sendable, CaseIterable {
    /// A program of this user on this host.
    case full
    /// A gateway to a browser. In what it hears, paths of this host are null. In what it says, such paths are refused,
    /// and so are the settings that hold paths or commands.
    case web

    /// Why a connection of this role can't make a request; nil if it can.
    ///
    /// - Parameter params: the parameters as they came. The check of types handles those of a wrong type.
    public func objection(to method: MethodSpec, _ params: JSONObject) -> ControlError? {
        guard self == .web else { return nil }
        guard method.roles.contains(self) else {
            return ControlError(.notAllowed, "\(method.name) is not for connections of role \(rawValue)")
        }
        for parameter in method.parameters {
            guard let value = params[parameter.name], parameter.type.hasPath(value) else { continue }
            return ControlError(
                .notAllowed, "a connection of role \(rawValue) can't name paths of this host, only uploads",
                field: parameter.name)
        }
        if method.setsSetting, let key = params["key"]?.string, (try? SettingsCatalogue.setting(key))?.isHost == true {
            return ControlError(
                .notAllowed, "\(key) can be set only by a program on this host", field: "key")
        }
        return nil
    }

    /// A method's result as a connection of this role hears it.
    public func hears(_ result: JSONValue, of method: String) -> JSONValue {
        guard self == .web, let places = PathPlaces.results[method] else { return result }
        return places.cleared(result) ?? result
    }

    /// An event's data as a connection of this role hears it; nil if that is all of it.
    public func hears(_ data: JSONValue, of event: EventType) -> JSONValue? {
        guard self == .web else { return nil }
        return PathPlaces.objects[event.object]?.cleared(data)
    }

    /// A refusal as a connection of this role hears it: the sentence is replaced if it names a path.
    public func hears(_ error: RPCError) -> RPCError {
        guard self == .web else { return error }
        let message =
            PathPlaces.names(error.message)
            ? "refused as \(error.kind?.contract ?? "invalid"); the reason names a path of this host" : error.message
        return RPCError(
            code: error.code, message: message, data: error.data.map { PathPlaces.inside.cleared($0) ?? $0 })
    }
}

extension ValueType {
    /// Whether a parameter of this type takes a path of this host.
    var takesPath: Bool {
        switch self {
        case .path, .file: true
        case .list(let type, _, _), .results(let type), .nullable(let type), .emptyOr(let type): type.takesPath
        default: false
        }
    }

    /// Whether that value of a parameter is a path of this host.
    fileprivate func hasPath(_ value: JSONValue) -> Bool {
        switch self {
        case .path: !value.isNull
        case .file: value.string.map { !$0.hasPrefix(Parameters.uploadPrefix) } ?? false
        case .list(let type, _, _): value.array?.contains(where: type.hasPath) ?? false
        case .emptyOr(let type): value != "" && type.hasPath(value)
        case .nullable(let type): type.hasPath(value)
        default: false
        }
    }
}

/// The places of paths in the values of one type, found once from the catalogue.
indirect enum PathPlaces: Sendable {
    /// The value is a path.
    case itself
    /// Any text in the value may name a path.
    case inside
    /// The value is a setting's: it is a path or a command if the field `host` beside it says so.
    case besideHost
    case elements(PathPlaces)
    /// A list, because an object has paths in few of its fields, and every event is looked through.
    case fields([(name: String, places: PathPlaces)])

    /// Those of each object that has any.
    static let objects: [String: PathPlaces] = {
        var places: [String: PathPlaces] = [:]
        for object in Catalogue.objects { places[object.name] = PathPlaces(object.fields) }
        return places
    }()

    /// Those of each method's result that has any.
    static let results: [String: PathPlaces] = {
        var places: [String: PathPlaces] = [:]
        for method in Catalogue.methods {
            switch method.result {
            case .object(let name): places[method.name] = objects[name]
            case .fields(let fields): places[method.name] = PathPlaces(fields)
            case .text, .document: continue
            }
        }
        return places
    }()

    private init?(_ fields: [FieldSpec]) {
        let places = fields.compactMap { field in
            PathPlaces(field.type).map { (name: field.name, places: $0) }
        }
        guard !places.isEmpty else { return nil }
        self = .fields(places)
    }

    private init?(_ type: ValueType) {
        switch type {
        case .path: self = .itself
        case .words, .anything: self = .inside
        case .value: self = .besideHost
        case .list(let type, _, _), .results(let type):
            guard let places = PathPlaces(type) else { return nil }
            self = .elements(places)
        case .nullable(let type), .emptyOr(let type): self.init(type)
        case .fields(let fields): self.init(fields)
        case .object(let name):
            guard let object = Catalogue.objects.first(where: { $0.name == name }) else { return nil }
            self.init(object.fields)
        default: return nil
        }
    }

    /// The value with null in place of each path; nil if it has none.
    func cleared(_ value: JSONValue) -> JSONValue? {
        switch (self, value) {
        case (_, .null), (.besideHost, _): return nil
        case (.itself, _): return .null
        case (.inside, .string(let text)): return Self.names(text) ? .null : nil
        case (.inside, .array(let elements)): return Self.cleared(elements, self)
        case (.inside, .object(let object)):
            var cleared: [JSONObject.Field]?
            for (index, field) in object.fields.enumerated() {
                guard let value = self.cleared(field.value) else { continue }
                cleared = cleared ?? object.fields
                cleared?[index].value = value
            }
            return cleared.map { .object(JSONObject(distinct: $0)) }
        case (.elements(let places), .array(let elements)): return Self.cleared(elements, places)
        case (.fields(let places), .object(let object)):
            let fields = object.fields
            var cleared: [JSONObject.Field]?
            for (name, places) in places {
                guard let index = fields.firstIndex(where: { $0.name == name }) else { continue }
                let value: JSONValue?
                if case .besideHost = places {
                    let isOfHost = fields.contains { $0.name == "host" && $0.value == true }
                    value = isOfHost ? Self.itself.cleared(fields[index].value) : nil
                } else {
                    value = places.cleared(fields[index].value)
                }
                guard let value else { continue }
                cleared = cleared ?? fields
                cleared?[index].value = value
            }
            return cleared.map { .object(JSONObject(distinct: $0)) }
        default: return nil
        }
    }

    private static func cleared(_ elements: [JSONValue], _ places: PathPlaces) -> JSONValue? {
        var result: [JSONValue]?
        for (index, element) in elements.enumerated() {
            guard let cleared = places.cleared(element) else { continue }
            result = result ?? elements
            result?[index] = cleared
        }
        return result.map(JSONValue.array)
    }

    /// Whether a text names an absolute path: a slash that begins a word. The slashes of `and/or`, `3/4` and `https://`
    /// don't.
    static func names(_ text: String) -> Bool {
        var before: UInt8 = UInt8(ascii: " ")
        var bytes = text.utf8.makeIterator()
        var next = bytes.next()
        while let byte = next {
            next = bytes.next()
            defer { before = byte }
            guard byte == UInt8(ascii: "/"), let next, next != UInt8(ascii: " ") else { continue }
            let isWithinWord =
                0x61...0x7A ~= before | 0x20 || 0x30...0x39 ~= before || before == UInt8(ascii: "/")
                || (before == UInt8(ascii: ":") && next == UInt8(ascii: "/"))
            if !isWithinWord { return true }
        }
        return false
    }
}
