import AddressBook
import Basics
import ControlProtocol
import Store
import Vocabulary

/// The profiles that are matched with the address book: contacts' always, strangers' while they are here. Strangers' profiles are
/// not stored, and blocked accounts never match. A value without I/O.
struct ProfileWatch {
    /// The fields of an account's profile that are matched.
    struct Profile: Hashable, Sendable {
        var displayName: String
        var email: String?
        var phone: String?

        /// As entries are found by it.
        var keys: (phone: String?, email: String?) { (phone, email.map(EmailAddress.key)) }
    }

    private struct Person: Hashable {
        var relation = Relation.none
        var isHere = false
        /// The profile in the contact's row.
        var kept: Profile?
        /// The profile on the card that came while the account was here.
        var shown: Profile?

        /// For a contact, the card fills in what the row lacks: it may have come before the account became a contact.
        var profile: Profile? {
            let shown = isHere ? shown : nil
            guard relation != .none, var profile = kept else { return shown }
            profile.email = profile.email ?? shown?.email
            profile.phone = profile.phone ?? shown?.phone
            return profile
        }
    }

    private var people: [AccountID: Person] = [:]

    /// The profiles that may match an entry.
    var profiles: [(account: AddressBookMatches.Account, profile: Profile)] {
        people.compactMap { id, person in
            guard person.relation != .blocked, let profile = person.profile,
                profile.email != nil || profile.phone != nil
            else { return nil }
            let account = AddressBookMatches.Account(
                id: id, displayName: profile.displayName, relation: person.relation, isHere: person.isHere)
            return (account, profile)
        }
    }

    /// A contact is as this row says.
    /// - Returns: whether that may change what fits.
    mutating func know(_ row: ContactRow) -> Bool {
        change(row.account) {
            $0.relation = row.relation
            $0.kept = Profile(displayName: row.displayName, email: row.email, phone: row.phone)
        }
    }

    /// A card came.
    mutating func met(_ account: AccountID, _ profile: Profile) -> Bool {
        change(account) {
            $0.isHere = true
            $0.shown = profile
        }
    }

    /// They came to the network, or left it.
    mutating func set(_ account: AccountID, isHere: Bool) -> Bool {
        change(account) {
            $0.isHere = isHere
            if !isHere { $0.shown = nil }
        }
    }

    private mutating func change(_ account: AccountID, _ body: (inout Person) -> Void) -> Bool {
        let before = people[account]
        var person = before ?? Person()
        body(&person)
        // An account that is neither known nor here is forgotten.
        let after = person.relation == .none && !person.isHere ? nil : person
        people[account] = after
        guard before != after else { return false }
        return [before, after].contains { $0?.profile.map { $0.email != nil || $0.phone != nil } ?? false }
    }
}
