import Basics
import ControlProtocol

/// Finding entries of the address book by what a person calls them.
struct AddressBook {
    let entries: [AddressBookEntry]

    /// Asks the daemon for all of it, or what fits.
    init(_ client: ControlClient, _ params: JSONObject = [:]) throws {
        entries = try Pages.all(client, "addressBook.list", params, field: "entries", cursor: "after")
    }

    /// The entry that a person means by a word: a name, an e-mail address, a number, or the beginning of one or of its id. A name is
    /// also found without its accents, unless something fits as it is typed.
    static func entry(_ word: String, _ client: ControlClient) throws -> AddressBookEntry {
        // The daemon looks at names without case and accents, but not at ids.
        let matches = try AddressBook(client, ["query": .string(word)])
        if matches.entries.isEmpty { return try AddressBook(client).entry(word) }
        return try matches.entry(word, orAny: true)
    }

    /// - Parameter orAny: where nothing begins so as it is typed, each of the entries may be meant.
    func entry(_ word: String, orAny: Bool = false) throws(Failure) -> AddressBookEntry {
        let candidates = entries.map { entry in
            Candidate(
                id: entry.id,
                names: [entry.name] + entry.emails + entry.phones.flatMap { [$0.number, $0.e164 ?? $0.number] },
                label: Self.label(entry), isLikely: !entry.onKibo)
        }
        let takesAny = orAny && Resolver.matches(word, among: candidates).isEmpty
        let candidate = try Resolver.resolve(
            word, among: takesAny ? candidates.map { $0.named(word) } : candidates, kind: "entries of the address book",
            hint: entries.isEmpty
                ? "It is empty. Fill it with: kibo addressbook import FILE" : "See: kibo addressbook list")
        guard let entry = entries.first(where: { $0.id == candidate.id }) else {
            throw Failure(.notFound, "No entry of the address book matches \"\(word)\".")
        }
        return entry
    }

    private static func label(_ entry: AddressBookEntry) -> String {
        let detail = entry.emails.first ?? entry.phones.first?.number ?? ""
        return "\(Words.name(entry.name))  \(Words.excerpt(detail))  \(entry.id)"
    }
}
