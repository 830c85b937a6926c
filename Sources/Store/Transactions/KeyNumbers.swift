import Basics

/// The numbers under which accounts and devices are stored, remembered per connection. Rows of `key` are never changed
/// or removed, so a committed number stays right.
final class KeyNumbers {
    private unowned let connection: Connection
    private var numbers: [Key32: Int64] = [:]
    private var keys: [Int64: Key32] = [:]

    private static let find = SQL("SELECT number FROM key WHERE bytes = ?")
    private static let insert = SQL("INSERT INTO key (bytes) VALUES (?)")
    private static let load = SQL("SELECT bytes FROM key WHERE number = ?")

    init(_ connection: Connection) { self.connection = connection }

    /// The number of a key, or nil if no row has ever named it.
    func number(of key: Key32) throws(StoreError) -> Int64? {
        if let number = numbers[key] { return number }
        guard let number = try connection.integer(Self.find, key.bytes) else { return nil }
        remember(key, number)
        return number
    }

    /// Returns the number of a key, and gives it one if it has none. For the writing connection only.
    func numberOrNew(for key: Key32) throws(StoreError) -> Int64 {
        if let number = try number(of: key) { return number }
        try connection.run(Self.insert, key.bytes)
        remember(key, connection.lastInsertedRow)
        return connection.lastInsertedRow
    }

    func key(_ number: Int64) throws(StoreError) -> Key32 {
        if let key = keys[number] { return key }
        let bytes = try connection.first(Self.load, number) { $0.bytes(0) } ?? []
        guard let key = Key32(bytes) else { throw .corrupt(detail: "no key has the number \(number)") }
        remember(key, number)
        return key
    }

    /// Forgets all numbers after an undone job: numbers that it gave are free again.
    func forget() {
        numbers.removeAll()
        keys.removeAll()
    }

    private func remember(_ key: Key32, _ number: Int64) {
        if numbers.count >= StoreLimits.rememberedKeys { forget() }
        numbers[key] = number
        keys[number] = key
    }
}

extension ReadTransaction {
    func account(_ number: Int64) throws(StoreError) -> AccountID { AccountID(try keys.key(number)) }
    func device(_ number: Int64) throws(StoreError) -> DeviceID { DeviceID(try keys.key(number)) }

    func optionalAccount(_ number: Int64?) throws(StoreError) -> AccountID? {
        guard let number else { return nil }
        return try account(number)
    }

    func optionalDevice(_ number: Int64?) throws(StoreError) -> DeviceID? {
        guard let number else { return nil }
        return try device(number)
    }
}

extension WriteTransaction {
    func number(_ account: AccountID) throws(StoreError) -> Int64 { try keys.numberOrNew(for: account.key) }
    func number(_ device: DeviceID) throws(StoreError) -> Int64 { try keys.numberOrNew(for: device.key) }

    func number(_ device: DeviceID?) throws(StoreError) -> Int64? {
        guard let device else { return nil }
        return try number(device)
    }

    func number(_ account: AccountID?) throws(StoreError) -> Int64? {
        guard let account else { return nil }
        return try number(account)
    }
}
