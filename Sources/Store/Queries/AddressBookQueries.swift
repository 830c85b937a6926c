import Basics

private let columns = "number, id, uid, name, search, invited_at, created_at, updated_at"
private let phoneColumns = "entry, given, e164, calling_code, region, extension, label, takes_text, key"
private let all = SQL("SELECT \(columns) FROM address_entry ORDER BY number")
private let allPhones = SQL("SELECT \(phoneColumns) FROM address_phone ORDER BY entry, position")
private let allEmails = SQL("SELECT entry, address, key FROM address_email ORDER BY entry, position")
private let byNumber = SQL("SELECT \(columns) FROM address_entry WHERE number = ?")
private let phonesOf = SQL("SELECT \(phoneColumns) FROM address_phone WHERE entry = ? ORDER BY position")
private let emailsOf = SQL("SELECT entry, address, key FROM address_email WHERE entry = ? ORDER BY position")
private let numberOf = SQL("SELECT number FROM address_entry WHERE id = ?")
private let count = SQL("SELECT count(*) FROM address_entry")
private let names = SQL("SELECT number, id, name FROM address_entry")
private let found = SQL("SELECT number, id, name FROM address_entry WHERE instr(search, ?) > 0")
private let owners = SQL(
    """
    SELECT number, id, name FROM address_entry WHERE number IN (
        SELECT entry FROM address_phone WHERE key = ? UNION SELECT entry FROM address_email WHERE key = ?
    ) ORDER BY number LIMIT ?
    """)
private let insertion = SQL(
    """
    INSERT INTO address_entry (id, uid, name, search, invited_at, created_at, updated_at) VALUES (?, ?, ?, ?, ?, ?, ?)
    """)
private let change = SQL("UPDATE address_entry SET uid = ?, name = ?, search = ?, updated_at = ? WHERE number = ?")
private let phoneInsertion = SQL(
    """
    INSERT INTO address_phone (position, \(phoneColumns)) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
    """)
private let emailInsertion = SQL("INSERT INTO address_email (entry, position, address, key) VALUES (?, ?, ?, ?)")
private let phoneRemoval = SQL("DELETE FROM address_phone WHERE entry = ?")
private let emailRemoval = SQL("DELETE FROM address_email WHERE entry = ?")
private let removal = SQL("DELETE FROM address_entry WHERE number = ?")
private let invitation = SQL("UPDATE address_entry SET invited_at = ? WHERE id = ?")

extension ReadTransaction {
    /// The number of entries in the address book.
    public func addressEntryCount() throws(StoreError) -> Int64 { try connection.integer(count) ?? 0 }

    /// The whole address book, with the numbers that ``WriteTransaction/replace(_:at:)`` takes.
    public func addressBook() throws(StoreError) -> [(number: Int64, row: AddressEntryRow)] {
        var rows = try connection.rows(all) { row throws(StoreError) in (number: row.integer(0), row: try entry(row)) }
        // All three lists are in the order of entries, so each is walked once.
        let phones = try connection.rows(allPhones, read: phone)
        let emails = try connection.rows(allEmails, read: email)
        var (nextPhone, nextEmail) = (0, 0)
        for index in rows.indices {
            while nextPhone < phones.count, phones[nextPhone].entry == rows[index].number {
                rows[index].row.phones.append(phones[nextPhone].value)
                nextPhone += 1
            }
            while nextEmail < emails.count, emails[nextEmail].entry == rows[index].number {
                rows[index].row.emails.append(emails[nextEmail].value)
                nextEmail += 1
            }
        }
        return rows
    }

    /// The entries that contain a folded text, or all of them; in no order.
    public func addressNames(containing text: String = "") throws(StoreError) -> [AddressEntryName] {
        text.isEmpty ? try connection.rows(names, read: name) : try connection.rows(found, text, read: name)
    }

    /// An entry; nil if there is none.
    public func addressEntry(number: Int64) throws(StoreError) -> AddressEntryRow? {
        guard var row = try connection.first(byNumber, number, read: entry) else { return nil }
        row.phones = try connection.rows(phonesOf, number, read: phone).map(\.value)
        row.emails = try connection.rows(emailsOf, number, read: email).map(\.value)
        return row
    }

    /// An entry with its number; nil if there is none.
    public func addressEntry(_ id: UUIDv7) throws(StoreError) -> (number: Int64, row: AddressEntryRow)? {
        guard let number = try connection.integer(numberOf, id), let row = try addressEntry(number: number) else {
            return nil
        }
        return (number, row)
    }

    /// The first entries that have this phone number or this e-mail address, both in the form in which they are
    /// compared.
    public func addressOwners(phone: String?, email: String?) throws(StoreError) -> [AddressEntryName] {
        guard phone != nil || email != nil else { return [] }
        return try connection.rows(owners, phone, email, StoreLimits.addressOwners, read: name)
    }

    private func entry(_ row: StoredRow) throws(StoreError) -> AddressEntryRow {
        AddressEntryRow(
            id: try row.identifier(1), uid: row.optionalText(2), name: row.text(3), search: row.text(4),
            invitedAt: row.optionalTime(5), createdAt: row.time(6), updatedAt: row.time(7))
    }

    private func phone(_ row: StoredRow) throws(StoreError) -> (entry: Int64, value: AddressEntryRow.Phone) {
        (
            row.integer(0),
            AddressEntryRow.Phone(
                given: row.text(1), e164: row.optionalText(2), callingCode: row.integer(3), region: row.optionalText(4),
                extension: row.text(5), label: row.text(6), takesText: row.flag(7), key: row.optionalText(8))
        )
    }

    private func email(_ row: StoredRow) throws(StoreError) -> (entry: Int64, value: AddressEntryRow.Email) {
        (row.integer(0), AddressEntryRow.Email(address: row.text(1), key: row.text(2)))
    }

    private func name(_ row: StoredRow) throws(StoreError) -> AddressEntryName {
        AddressEntryName(number: row.integer(0), id: try row.identifier(1), name: row.text(2))
    }
}

extension WriteTransaction {
    /// Adds an entry. Makes no event: an import reports itself once, as a whole.
    public func insert(_ row: AddressEntryRow) throws(StoreError) {
        try connection.run(
            insertion, row.id, row.uid, row.name, row.search, row.invitedAt, row.createdAt, row.updatedAt)
        try insertValues(of: row, at: connection.lastInsertedRow)
    }

    /// Replaces the content of an entry by this row, except for its id and the times when it was made and invited.
    public func replace(_ row: AddressEntryRow, at number: Int64) throws(StoreError) {
        try connection.run(change, row.uid, row.name, row.search, row.updatedAt, number)
        try connection.run(phoneRemoval, number)
        try connection.run(emailRemoval, number)
        try insertValues(of: row, at: number)
    }

    /// Removes an entry.
    /// - Returns: false if there was none.
    @discardableResult
    public func removeAddressEntry(number: Int64) throws(StoreError) -> Bool {
        marks.hasDeletions = true
        return try connection.run(removal, number) == 1
    }

    /// Notes that the person of this entry was sent an invitation.
    public func noteInvited(_ id: UUIDv7, at time: WallTime) throws(StoreError) {
        try connection.run(invitation, time, id)
    }

    private func insertValues(of row: AddressEntryRow, at number: Int64) throws(StoreError) {
        for (position, phone) in row.phones.enumerated() {
            try connection.run(
                phoneInsertion, Int64(position), number, phone.given, phone.e164, phone.callingCode, phone.region,
                phone.extension, phone.label, phone.takesText, phone.key)
        }
        for (position, email) in row.emails.enumerated() {
            try connection.run(emailInsertion, number, Int64(position), email.address, email.key)
        }
    }
}
