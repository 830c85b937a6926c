import HTTP

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
    /// The values of all cookies with our name; one of them may stand for a login.
    package let cookies: [String]
    /// Bytes of the body; nil if the head doesn't say.
    package let length: Int64?
    /// The `Range` field.
    package let range: String?
    /// The place in the stream at which it broke.
    package let lastEventID: String?
    /// The browser's name for itself.
    package let agent: String
}

/// Decides which requests come from our own page in a browser, by what every page of another origin can't send.
package struct Gate: Sendable {
    /// `kibo-<12 letters>.localhost`.
    package let host: String
    /// The address that a browser is started with. It tells nothing of the name.
    package let opening: String
    /// The name of the cookie: it has the port, because a browser sends cookies to all ports of a host.
    package let cookieName: String

    /// - Parameters:
    ///   - name: the drawn name, without `.localhost`.
    ///   - port: where the gateway listens.
    package init(name: String, port: UInt16) {
        host = name + ".localhost"
        opening = "127.0.0.1:\(port)"
        cookieName = "kibo-\(port)"
    }

    /// Lets a request in.
    package func admit(_ head: RequestHead) throws(GateRefusal) -> Admitted {
        guard head.isPlain, head.version == "HTTP/1.1", head.size <= WebLimits.headBytes else { throw .form }
        guard head.target.hasPrefix("/"), head.target.utf8.count <= WebLimits.targetBytes,
            head.target.utf8.allSatisfy(Self.isTargetByte)
        else { throw .target }
        try checkFields(head)
        let route = Route(target: head.target)
        if case .open = route {
            try checkOpening(head)
        } else {
            guard let sentHost = head.value("host"), isOurs(sentHost) else { throw .host }
            if let origin = head.value("origin"), origin != "http://" + sentHost { throw .origin }
            let site = head.value("sec-fetch-site")
            guard site == "same-origin" || (site == "none" && head.method == "GET" && head.target == "/") else {
                throw .site
            }
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
            method: method, route: route, cookies: head.value("cookie").map(cookies) ?? [], length: length,
            range: head.value("range"), lastEventID: head.value("last-event-id"),
            agent: head.value("user-agent") ?? "")
    }

    /// Checks a request with a ticket. It counts only in a window that the person or a program of theirs has opened,
    /// never if a page navigates or loads something.
    private func checkOpening(_ head: RequestHead) throws(GateRefusal) {
        guard head.value("host") == opening else { throw .host }
        guard head.value("origin") == nil else { throw .origin }
        guard head.value("sec-fetch-site") == "none", head.value("sec-fetch-mode") == "navigate",
            head.value("sec-fetch-dest") == "document"
        else { throw .site }
        guard head.method == "GET" else { throw .method }
    }

    /// Whether a head is the page's, but for cookies of other servers that have made it too large.
    package func isOverloaded(_ head: RequestHead) -> Bool {
        head.size > WebLimits.headBytes && head.value("host").map(isOurs) ?? false
    }

    /// Whether a head asks for the page under another name of its kind: a tab or bookmark of the time before the gateway had its sockets.
    package func isPast(_ head: RequestHead) -> Bool {
        guard let sent = head.value("host"), !isOurs(sent) else { return false }
        let name = sent.prefix { $0 != "." }
        return GatewayAddress.isName(name) && Self.names(sent, name + ".localhost")
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
    private func isOurs(_ sent: String) -> Bool { Self.names(sent, host[...]) }

    private static func names(_ sent: String, _ host: Substring) -> Bool {
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

    /// The values of the cookies of our name, among those of all servers of this host.
    func cookies(in field: String) -> [String] {
        let ours = field.split(separator: ";").lazy.compactMap { item -> String? in
            let item = item.drop { $0 == " " }
            return item.hasPrefix(cookieName + "=") ? String(item.dropFirst(cookieName.count + 1)) : nil
        }
        return Array(ours.prefix(WebLimits.cookies))
    }

    private static func isTargetByte(_ byte: UInt8) -> Bool {
        Route.isLetterOrDigit(byte) || "/._~?=&-".utf8.contains(byte)
    }
}
