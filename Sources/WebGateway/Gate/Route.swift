/// Where a request goes. Only targets that the gateway serves have a route.
package enum Route: Hashable, Sendable {
    /// The page itself.
    case page
    case asset(String)
    /// Leads a browser that was just started to the page, by a ticket.
    case open(String)
    /// GET lists logins, POST makes one.
    case login
    case logout
    case rpc
    /// The daemon that is away: GET says whether it can be started, POST starts it.
    case daemon
    /// `notifies`: a page shows notifications of what this stream brings.
    case events(since: Int64?, epoch: String?, notifies: Bool)
    case upload(id: String, offset: Int64)
    case file(transfer: String, entry: Int64?, saves: Bool)
    case thumbnail(transfer: String, entry: Int64?, side: Int64)
    case picture(id: String, digest: String)
    case export(id: String)

    /// Reads path and query as they were written; nil for all that is not served.
    package init?(target: String) {
        let parts = target.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
        guard let path = parts.first, path.hasPrefix("/"), let query = Query(parts.count > 1 ? parts[1] : "") else {
            return nil
        }
        let words = path.dropFirst().split(separator: "/", omittingEmptySubsequences: false).map(String.init)
        guard let route = Self.route(words, query) else { return nil }
        self = route
    }

    private static func route(_ words: [String], _ query: Query) -> Route? {
        switch (words.first, words.count) {
        case ("", 1): return query.isEmpty ? .page : nil
        case ("assets", 2): return query.isEmpty && isAssetName(words[1]) ? .asset(words[1]) : nil
        case ("go", 2): return query.isEmpty && isID(words[1]) ? .open(words[1]) : nil
        case ("login", 1): return query.isEmpty ? .login : nil
        case ("logout", 1): return query.isEmpty ? .logout : nil
        case ("daemon", 1): return query.isEmpty ? .daemon : nil
        case ("rpc", 1): return query.isEmpty ? .rpc : nil
        case ("events", 1): return events(query)
        case ("upload", 2):
            guard isID(words[1]), query.has(only: ["at"]), let offset = number(query["at"]) else { return nil }
            return .upload(id: words[1], offset: offset)
        case ("file", 2...3):
            guard isID(words[1]), query.has(only: ["save"]), query["save"] == nil || query["save"] == "1" else {
                return nil
            }
            guard words.count == 3 else { return .file(transfer: words[1], entry: nil, saves: query["save"] != nil) }
            return number(words[2]).map { .file(transfer: words[1], entry: $0, saves: query["save"] != nil) }
        case ("thumb", 3...4): return query.isEmpty ? thumbnail(words) : nil
        case ("picture", 3):
            return query.isEmpty && isID(words[1]) && isID(words[2]) ? .picture(id: words[1], digest: words[2]) : nil
        case ("export", 2): return query.isEmpty && isID(words[1]) ? .export(id: words[1]) : nil
        default: return nil
        }
    }

    private static func events(_ query: Query) -> Route? {
        guard query.has(only: ["since", "epoch", "notifies"]), query["notifies"] ?? "1" == "1" else { return nil }
        let since = query["since"].map(number)
        if since == .some(nil) { return nil }
        if let epoch = query["epoch"], !isID(epoch) { return nil }
        return .events(since: since ?? nil, epoch: query["epoch"], notifies: query["notifies"] != nil)
    }

    private static func thumbnail(_ words: [String]) -> Route? {
        guard isID(words[1]), let last = words.last, let side = number(last), side == 320 || side == 1280 else {
            return nil
        }
        if words.count == 3 { return .thumbnail(transfer: words[1], entry: nil, side: side) }
        return number(words[2]).map { .thumbnail(transfer: words[1], entry: $0, side: side) }
    }

    /// A number of up to 18 digits without a sign.
    static func number(_ text: String?) -> Int64? {
        guard let text, 1...18 ~= text.utf8.count, text.utf8.allSatisfy({ 0x30...0x39 ~= $0 }) else { return nil }
        return Int64(text)
    }

    /// Whether it looks like an id of the contract.
    static func isID(_ text: String) -> Bool {
        1...WebLimits.idCharacters ~= text.utf8.count
            && text.utf8.allSatisfy { isLetterOrDigit($0) || $0 == UInt8(ascii: "-") || $0 == UInt8(ascii: "_") }
    }

    /// Whether a file of the page may have this name.
    package static func isAssetName(_ text: String) -> Bool {
        1...WebLimits.assetNameCharacters ~= text.utf8.count && !text.hasPrefix(".")
            && text.utf8.allSatisfy { isLetterOrDigit($0) || "-_.".utf8.contains($0) }
    }

    static func isLetterOrDigit(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: true
        default: false
        }
    }

    /// The names and values behind a question mark, each name once.
    private struct Query {
        private var values: [String: String] = [:]

        init?(_ text: Substring) {
            guard !text.isEmpty else { return }
            for item in text.split(separator: "&", omittingEmptySubsequences: false) {
                let parts = item.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
                guard parts.count == 2, values.updateValue(String(parts[1]), forKey: String(parts[0])) == nil else {
                    return nil
                }
            }
        }

        var isEmpty: Bool { values.isEmpty }
        subscript(name: String) -> String? { values[name] }
        func has(only names: Set<String>) -> Bool { values.keys.allSatisfy(names.contains) }
    }
}
