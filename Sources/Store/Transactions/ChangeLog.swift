import Basics
import Vocabulary

/// The marks of one commit: they say which objects its jobs changed, and who has to know. Merging leaves one mark for
/// each object, in an order that a client can follow.
struct ChangeLog {
    /// Who has to know of a change.
    enum Hearers {
        case all
        /// The object only looks different: its row is as it was.
        case clients
        /// The row has changed in something that clients are not told.
        case shells
    }

    struct Mark {
        let change: ObjectChange
        let hearers: Hearers
    }

    private var marks: [Mark] = []

    /// A place to go back to with ``rewind(to:)``.
    var mark: Int { marks.count }

    mutating func append(
        _ object: StoredObject, _ change: ChangeKind, parent: UUIDv7? = nil, aspects: MessageAspects = [],
        for hearers: Hearers = .all
    ) {
        // Many messages in one conversation give the same mark twice in a row; this is the common case.
        if let last = marks.last, last.change.object == object, last.change.change == change, change == .update,
            last.hearers == hearers, last.change.aspects.isSuperset(of: aspects)
        {
            return
        }
        marks.append(
            Mark(
                change: ObjectChange(object: object, change: change, parent: parent, aspects: aspects),
                hearers: hearers))
    }

    /// All marks in the order of marking.
    var all: [Mark] { marks }

    /// Removes the marks of a job that was undone.
    mutating func rewind(to mark: Int) { marks.removeSubrange(mark...) }

    mutating func removeAll() { marks.removeAll(keepingCapacity: true) }

    /// Returns at most one change for each object, for clients. An insertion stays where it was first marked. An object
    /// that was only updated (or deleted) stands where it was last marked, after the objects that it names: a
    /// conversation stands after its last message, for example.
    func merged() -> [ObjectChange] {
        if marks.count < 2 { return marks.filter { $0.hearers != .shells }.map(\.change) }
        var changes: [StoredObject: (change: ChangeKind?, place: Int, aspects: MessageAspects)] = [:]
        changes.reserveCapacity(marks.count)
        for (place, entry) in marks.enumerated() where entry.hearers != .shells {
            let mark = entry.change
            guard let (before, first, aspects) = changes[mark.object], let before else {
                changes[mark.object] = (mark.change, place, mark.aspects)
                continue
            }
            let change = Self.merge(before, mark.change)
            let stays = change == .insert || before == .delete && change == .delete
            changes[mark.object] = (change, stays ? first : place, aspects.union(mark.aspects))
        }
        return marks.enumerated().compactMap { place, entry in
            let mark = entry.change
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
