import ControlProtocol
import HTTP

extension Reply {
    /// JSON, which is kept nowhere.
    static func json(_ status: UInt32, _ value: JSONValue, _ fields: [(name: String, value: String)] = []) -> Reply {
        Reply(status, [("Content-Type", "application/json")] + fields, .bytes(value.encoded))
    }

    /// A request that breaks a rule of the gate gets no explanation, and its connection ends.
    static let forbidden = Reply(403, [("Connection", "close")])

    /// Cookies of another server under our name have made the head too large: without them the person can log in again.
    static let overloaded = Reply(
        431,
        [
            ("Connection", "close"), ("Clear-Site-Data", "\"cookies\""), ("Content-Type", "text/plain; charset=utf-8"),
        ],
        .bytes(
            Array(
                """
                Other programs of this computer have set too many cookies under the address of Kibo's page. They are gone now.
                Open Kibo again from the menu of your desktop, or by: kibo web

                """.utf8)))

    /// The page has another name by now. A tab that is still open takes this for the end of its login, and says what to do.
    static let past = Reply(
        401, [("Connection", "close"), ("Content-Type", "text/plain; charset=utf-8")],
        .bytes(
            Array(
                """
                Kibo's page has a new address: it gets one whenever Kibo was not there to keep the old one from other programs.
                Open Kibo again from the menu of your desktop, or by: kibo web

                """.utf8)))

    /// An error of the gateway itself.
    static func error(_ error: GatewayError) -> Reply {
        var fields: [(name: String, value: String)] = []
        if let seconds = error.retryAfter { fields.append(("Retry-After", String(seconds))) }
        return json(error.status, ["error": error.rpc.json], fields)
    }

    /// The daemon's refusal of a request for a file or a piece.
    static func refusal(_ error: RPCError) -> Reply {
        if error == GatewayError.away.rpc { return .error(.away) }
        return json(GatewayError.status(of: error), ["error": error.json])
    }

    /// The fields that every answer has, unless it has them itself.
    static let common: [(name: String, value: String)] = [
        ("X-Content-Type-Options", "nosniff"),
        ("Referrer-Policy", "no-referrer"),
        ("Cross-Origin-Opener-Policy", "same-origin"),
        ("Cross-Origin-Resource-Policy", "same-origin"),
        (
            "Permissions-Policy",
            "camera=(self), microphone=(self), display-capture=(self), geolocation=(), usb=(), payment=()"
        ),
        ("Content-Security-Policy", policy), ("Cache-Control", "no-store"),
    ]

    /// What a page of ours may load and do.
    static let policy =
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' blob:; media-src 'self' blob:; "
        + "connect-src 'self'; worker-src 'self'; manifest-src 'self'; base-uri 'none'; form-action 'none'; "
        + "frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types kibo"
}

/// Why the gateway itself has no better answer.
struct GatewayError: Error {
    let status: UInt32
    let rpc: RPCError
    var retryAfter: Int?

    /// The code of errors that the daemon didn't make.
    private static let code: Int64 = -32_050

    private init(_ status: UInt32, _ kind: String, _ message: String, retryable: Bool = false, retryAfter: Int? = nil) {
        self.status = status
        self.retryAfter = retryAfter
        rpc = RPCError(
            code: Self.code, message: message,
            data: .object(["kind": .string(kind), "retryable": .bool(retryable)]))
    }

    static let loggedOut = GatewayError(401, "logged_out", "this browser is not logged in")
    static let wrongToken = GatewayError(401, "logged_out", "this link was used already, or is too old")
    static let notFound = GatewayError(404, "not_found", "there is nothing here")
    static let noLength = GatewayError(411, "too_large", "the request does not say how long it is")
    static let tooLarge = GatewayError(413, "too_large", "the request is too large")
    static let busy = GatewayError(429, "busy", "too much at once", retryable: true, retryAfter: 1)
    static let away = GatewayError(503, "away", "the daemon does not answer", retryable: true)
    static let failed = GatewayError(500, "internal", "this could not be done")
    static let diskFull = GatewayError(507, "no_space", "the disk is full", retryable: true)

    /// Too many tries of links.
    static func tooManyTries(seconds: Int) -> GatewayError {
        GatewayError(429, "busy", "too many tries", retryable: true, retryAfter: seconds)
    }

    /// A body that isn't JSON, or no request.
    static func malformed(_ reason: String) -> GatewayError {
        GatewayError(400, "invalid", reason)
    }

    /// A method that pages don't call.
    static func notForPages(_ method: String) -> RPCError {
        GatewayError(403, "not_allowed", "\(method) is not for pages").rpc
    }

    /// The HTTP status for the daemon's refusal of a file or the like.
    static func status(of error: RPCError) -> UInt32 {
        switch error.data?["kind"]?.string {
        case "not_found": 404
        case "no_space": 507
        case "busy": 429
        default: error.code == RPCError.refusedCode ? 400 : 500
        }
    }
}
