import Vocabulary

/// Every method, object and event of the control interface that this version has, in one place. Requests are checked
/// against it, and `system.schema` and the table in `docs/CONTROL-API.md` are made from it.
///
/// A method is listed once the daemon answers it, not before; a call of any other method gets −32601.
public enum Catalogue {
    /// All methods, in the order of the document.
    public static let methods: [MethodSpec] =
        systemMethods + accountMethods + recoveryMethods + backupMethods + peerMethods + contactMethods + nameMethods
        + rosterMethods + courierMethods + guestMethods
        + codeMethods
        + addressBookMethods
        + inviteMethods
        + conversationMethods + messageMethods + callMethods
        + groupMethods + searchMethods + transferMethods + pictureMethods + uploadMethods + presenceMethods
        + settingsMethods + eventMethods

    /// The refusals that any method may answer besides its own: while there is no account or it is locked, for values
    /// outside their limits, while the disk is full, and if the daemon fails.
    public static let generalErrors: [Reason] = [.noAccount, .locked, .invalid, .tooLarge, .noSpace, .internal]

    private static let methodsByName: [String: MethodSpec] = {
        var table: [String: MethodSpec] = [:]
        for method in methods { table[method.name] = method }
        return table
    }()

    /// The method of that name; nil if there is none.
    public static func method(_ name: String) -> MethodSpec? { methodsByName[name] }

    /// Checks a request's method and parameters.
    ///
    /// - Throws: −32601 for an unknown method; −32602 with `data.field` for an unknown or missing parameter or a wrong
    ///   JSON type; a refusal of kind `invalid` or `too_large` with `data.field` for a value outside its limits.
    /// - Returns: the parameters, ready to be read.
    public static func validate(_ request: RPCRequest) throws(RPCError) -> Parameters {
        try validate(method: request.method, params: request.params)
    }

    /// As ``validate(_:)``.
    @discardableResult
    public static func validate(method name: String, params: JSONObject) throws(RPCError) -> Parameters {
        guard let method = method(name) else { throw .methodNotFound(name) }
        try Validation.check(params, against: method)
        return Parameters(params, of: method)
    }
}
