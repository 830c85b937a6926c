import Vocabulary

/// The answer of a method.
public enum ResultSpec: Hashable, Sendable {
    /// One of ``Catalogue/objects``.
    case object(String)
    /// An object of its own with these fields; none: `{}`.
    case fields([FieldSpec])
    /// A string; the text says what it holds.
    case text(String)
    /// An object that another document describes; the text names that.
    case document(String)

    /// Whether a descriptor may come with it.
    var hasDescriptor: Bool {
        guard case .fields(let fields) = self else { return false }
        return fields.contains { $0.name == FieldSpec.descriptor.name }
    }

    /// As the contract's table writes it.
    public var signature: String {
        switch self {
        case .object(let name): name
        case .text: "string"
        case .document(let name): name
        case .fields(let fields): FieldSpec.signature(fields)
        }
    }
}

/// The effect of a method on conversations and groups. Requests of one connection that have one take effect in the
/// order in which they came.
public enum MethodEffect: String, Hashable, Sendable, CaseIterable {
    /// It has nothing to do with them.
    case none
    /// It shows what is in them, with everything that was written before.
    case reads
    /// It changes them.
    case writes
}

/// Whether a method is answered while the account is locked.
public enum LockedUse: String, Hashable, Sendable, CaseIterable {
    /// It is refused.
    case refused
    /// It shows what was written before, which needs no keys. It is answered if `privacy.historyWhileLocked` allows
    /// that.
    case history
    /// It is answered: it shows nothing of what was written, or only what is needed to get on.
    case answered
}

/// A method of the control interface.
public struct MethodSpec: Hashable, Sendable {
    /// As it is called on the wire.
    public let name: String
    /// A sentence that says what it does.
    public let summary: String
    /// All parameters, in the order of the document.
    public let parameters: [FieldSpec]
    /// Groups of parameters of which exactly one must be given.
    public let exactlyOne: [[String]]
    /// Groups of parameters of which at least one must be given.
    public let atLeastOne: [[String]]
    /// Its effect on conversations and groups.
    public let effect: MethodEffect
    /// Whether it is answered while the account is locked.
    public let whileLocked: LockedUse
    /// The roles of connections that may call it.
    public let roles: [Role]
    /// Whether it changes the setting that its parameter `key` names.
    let setsSetting: Bool
    /// Its answer.
    public let result: ResultSpec
    /// The refusals to expect beyond `internal`, `no_account` and `locked`.
    public let errors: [Reason]

    init(
        _ name: String, _ summary: String, _ parameters: [FieldSpec] = [], exactlyOne: [[String]] = [],
        atLeastOne: [[String]] = [], effect: MethodEffect = .none, whileLocked: LockedUse = .refused,
        roles: [Role] = Role.allCases, setsSetting: Bool = false, result: ResultSpec, errors: [Reason] = [],
        sendsFiles: Bool? = nil
    ) {
        self.name = name
        self.summary = summary
        self.parameters = parameters
        self.exactlyOne = exactlyOne
        self.atLeastOne = atLeastOne
        self.effect = effect
        self.whileLocked = whileLocked
        self.roles = roles
        self.setsSetting = setsSetting
        self.result = result
        self.sendsFiles =
            sendsFiles ?? parameters.contains { if case .list(.file, _, _) = $0.type { true } else { false } }
        // A connection of role web is refused what it may not say.
        let isGuarded = roles != Role.allCases || setsSetting || parameters.contains { $0.type.takesPath }
        let general: [Reason] = (isGuarded ? [.notAllowed] : []) + (result.hasDescriptor ? [.busy] : [])
        self.errors = errors + general.filter { !errors.contains($0) }
    }

    /// Whether a descriptor may come with its result, as the field `descriptor` then says. Such a method can't be in a batch.
    public var passesDescriptor: Bool { result.hasDescriptor }

    /// Whether the files that it takes are sent, so that they are needed as long as a transfer names them.
    public let sendsFiles: Bool

    /// The parameters as the contract's table writes them: `{conversation | to, text?, …}`.
    public var signature: String {
        var parts: [String] = []
        for parameter in parameters {
            guard let group = exactlyOne.first(where: { $0.contains(parameter.name) }) else {
                parts.append(parameter.signature)
                continue
            }
            if group.first == parameter.name { parts.append(group.joined(separator: " | ")) }
        }
        return "{" + parts.joined(separator: ", ") + "}"
    }
}
