import Basics
import Vocabulary

/// The marks of one commit: they say which objects its jobs changed. Merging leaves one mark for each object, in an
/// order that a client can follow.
struct ChangeLog {
    private var marks: [ObjectChange] = []

    /// A place to go back to with ``rewind(to:)``.
    var mark: Int { marks.count }

    mutating func append(
        _ object: StoredObject, _ change: ChangeKind, parent: UUIDv7? = nil, aspects: MessageAspects = []
    ) {
        // Many messages in one conversation give the same mark twice in a row; this is the common case.
        if let last = marks.last, last.object == object, last.change == change, change == .update,
            last.aspects.isSuperset(of: aspects)
        {
            return
        }
        marks.append(ObjectChange(object: object, change: change, parent: parent, aspects: aspects))
    }

    /// All marks in the order of marking.
    var all: [ObjectChange] { marks }

    /// Removes the marks of a job that was undone.
    mutating func rewind(to mark: Int) { marks.removeSubrange(mark...) }

    mutating func removeAll() { marks.removeAll(keepingCapacity: true) }

    /// Returns at most one change for each object. An insertion stays where it was first marked. An object that was
    /// only updated (or deleted) stands where it was last marked, after the objects that it names: a conversation
    /// stands after its last message, for example.
    func merged() -> [ObjectChange] {
        if marks.count < 2 { return marks }
        var changes: [StoredObject: (change: ChangeKind?, place: Int, aspects: MessageAspects)] = [:]
        changes.reserveCapacity(marks.count)
        for (place, mark) in marks.enumerated() {
            guard let (before, first, aspects) = changes[mark.object], let before else {
                changes[mark.object] = (mark.change, place, mark.aspects)
                continue
            }
            let change = Self.merge(before, mark.change)
            let stays = change == .insert || before == .delete && change == .delete
            changes[mark.object] = (change, stays ? first : place, aspects.union(mark.aspects))
        }
        return marks.enumerated().compactMap { place, mark in
            guard let (change, own, aspects) = changes[mark.object], let change, own == place else { return nil }
            return ObjectChange(
                object: mark.object, change: change, parent: mark.parent, aspects: change == .update ? aspects : [])
        }
    }

    /// Merges two changes in a row; the result is nil if other readers see no change.
    static func merge(_ first: ChangeKind, _ second: ChangeKind) -> ChangeKind? {
        switch (first, second) {
        case (.insert, .delete): nil
        case (.insert, _): .insert
        // A mark behind a deletion comes from a job that didn't know of it: the object stays deleted.
        case (.delete, .delete), (.delete, .update), (.update, .delete): .delete
        case (.delete, .insert), (.update, _): .update
        }
    }
}
