import AddressBook
import Basics
import ControlProtocol
import Crypto
import Store

/// Commits an import in one transaction: all of it is stored, or nothing.
struct AddressBookRows: Sendable {
    let entries: [AddressEntry]
    let replaces: Bool
    /// Makes the identifiers.
    var random: any RandomNumberGenerator & Sendable = SodiumGenerator()

    func commit(in transaction: WriteTransaction) throws -> AddressBookImport {
        let book = try transaction.addressBook()
        let plan = ImportPlan(
            present: book.map { ($0.number, AddressEntry($0.row)) }, entries: entries, replaces: replaces)
        let left = book.count + plan.added.count - plan.removed.count
        guard left <= AddressBookLimits.cards else {
            throw ControlError(
                .tooLarge,
                "the address book would have \(left) entries, more than \(AddressBookLimits.cards); nothing was imported",
                hint: .removeEntries,
                parameters: ["entries": .integer(Int64(left)), "most": .integer(Int64(AddressBookLimits.cards))],
                field: "path")
        }
        var random = random
        let now = transaction.wallTime
        for number in plan.removed { try transaction.removeAddressEntry(number: number) }
        for (number, entry) in plan.updated {
            try transaction.replace(AddressEntryRow(entry, id: .zero, at: now), at: number)
        }
        for entry in plan.added {
            try transaction.insert(AddressEntryRow(entry, id: UUIDv7(at: now, using: &random), at: now))
        }
        var result = AddressBookImport()
        result.added = Int64(plan.added.count)
        result.updated = Int64(plan.updated.count)
        result.unchanged = Int64(plan.unchanged)
        result.removed = Int64(plan.removed.count)
        return result
    }
}

extension AddressEntry {
    /// Makes an entry from its stored row.
    init(_ row: AddressEntryRow) {
        self.init(
            uid: row.uid, name: row.name,
            phones: row.phones.map {
                Phone(
                    given: $0.given, e164: $0.e164, callingCode: Int(clamping: $0.callingCode), region: $0.region,
                    extension: $0.extension, label: $0.label, takesText: $0.takesText)
            }, emails: row.emails.map(\.address))
    }
}

extension AddressEntryRow {
    /// Makes the row that stores an entry.
    fileprivate init(_ entry: AddressEntry, id: UUIDv7, at time: WallTime) {
        self.init(
            id: id, uid: entry.uid, name: entry.name, search: SearchText.of(entry),
            phones: entry.phones.map {
                Phone(
                    given: $0.given, e164: $0.e164, callingCode: Int64($0.callingCode), region: $0.region,
                    extension: $0.extension, label: $0.label, takesText: $0.takesText, key: $0.key)
            }, emails: entry.emails.map { Email(address: $0, key: EmailAddress.key($0)) }, createdAt: time,
            updatedAt: time)
    }
}
