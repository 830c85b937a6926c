/// What an import does to an address book. A value: what is there and what comes go in, what is to be done comes out.
///
/// A card is the entry of the same UID. Without one, on either side, it is the entry of the same name that shares a number or
/// an address with it, or has none of either as it has; so the same file again changes nothing, and two people of one name
/// stay two.
public struct ImportPlan<Key: Hashable & Sendable>: Sendable {
    /// New ones, in the order of the file.
    public private(set) var added: [AddressEntry] = []
    /// Those that are there, and different now.
    public private(set) var updated: [(key: Key, entry: AddressEntry)] = []
    /// Those of which the file says what is there already.
    public private(set) var unchanged = 0
    /// Those that the file doesn't have; only where it is to be all there is.
    public private(set) var removed: [Key] = []

    private struct Slot {
        let key: Key?
        let before: AddressEntry?
        var entry: AddressEntry
        var isTouched: Bool
    }

    /// - Parameters:
    ///   - present: the address book as it is.
    ///   - entries: what the file has, in its order.
    ///   - replaces: whether what the file doesn't have is to go.
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
            let known = slots[index]
            // Two cards of one person in a file: without a UID both count, with one the later does.
            var entry = known.isTouched && entry.uid == nil ? Self.union(known.entry, entry) : entry
            entry.uid = entry.uid ?? known.entry.uid
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

    /// Those of one name and number that are looked at: with UIDs of their own there may be many, and mean nothing.
    private static var lookedAt: Int { 64 }

    private static func file(
        _ entry: AddressEntry, at index: Int, _ byUID: inout [String: Int], _ byValue: inout [String: [Int]]
    ) {
        if let uid = entry.uid { byUID[uid] = index }
        for value in values(of: entry) {
            let known = byValue[value, default: []]
            if known.count < lookedAt, !known.contains(index) { byValue[value, default: []].append(index) }
        }
    }

    private static func slot(
        of entry: AddressEntry, among slots: [Slot], _ byUID: [String: Int], _ byValue: [String: [Int]]
    ) -> Int? {
        if let uid = entry.uid, let index = byUID[uid] { return index }
        for value in values(of: entry) {
            for index in byValue[value, default: []] {
                let known = slots[index].entry
                if let uid = entry.uid, let other = known.uid, uid != other { continue }
                // It may have lost the number since.
                if isSame(known, entry) { return index }
            }
        }
        return nil
    }

    /// The name with each number and address, by which an entry without a UID is found.
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
        // As given, too: the country may have become known since.
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
