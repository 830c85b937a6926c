import ControlProtocol
import Messaging

extension Message.Line {
    /// As clients see it.
    init(_ line: SystemLine) {
        self.init(
            Action(line.action), by: Person(line.actor), subjects: line.subjects.map { Person($0) },
            more: Int64(clamping: line.more), role: line.role, value: line.value,
            count: line.count.map { Int64(clamping: $0) }, gone: line.isGone, undone: line.isUndone)
    }
}

extension Message.Line.Person {
    fileprivate init(_ person: SystemLine.Person) {
        self.init(id: person.account.description, name: person.name, own: person.isOwn)
    }
}

extension Message.Line.Action {
    fileprivate init(_ action: SystemLine.Action) {
        switch action {
        case .created: self = .created
        case .added: self = .added
        case .removed: self = .removed
        case .roleChanged: self = .roleChanged
        case .left: self = .left
        case .renamed: self = .renamed
        case .described: self = .described
        case .pictureChanged: self = .pictureChanged
        case .historyChanged: self = .historyChanged
        case .inherited: self = .inherited
        case .forked: self = .forked
        }
    }
}
