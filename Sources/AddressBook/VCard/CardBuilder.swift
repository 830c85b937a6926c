import Basics
import Vocabulary

/// Builds one card, line by line.
struct CardBuilder {
    let line: Int
    private(set) var isGroup = false
    private var uid: String?
    private var version = ""
    private var formatted: (name: String, preference: Int)?
    private var parts: [String] = []
    private var nickname = ""
    private var organisation = ""
    private var phones: [(value: VCard.Phone, group: String?, preference: Int)] = []
    private var emails: [(value: String, preference: Int)] = []
    private var labels: [String: String] = [:]
    private var lines = 0
    /// The mistakes of the card, with their lines.
    private(set) var problems: [(line: Int, problem: CardProblem, detail: String?)] = []

    init(line: Int) { self.line = line }

    /// The names of the lines that are read. AGENT is among them because a card may begin after it.
    static let wanted: Set<String> = [
        "BEGIN", "END", "VERSION", "FN", "N", "NICKNAME", "ORG", "TEL", "EMAIL", "UID", "KIND", "X-ABLABEL",
        "X-ADDRESSBOOKSERVER-KIND", "AGENT",
    ]

    mutating func note(_ problem: CardProblem, _ detail: String? = nil, line: Int) {
        problems.append((line, problem, detail))
    }

    mutating func add(_ content: ContentLine, line: Int) {
        lines += 1
        guard lines <= AddressBookLimits.lines else {
            if lines == AddressBookLimits.lines + 1 {
                note(.manyLines, line: line)
            }
            return
        }
        let value: LineValue
        do { value = try LineValue(content) } catch {
            if content.name != "AGENT" { note(.base64, content.name, line: line) }
            return
        }
        if value.isGuess { note(.encoding, line: line) }
        switch content.name {
        case "VERSION": version = value.text
        case "FN":
            let preference = Self.preference(content)
            if formatted.map({ preference < $0.preference }) ?? true {
                let name = Names.clean(value.text)
                if !name.isEmpty { formatted = (name, preference) }
            }
        case "N": parts = value.parts
        case "NICKNAME": nickname = Names.clean(value.text)
        case "ORG": organisation = Names.clean(value.parts.filter { !$0.isEmpty }.joined(separator: ", "))
        case "UID": add(uid: value.text, line: line)
        case "KIND", "X-ADDRESSBOOKSERVER-KIND": isGroup = value.text.lowercased() == "group"
        case "TEL": add(phone: value.text, content, line: line)
        case "EMAIL": add(email: value.text, content, line: line)
        case "X-ABLABEL": if let group = content.group { labels[group] = Self.label(value.text) }
        default: break
        }
    }

    private mutating func add(uid text: String, line: Int) {
        var name = text.unicodeScalars.allSatisfy { !ForeignText.isHostile($0, multiline: false) } ? text : ""
        name = String(name[...].trimmed())
        if name.lowercased().hasPrefix("urn:uuid:") { name = name.dropFirst("urn:uuid:".count).lowercased() }
        if name.utf8.count > AddressBookLimits.uidBytes {
            note(.longUID, line: line)
        } else if !name.isEmpty {
            uid = name
        }
    }

    private mutating func add(phone text: String, _ content: ContentLine, line: Int) {
        let number = Self.withoutScheme(Names.clean(text))
        guard !number.isEmpty else { return }
        guard
            number.utf8.count <= AddressBookLimits.phoneCharacters || number.count <= AddressBookLimits.phoneCharacters
        else {
            return note(.longPhone, line: line)
        }
        guard phones.count < AddressBookLimits.values else { return note(.manyPhones, line: line) }
        let types = content.types
        let phone = VCard.Phone(
            number, label: Self.label(ofTypes: types),
            isFax: types.contains { ["fax", "pager", "modem", "telex", "tlx", "ttytdd", "textphone"].contains($0) })
        phones.append((phone, content.group, Self.preference(content)))
    }

    private mutating func add(email text: String, _ content: ContentLine, line: Int) {
        var address = Names.clean(text)
        if address.utf8.contains(UInt8(ascii: ":")), address.lowercased().hasPrefix("mailto:") {
            address = String(address.dropFirst("mailto:".count))
        }
        guard !address.isEmpty else { return }
        guard EmailAddress.isOne(address) else {
            return note(.notEmail, String(address.prefix(64)), line: line)
        }
        guard emails.count < AddressBookLimits.values else { return note(.manyEmails, line: line) }
        emails.append((address, Self.preference(content)))
    }

    /// Takes the scheme off `tel:+49…;ext=5` and decodes what is percent-encoded in it.
    private static func withoutScheme(_ text: String) -> String {
        guard text.utf8.first.map({ $0 | 0x20 }) == UInt8(ascii: "t"), text.lowercased().hasPrefix("tel:") else {
            return text
        }
        return PercentCode.decode(text.dropFirst("tel:".count)) ?? String(text.dropFirst("tel:".count))
    }

    /// The preference of a value, from 1 for the first choice to 101 for none given (RFC 6350 §5.3; earlier versions:
    /// TYPE=pref).
    private static func preference(_ content: ContentLine) -> Int {
        if let text = content.parameter("PREF"), let number = Int(text), 1...100 ~= number { return number }
        return content.types.contains("pref") ? 1 : 101
    }

    private static func label(ofTypes types: [String]) -> String {
        if types.contains(where: { ["cell", "mobile", "iphone", "x-mobile"].contains($0) }) { return "mobile" }
        let words = ["fax", "pager", "work", "home", "main", "car", "other"].filter(types.contains)
        // A fax at home is labelled "home fax".
        if words.first == "fax", words.count > 1 { return "\(words[1]) fax" }
        return words.first ?? ""
    }

    /// Apple's own labels come as `_$!<Mobile>!$_`.
    private static func label(_ text: String) -> String {
        var word = Names.clean(text)
        if word.hasPrefix("_$!<"), word.hasSuffix(">!$_"), word.count >= 8 {
            word = word.dropFirst(4).dropLast(4).lowercased()
        }
        return String(word.prefix(AddressBookLimits.labelCharacters))
    }

    /// The card; nil if it has neither a number nor an address.
    func finish() -> VCard? {
        var numbers: [VCard.Phone] = []
        for phone in Self.inOrder(phones, \.preference) {
            var value = phone.value
            if let label = phone.group.flatMap({ labels[$0] }), !label.isEmpty { value.label = label }
            value.isPreferred = phone.preference <= 100
            if !numbers.contains(where: { $0.text == value.text }) { numbers.append(value) }
        }
        var addresses: [String] = []
        for email in Self.inOrder(emails, \.preference)
        where !addresses.contains(where: { EmailAddress.key($0) == EmailAddress.key(email.value) }) {
            addresses.append(email.value)
        }
        guard !numbers.isEmpty || !addresses.isEmpty else { return nil }
        return VCard(
            uid: uid, name: name ?? addresses.first ?? numbers[0].text, phones: numbers, emails: addresses, line: line)
    }

    /// The card's name; nil if it has none at all.
    var name: String? {
        if let formatted { return formatted.name }
        let composed = Names.composed(parts, isList: version != "2.1")
        return [composed, nickname, organisation].first { !$0.isEmpty }
    }

    /// Sorts stably: values with equal preference keep their order.
    private static func inOrder<Value>(_ values: [Value], _ preference: (Value) -> Int) -> [Value] {
        values.enumerated().sorted { (preference($0.element), $0.offset) < (preference($1.element), $1.offset) }.map(
            \.element)
    }
}
