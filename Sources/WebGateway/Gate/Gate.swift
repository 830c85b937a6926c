/// Why the gate lets a request not in. The browser of a person at our own page never hears one of these.
package enum GateRefusal: String, Error, CaseIterable, Sendable {
    /// The head is not written as browsers write it, or too large.
    case form
    /// The target has characters that no target of ours has.
    case target
    /// A field is there twice, has a strange character, or is one that we don't serve.
    case field
    /// The name of another server: a page whose name was bound to this host, say.
    case host
    /// A page of another origin asks.
    case origin
    /// The browser says that something else than our own page asks.
    case site
    /// A method that isn't served, or a form that was sent here.
    case method
}

/// A request that came through the gate.
package struct Admitted: Hashable, Sendable {
    package enum Method: String, Sendable { case get = "GET", post = "POST", put = "PUT" }

    package let method: Method
    /// Nil for a target that isn't served.
    package let route: Route?
    /// What the login is looked up by; nil without a cookie of ours.
    package let cookie: String?
    /// Bytes of the body; nil if the head doesn't say.
    package let length: Int64?
    /// The `Range` field.
    package let range: String?
    /// The place in the stream at which it broke.
    package let lastEventID: String?
    /// What the browser calls itself.
    package let agent: String
}

/// Decides which requests come from our own page in a browser, by what every page of another origin can't send.
package struct Gate: Sendable {
    /// `kibo-<12 letters>.localhost`.
    package let host: String

    /// - Parameter name: the drawn name, without `.localhost`.
    package init(name: String) { host = name + ".localhost" }

    /// The name of the cookie.
    package static let cookieName = "kibo"

    /// Lets a request in.
    package func admit(_ head: RequestHead) throws(GateRefusal) -> Admitted {
        guard head.isPlain, head.version == "HTTP/1.1", head.size <= WebLimits.headBytes else { throw .form }
        guard head.target.hasPrefix("/"), head.target.utf8.count <= WebLimits.targetBytes,
            head.target.utf8.allSatisfy(Self.isTargetByte)
        else { throw .target }
        try checkFields(head)
        guard let sentHost = head.value("host"), isOurs(sentHost) else { throw .host }
        if let origin = head.value("origin"), origin != "http://" + sentHost { throw .origin }
        let site = head.value("sec-fetch-site")
        guard site == "same-origin" || (site == "none" && head.method == "GET" && head.target == "/") else {
            throw .site
        }
        guard let method = Admitted.Method(rawValue: head.method) else { throw .method }
        let length = try Self.length(head)
        switch method {
        case .get: if length ?? 0 != 0 { throw .method }
        case .post, .put:
            // No form and no script of another origin can send this field without asking first, and nothing answers that.
            guard head.value("x-kibo") == "1" else { throw .method }
            if method == .post, head.value("content-type") != "application/json" { throw .method }
        }
        return Admitted(
            method: method, route: Route(target: head.target), cookie: head.value("cookie").flatMap(Self.cookie),
            length: length, range: head.value("range"), lastEventID: head.value("last-event-id"),
            agent: head.value("user-agent") ?? "")
    }

    /// Every field stands once, and none changes how the rest is read.
    private func checkFields(_ head: RequestHead) throws(GateRefusal) {
        guard head.fields.count <= WebLimits.fields else { throw .form }
        var names: Set<String> = []
        for field in head.fields {
            guard !field.name.isEmpty,
                field.name.utf8.allSatisfy({ Route.isLetterOrDigit($0) || "-_".utf8.contains($0) }),
                names.insert(field.name).inserted,
                field.value.utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7F }),
                field.value.utf8.first != 0x20, field.value.utf8.last != 0x20
            else { throw .field }
        }
        guard names.isDisjoint(with: ["transfer-encoding", "upgrade", "expect", "trailer"]) else { throw .field }
    }

    /// The port may be any: `ssh -L` has another one at its near end.
    private func isOurs(_ sent: String) -> Bool {
        guard sent.hasPrefix(host) else { return false }
        let rest = sent.dropFirst(host.count)
        guard !rest.isEmpty else { return true }
        guard rest.first == ":", rest.utf8.count <= 6, let port = Route.number(String(rest.dropFirst())) else {
            return false
        }
        return 1...65_535 ~= port
    }

    private static func length(_ head: RequestHead) throws(GateRefusal) -> Int64? {
        guard let text = head.value("content-length") else { return nil }
        guard let length = Route.number(text) else { throw .field }
        return length
    }

    /// The value of our cookie among those of all servers of this host; nil without one, or with two.
    static func cookie(in field: String) -> String? {
        let ours = field.split(separator: ";").compactMap { item -> Substring? in
            let item = item.drop { $0 == " " }
            return item.hasPrefix(cookieName + "=") ? item.dropFirst(cookieName.count + 1) : nil
        }
        return ours.count == 1 ? ours.first.map(String.init) : nil
    }

    private static func isTargetByte(_ byte: UInt8) -> Bool {
        Route.isLetterOrDigit(byte) || "/._~?=&-".utf8.contains(byte)
    }
}
