import Basics

/// A request that is answered. Everything else is not found.
public enum LocalSendRoute: Hashable, Sendable {
    /// Asks who is here; `fingerprint` is the asker's.
    case info(fingerprint: String?)
    case register
    case prepareUpload(pin: String?)
    case upload(session: String, file: String, token: String)
    /// `session` is nil if the device gave up before there was one.
    case cancel(session: String?)
    /// An upload that doesn't say of what.
    case malformed

    /// Whether its body is JSON that is read whole.
    public var hasDocument: Bool {
        switch self {
        case .register, .prepareUpload: true
        default: false
        }
    }

    /// Reads the first line of a request.
    /// - Parameter target: path and query as they were written.
    public init?(method: String, target: String) {
        guard target.utf8.count <= LocalSendLimits.targetBytes else { return nil }
        let parts = target.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
        guard let path = parts.first, let query = Query(parts.count > 1 ? parts[1] : "") else { return nil }
        switch (method, path) {
        case ("GET", "/api/localsend/v2/info"), ("GET", "/api/localsend/v1/info"):
            self = .info(fingerprint: query["fingerprint"])
        case ("POST", "/api/localsend/v2/register"): self = .register
        case ("POST", "/api/localsend/v2/prepare-upload"): self = .prepareUpload(pin: query["pin"])
        case ("POST", "/api/localsend/v2/upload"):
            if let session = query["sessionId"], let file = query["fileId"], let token = query["token"] {
                self = .upload(session: session, file: file, token: token)
            } else {
                self = .malformed
            }
        case ("POST", "/api/localsend/v2/cancel"): self = .cancel(session: query["sessionId"])
        default: return nil
        }
    }

    /// The values after a question mark, each name once; as forms write them, with a plus for a space.
    private struct Query {
        private var values: [String: String] = [:]

        init?(_ text: Substring) {
            guard !text.isEmpty else { return }
            for item in text.split(separator: "&", omittingEmptySubsequences: true) {
                let parts = item.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
                guard let name = Self.decoded(parts[0]), let value = Self.decoded(parts.count > 1 ? parts[1] : ""),
                    values.updateValue(value, forKey: name) == nil
                else { return nil }
            }
        }

        subscript(name: String) -> String? { values[name] }

        private static func decoded(_ text: Substring) -> String? {
            PercentCode.decode(String(text.map { $0 == "+" ? " " : $0 }))
        }
    }
}
