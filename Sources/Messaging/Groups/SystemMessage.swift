import Basics
import PeerProtocol
import Vocabulary

/// What Kibo itself says in a group's conversation: a change of the group, as data. Clients word it.
///
/// It is made once, when the change comes to this host, with the names that people have here at that moment. It is
/// stored in two columns of the message: `detail` holds all of it, `text` what is searched for (names and values).
package struct SystemMessage: Hashable, Sendable {
    /// A person that a line names.
    package struct Person: Hashable, Sendable {
        package let account: AccountID
        /// What the person is called here.
        package let name: String
        /// Whether it is this account.
        package let isOwn: Bool

        package init(account: AccountID, name: String, isOwn: Bool) {
            self.account = account
            self.name = name
            self.isOwn = isOwn
        }
    }

    package let action: LineAction
    package let actor: Person
    /// The first of the people that the change is about.
    package var subjects: [Person] = []
    /// How many more people it concerns.
    package var more: UInt64 = 0
    package var role: GroupRole?
    package var value: String?
    package var count: UInt64?
    package var isGone = false
    /// Whether the change counted once and doesn't any more: we have learnt of a removal made at the same time.
    package var isUndone = false

    package init(_ action: LineAction, by actor: Person) {
        self.action = action
        self.actor = actor
    }

    /// The text that a search looks at.
    package var searchText: String {
        ([actor.name] + subjects.map(\.name) + [value].compactMap { $0 }).filter { !$0.isEmpty }.joined(separator: ", ")
    }
}

extension SystemMessage {
    private enum Key {
        static let action: UInt64 = 0
        static let actor: UInt64 = 1
        static let subjects: UInt64 = 2
        static let more: UInt64 = 3
        static let role: UInt64 = 4
        static let value: UInt64 = 5
        static let count: UInt64 = 6
        static let isGone: UInt64 = 7
        static let isUndone: UInt64 = 8
    }

    /// For the column `detail`: CBOR in hexadecimal digits.
    package var stored: String {
        var map: CBORMap = [Key.action: .integer(action.stored), Key.actor: actor.encoded]
        if !subjects.isEmpty { map[Key.subjects] = .array(subjects.map(\.encoded)) }
        if more > 0 { map[Key.more] = .unsigned(more) }
        map[Key.role] = role.map { .integer($0.stored) }
        map[Key.value] = value.map { .text($0) }
        map[Key.count] = count.map { .unsigned($0) }
        if isGone { map[Key.isGone] = .boolean(true) }
        if isUndone { map[Key.isUndone] = .boolean(true) }
        return Hex.encode(CBOR.map(map).encoded())
    }

    /// Nil if it can't be read, and if there is none.
    package init?(stored text: String?) {
        guard let bytes = text.flatMap({ Hex.decode($0) }), let map = (try? CBORDecoder.decode(bytes))?.mapValue,
            let action = map[Key.action]?.integerValue.flatMap({ LineAction(stored: $0) }),
            let actor = map[Key.actor].flatMap(Person.init)
        else { return nil }
        self.init(action, by: actor)
        subjects = (map[Key.subjects]?.arrayValue ?? []).compactMap(Person.init)
        more = map[Key.more]?.unsignedValue ?? 0
        role = map[Key.role]?.integerValue.flatMap { GroupRole(stored: $0) }
        value = map[Key.value]?.textValue
        count = map[Key.count]?.unsignedValue
        isGone = map[Key.isGone]?.booleanValue ?? false
        isUndone = map[Key.isUndone]?.booleanValue ?? false
    }
}

extension SystemMessage.Person {
    fileprivate var encoded: CBOR { .array([.bytes(account.bytes), .text(name), .boolean(isOwn)]) }

    fileprivate init?(_ value: CBOR) {
        guard let parts = value.arrayValue, parts.count == 3,
            let account = parts[0].bytesValue.flatMap({ AccountID(bytes: $0) }),
            let name = parts[1].textValue, let isOwn = parts[2].booleanValue
        else { return nil }
        self.init(account: account, name: name, isOwn: isOwn)
    }
}
