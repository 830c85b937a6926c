import AddressBook
import Testing

@Suite("What an import does")
struct ImportPlanTests {
    private func entry(_ name: String, uid: String? = nil, phone: String? = nil, email: String? = nil) -> AddressEntry {
        AddressEntry(
            uid: uid, name: name, phones: phone.map { [.init(given: $0, e164: $0)] } ?? [],
            emails: email.map { [$0] } ?? [])
    }

    /// The content of an address book after imports, one after another.
    private func after(
        _ imports: [AddressEntry]..., replaces: Bool = false
    ) -> (book: [AddressEntry], last: ImportPlan<Int>) {
        var book: [Int: AddressEntry] = [:]
        var next = 0
        var last = ImportPlan<Int>(present: [], entries: [])
        for entries in imports {
            last = ImportPlan(
                present: book.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }, entries: entries,
                replaces: replaces)
            for (key, entry) in last.updated { book[key] = entry }
            for key in last.removed { book[key] = nil }
            for entry in last.added {
                book[next] = entry
                next += 1
            }
        }
        return (book.sorted { $0.key < $1.key }.map(\.value), last)
    }

    @Test("Importing the same file again changes nothing, even with duplicates in it")
    func idempotent() {
        let entries = [
            entry("Anna", uid: "1", phone: "+491"), entry("Ben", phone: "+492"), entry("Ben", phone: "+493"),
            entry("Anna", uid: "1", email: "a@b"),
            entry("Ben", phone: "+492", email: "b@b"), entry("ben", email: "B@b"), entry("Nobody"), entry("Nobody"),
        ]
        let once = after(entries)
        #expect(once.book.count == 4 && once.last.added.count == 4)
        #expect(once.book[0] == entry("Anna", uid: "1", email: "a@b"), "of two cards with one UID the later one counts")
        #expect(once.book[1].emails == ["b@b"] && once.book[1].phones.count == 1)
        let twice = after(entries, entries)
        #expect(
            twice.book == once.book && twice.last.added.isEmpty && twice.last.updated.isEmpty
                && twice.last.unchanged == 4)
    }

    @Test("A newer card replaces the older one: by UID whatever has changed, else by name and number")
    func updates() {
        let (book, plan) = after(
            [entry("Anna", uid: "1", phone: "+491"), entry("Ben", phone: "+492")],
            [
                entry("Anna Schmidt", uid: "1", phone: "+499"), entry("BEN", phone: "+492", email: "b@b"),
                entry("Ben", phone: "+4977"),
            ])
        #expect(plan.updated.count == 2 && plan.added.count == 1 && plan.removed.isEmpty)
        #expect(book[0] == entry("Anna Schmidt", uid: "1", phone: "+499"))
        #expect(book[1].name == "BEN" && book[1].emails == ["b@b"] && book.count == 3)
    }

    @Test("A number whose country became known is still the same number")
    func country() {
        var known = entry("Anna", phone: "0170 1")
        known.phones[0].e164 = "+491701"
        var unknown = known
        unknown.phones[0].e164 = nil
        let (book, plan) = after([unknown], [known])
        #expect(book == [known] && plan.updated.count == 1)
    }

    @Test("A card that has a UID now is the entry that had none; two UIDs are two people, even with one name")
    func identifiers() {
        #expect(
            after([entry("Anna", phone: "+491")], [entry("Anna", uid: "1", phone: "+491")]).book == [
                entry("Anna", uid: "1", phone: "+491")
            ])
        #expect(after([entry("Anna", uid: "1", phone: "+491")], [entry("Anna", phone: "+491")]).last.unchanged == 1)
        #expect(
            after([entry("Anna", uid: "1", phone: "+491")], [entry("Anna", uid: "2", phone: "+491")]).book.count == 2)
    }

    @Test("Entries that the file lacks stay, unless the file replaces the address book")
    func replaces() {
        let (old, new) = ([entry("Anna", uid: "1"), entry("Ben", phone: "+492")], [entry("Ben", phone: "+492")])
        #expect(after(old, new).book.count == 2)
        let replaced = after(old, new, replaces: true)
        #expect(replaced.book == new && replaced.last.removed.count == 1 && replaced.last.unchanged == 1)
    }

    @Test("Thousands of cards with one name are planned quickly")
    func bomb() {
        let entries = (0..<20_000).map { entry("Anna", phone: "+49\($0)") }
        #expect(after(entries).book.count == 20_000)
    }
}
