import Basics
import Store
import Testing

@Suite("The address book's rows")
struct AddressBookTests {
    private func row(_ number: UInt64, _ name: String, phone: String? = nil, email: String? = nil) -> AddressEntryRow {
        AddressEntryRow(
            id: Sample.id(number), uid: number == 1 ? "u1" : nil, name: name, search: name.lowercased(),
            phones: phone.map {
                [
                    .init(given: "0" + $0, e164: $0, callingCode: 49, region: "DE", label: "mobile", key: $0),
                    .init(given: "110", takesText: false),
                ]
            } ?? [], emails: email.map { [.init(address: $0, key: $0.lowercased())] } ?? [],
            createdAt: WallTime(milliseconds: 5), updatedAt: WallTime(milliseconds: 5))
    }

    @Test("Entries keep all their fields, are found by text, number and address, and are replaced and removed")
    func life() async throws {
        let fixture = try await Fixture(conversation: false)
        let (anna, ben) = (row(1, "Anna", phone: "+491", email: "A@b"), row(2, "Ben", phone: "+491"))
        try await fixture.store.commit { transaction in
            try transaction.insert(anna)
            try transaction.insert(ben)
        }
        let book = try await fixture.store.read { try $0.addressBook() }
        #expect(book.map(\.row) == [anna, ben])
        try await fixture.store.read { transaction throws -> Void in
            #expect(try transaction.addressEntryCount() == 2)
            #expect(try transaction.addressEntry(anna.id)?.row == anna)
            #expect(try transaction.addressEntry(Sample.id(9)) == nil)
            #expect(try transaction.addressNames(containing: "nn").map(\.name) == ["Anna"])
            #expect(try transaction.addressNames().count == 2)
            #expect(try transaction.addressNames(containing: "%").isEmpty, "no sign is a wildcard")
            #expect(try transaction.addressOwners(phone: "+491", email: nil).map(\.name) == ["Anna", "Ben"])
            #expect(try transaction.addressOwners(phone: nil, email: "a@b").map(\.name) == ["Anna"])
            #expect(try transaction.addressOwners(phone: nil, email: nil).isEmpty)
            #expect(try transaction.addressOwners(phone: "110", email: nil).isEmpty)
        }
        var changed = row(7, "Anna Schmidt", email: "new@b")
        let invited = WallTime(milliseconds: 77)
        try await fixture.store.commit { [changed] transaction in
            try transaction.noteInvited(anna.id, at: invited)
            try transaction.replace(changed, at: book[0].number)
            #expect(try transaction.removeAddressEntry(number: book[1].number))
            #expect(try !transaction.removeAddressEntry(number: book[1].number))
        }
        changed.id = anna.id
        changed.invitedAt = invited
        #expect(try await fixture.store.read { try $0.addressBook() }.map(\.row) == [changed])
        #expect(try await fixture.store.read { try $0.addressOwners(phone: "+491", email: "a@b") }.isEmpty)
        let again = try fixture.reopen()
        #expect(try await again.read { try $0.addressBook() }.map(\.row) == [changed])
        again.close()
    }

    @Test("An import that fails midway leaves nothing behind")
    func whole() async throws {
        let fixture = try await Fixture(conversation: false)
        await #expect(throws: StoreError.self) {
            try await fixture.store.commit { transaction in
                try transaction.insert(row(1, "Anna", phone: "+491"))
                try transaction.insert(row(1, "Twice"))
            }
        }
        #expect(try await fixture.store.read { try $0.addressEntryCount() } == 0)
        #expect(try await fixture.store.read { try $0.addressOwners(phone: "+491", email: nil) }.isEmpty)
        fixture.store.close()
    }
}
