/// A list that gathers elements over a turn and is worked off at its end. Its two arrays change places, so that a
/// steady load allocates nothing.
struct TurnList<Element> {
    private var gathering: [Element] = []
    private var spare: [Element] = []

    var isEmpty: Bool { gathering.isEmpty }

    mutating func append(_ element: Element) { gathering.append(element) }

    /// What has gathered. Elements appended from now on belong to the next turn. Give the array back with `recycle`.
    mutating func drain() -> [Element] {
        let taken = gathering
        gathering = spare
        spare = []
        return taken
    }

    /// Keeps a worked-off array's storage for later.
    mutating func recycle(_ worked: consuming [Element]) {
        worked.removeAll(keepingCapacity: true)
        spare = worked
    }
}
