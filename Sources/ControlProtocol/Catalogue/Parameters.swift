import Basics

/// The parameters of a request that has been checked: reading them can't fail, because ``Catalogue`` knows their types.
///
/// A name that is not in the method's list is a programming mistake: debug builds stop at it, and release builds read
/// it as not given.
public struct Parameters: Sendable {
    private var values: JSONObject
    private let method: MethodSpec

    init(_ values: JSONObject, of method: MethodSpec) {
        self.values = values
        self.method = method
    }

    /// The prefix of an upload's name, for a parameter that takes a file.
    public static let uploadPrefix = "upload:"

    /// The same parameters, with a path in place of each upload that is named.
    ///
    /// - Parameter path: gives the path of an upload.
    public func resolvingUploads<Failure>(_ path: (UUIDv7) throws(Failure) -> String) throws(Failure) -> Parameters {
        var resolved = self
        for parameter in method.parameters where parameter.type.takesPath {
            switch values[parameter.name] {
            case .string(let text)?: resolved.values[parameter.name] = .string(try Self.resolved(text, path))
            case .array(let elements)?:
                var texts: [JSONValue] = []
                for element in elements {
                    guard let text = element.string else { continue }
                    texts.append(.string(try Self.resolved(text, path)))
                }
                resolved.values[parameter.name] = .array(texts)
            default: continue
            }
        }
        return resolved
    }

    private static func resolved<Failure>(
        _ text: String, _ path: (UUIDv7) throws(Failure) -> String
    ) throws(Failure) -> String {
        guard text.hasPrefix(uploadPrefix), let id = UUIDv7(String(text.dropFirst(uploadPrefix.count))) else {
            return text
        }
        return try path(id)
    }

    /// The value that was given, or else the standard value; nil for none.
    public subscript(name: String) -> JSONValue? {
        let specification = method.parameters.first { $0.name == name }
        assert(specification != nil, "\(method.name) has no parameter \(name)")
        guard let value = values[name], !value.isNull else { return specification?.standard }
        return value
    }

    /// Whether a value was given.
    public func has(_ name: String) -> Bool { values[name].map { !$0.isNull } ?? false }

    /// A text that may be missing.
    public func optionalString(_ name: String) -> String? { self[name]?.string }

    /// A required text, or one with a standard value; empty otherwise.
    public func string(_ name: String) -> String { self[name]?.string ?? "" }

    /// A whole number that may be missing.
    public func optionalInteger(_ name: String) -> Int64? { self[name]?.integer }

    /// A required whole number, or one with a standard value; 0 otherwise.
    public func integer(_ name: String) -> Int64 { self[name]?.integer ?? 0 }

    /// `limit`, which every list has.
    public var limit: Int { Int(clamping: integer("limit")) }

    /// A truth value; false if it is missing and has no standard value.
    public func bool(_ name: String) -> Bool { self[name]?.bool ?? false }

    /// A truth value that may be missing.
    public func optionalBool(_ name: String) -> Bool? { self[name]?.bool }

    /// A list of texts; empty if it is missing.
    public func strings(_ name: String) -> [String] { self[name]?.array?.compactMap(\.string) ?? [] }

    /// An account that may be missing.
    public func account(_ name: String) -> AccountID? { optionalString(name).flatMap(AccountID.init) }

    /// A UUID that may be missing.
    public func uuid(_ name: String) -> UUIDv7? { optionalString(name).flatMap(UUIDv7.init) }

    /// An address that may be missing.
    public func address(_ name: String) -> SocketAddress? { optionalString(name).flatMap(SocketAddress.init) }

    /// A word of an enumeration that may be missing.
    public func choice<Choice: RawRepresentable>(_ name: String, as type: Choice.Type = Choice.self) -> Choice?
    where Choice.RawValue == String {
        optionalString(name).flatMap(Choice.init)
    }
}
