import Basics
import Vocabulary

/// The marks of one commit: which objects its jobs changed. Merged per object, in an order in which a client can
/// follow.
struct ChangeLog {
    private var marks: [ObjectChange] = []

    /// A place to go back to with ``rewind(to:)``.
    var mark: Int { marks.count }

    mutating func append(_ object: StoredObject, _ change: ChangeKind, parent: UUIDv7? = nil) {
        // The common case, many messages in one conversation: the same mark twice in a row.
        if let last = marks.last, last.object == object, last.change == change, change == .update { return }
        marks.append(ObjectChange(object: object, change: change, parent: parent))
    }

    /// What was marked, in the order of marking.
    var all: [ObjectChange] { marks }

    /// Forgets what a job marked that was undone.
    mutating func rewind(to mark: Int) { marks.removeSubrange(mark...) }

    mutating func removeAll() { marks.removeAll(keepingCapacity: true) }

    /// At most one change per object. An insertion stays where it was first marked; what was only updated (or deleted)
    /// stands where it was last marked, after the objects that it names, such as a conversation after its last message.
    func merged() -> [ObjectChange] {
        if marks.count < 2 { return marks }
        var changes: [StoredObject: (change: ChangeKind?, place: Int)] = [:]
        changes.reserveCapacity(marks.count)
        for (place, mark) in marks.enumerated() {
            guard let (before, first) = changes[mark.object], let before else {
                changes[mark.object] = (mark.change, place)
                continue
            }
            let change = Self.merge(before, mark.change)
            let stays = change == .insert || before == .delete && change == .delete
            changes[mark.object] = (change, stays ? first : place)
        }
        return marks.enumerated().compactMap { place, mark in
            guard let (change, own) = changes[mark.object], let change, own == place else { return nil }
            return ObjectChange(object: mark.object, change: change, parent: mark.parent)
        }
    }

    /// What two changes in a row are together; nil if nothing happened as seen from outside.
    static func merge(_ first: ChangeKind, _ second: ChangeKind) -> ChangeKind? {
        switch (first, second) {
        case (.insert, .delete): nil
        case (.insert, _): .insert
        // What is said of an object behind its deletion is said by somebody who did not know: it is gone.
        case (.delete, .delete), (.delete, .update), (.update, .delete): .delete
        case (.delete, .insert), (.update, _): .update
        }
    }
}
