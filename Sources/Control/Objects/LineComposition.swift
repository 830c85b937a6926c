import ControlProtocol
import Messaging

extension Message.Line {
    /// As clients see it.
    init(_ line: SystemMessage) {
        self.init(
            line.action, by: Person(line.actor), subjects: line.subjects.map { Person($0) },
            more: Int64(clamping: line.more), role: line.role, value: line.value,
            count: line.count.map { Int64(clamping: $0) }, gone: line.isGone, undone: line.isUndone)
    }
}

extension Message.Line.Person {
    fileprivate init(_ person: SystemMessage.Person) {
        self.init(id: person.account.description, name: person.name, own: person.isOwn)
    }
}
