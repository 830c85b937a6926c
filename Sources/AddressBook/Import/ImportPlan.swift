import Basics

/// What an import does to an address book. It is a value: the present entries and the file's entries go in, the changes
/// come out.
///
/// A card belongs to the entry with the same UID. If either has no UID, the card belongs to the entry with the same
/// name that shares a number or an address with it, or where neither has any of those. So importing the same file again
/// changes nothing, and two people with one name stay two.
public struct ImportPlan<Key: Hashable & Sendable>: Sendable {
    /// New entries, in the order of the file.
    public private(set) var added: [AddressEntry] = []
    /// Present entries that the file changes.
    public private(set) var updated: [(key: Key, entry: AddressEntry)] = []
    /// The number of present entries that the file repeats unchanged.
    public private(set) var unchanged = 0
    /// Present entries that the file lacks; only filled where the file replaces the address book.
    public private(set) var removed: [Key] = []

    private struct Slot {
        let key: Key?
        let before: AddressEntry?
        var entry: AddressEntry
        var isTouched: Bool
    }

    /// - Parameters:
    ///   - present: the address book as it is.
    ///   - entries: the file's entries, in its order.
    ///   - replaces: whether entries that the file lacks are to be removed.
    public init(present: [(key: Key, entry: AddressEntry)], entries: [AddressEntry], replaces: Bool = false) {
        var slots = present.map { Slot(key: $0.key, before: $0.entry, entry: $0.entry, isTouched: false) }
        var byUID: [String: Int] = [:]
        var byValue: [String: [Int]] = [:]
        for (index, slot) in slots.enumerated() { Self.file(slot.entry, at: index, &byUID, &byValue) }
        for entry in entries {
            guard let index = Self.slot(of: entry, among: slots, byUID, byValue) else {
                slots.append(Slot(key: nil, before: nil, entry: entry, isTouched: true))
                Self.file(entry, at: slots.count - 1, &byUID, &byValue)
                continue
            }
            let slot = slots[index]
            // A file may have two cards of one person: without a UID they are joined, with one the later card counts.
            var entry = slot.isTouched && entry.uid == nil ? Self.union(slot.entry, entry) : entry
            entry.uid = entry.uid ?? slot.entry.uid
            slots[index].entry = entry
            slots[index].isTouched = true
            Self.file(entry, at: index, &byUID, &byValue)
        }
        for slot in slots {
            guard let key = slot.key else {
                added.append(slot.entry)
                continue
            }
            if !slot.isTouched {
                if replaces { removed.append(key) }
            } else if slot.entry == slot.before {
                unchanged += 1
            } else {
                updated.append((key, slot.entry))
            }
        }
    }

    /// Entries with one name and number that are compared at most. Where they have UIDs of their own there may be many,
    /// and comparing them is of no use.
    private static var lookedAt: Int { 64 }

    private static func file(
        _ entry: AddressEntry, at index: Int, _ byUID: inout [String: Int], _ byValue: inout [String: [Int]]
    ) {
        if let uid = entry.uid { byUID[uid] = index }
        for value in values(of: entry) {
            let slotsOfValue = byValue[value, default: []]
            if slotsOfValue.count < lookedAt, !slotsOfValue.contains(index) {
                byValue[value, default: []].append(index)
            }
        }
    }

    private static func slot(
        of entry: AddressEntry, among slots: [Slot], _ byUID: [String: Int], _ byValue: [String: [Int]]
    ) -> Int? {
        if let uid = entry.uid, let index = byUID[uid] { return index }
        for value in values(of: entry) {
            for index in byValue[value, default: []] {
                let before = slots[index].entry
                if let uid = entry.uid, let other = before.uid, uid != other { continue }
                // The entry may have lost the number since.
                if isSame(before, entry) { return index }
            }
        }
        return nil
    }

    /// The name combined with each number and address, by which an entry without a UID is found.
    private static func values(of entry: AddressEntry) -> [String] {
        let name = entry.name.lowercased()
        var values = entry.emails.map { "\(name)\n\(EmailAddress.key($0))" }
        for phone in entry.phones {
            values.append("\(name)\n\(phone.given)")
            if let e164 = phone.e164 { values.append("\(name)\n\(e164);\(phone.extension)") }
        }
        return values.isEmpty ? [name] : values
    }

    private static func isSame(_ left: AddressEntry, _ right: AddressEntry) -> Bool {
        guard left.name.lowercased() == right.name.lowercased() else { return false }
        if left.phones.isEmpty, left.emails.isEmpty { return right.phones.isEmpty && right.emails.isEmpty }
        return left.phones.contains { phone in right.phones.contains { isSame(phone, $0) } }
            || left.emails.contains { email in right.emails.contains { EmailAddress.key($0) == EmailAddress.key(email) }
            }
    }

    private static func isSame(_ left: AddressEntry.Phone, _ right: AddressEntry.Phone) -> Bool {
        // The given text is compared too, because the country may have become known since.
        left.given == right.given || (left.e164 != nil && left.e164 == right.e164 && left.extension == right.extension)
    }

    private static func union(_ first: AddressEntry, _ second: AddressEntry) -> AddressEntry {
        var entry = first
        for phone in second.phones
        where entry.phones.count < AddressBookLimits.values && !entry.phones.contains(where: { isSame($0, phone) }) {
            entry.phones.append(phone)
        }
        for email in second.emails
        where entry.emails.count < AddressBookLimits.values
            && !entry.emails.contains(where: { EmailAddress.key($0) == EmailAddress.key(email) })
        {
            entry.emails.append(email)
        }
        return entry
    }
}
