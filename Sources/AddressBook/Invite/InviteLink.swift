import Basics

/// Links that open a program with an invitation filled in.
public enum InviteLink {
    /// A `mailto:` link (RFC 6068).
    public static func mail(to addresses: [String], subject: String? = nil, body: String? = nil) -> String {
        var fields: [String] = []
        if let subject { fields.append("subject=" + PercentCode.encode(subject)) }
        // Lines end in an encoded CRLF (§5).
        if let body { fields.append("body=" + PercentCode.encode(withReturns(body))) }
        return "mailto:" + addresses.map(address).joined(separator: ",") + query(fields)
    }

    /// An `sms:` link (RFC 5724).
    /// - Parameter numbers: numbers in E.164.
    public static func text(to numbers: [String], body: String? = nil) -> String {
        let fields = body.map { ["body=" + PercentCode.encode($0)] } ?? []
        return "sms:" + numbers.map { PercentCode.encode($0, also: "+") }.joined(separator: ",") + query(fields)
    }

    private static func query(_ fields: [String]) -> String {
        fields.isEmpty ? "" : "?" + fields.joined(separator: "&")
    }

    /// Encodes an address. The last `@` stays; `%`, `/`, `?`, `#`, `[`, `]`, `&`, `;` and `=` may not stay (§2), nor
    /// may a comma, which would begin another address.
    private static func address(_ text: String) -> String {
        guard let sign = text.lastIndex(of: "@") else { return PercentCode.encode(text) }
        return PercentCode.encode(text[..<sign], also: "+!$'*") + "@"
            + PercentCode.encode(text[text.index(after: sign)...])
    }

    private static func withReturns(_ text: String) -> String {
        text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline).joined(separator: "\r\n")
    }
}
