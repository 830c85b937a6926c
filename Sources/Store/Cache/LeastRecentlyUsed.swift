/// Values by key. If they have too many bytes, the values that were not used for longest go. Every step takes the same
/// time, however many values there are.
struct LeastRecentlyUsed<Key: Hashable, Value> {
    /// The values in one array, linked in the order of use; free places are linked too.
    private struct Place {
        var key: Key
        /// Nil for a free place.
        var value: Value?
        var bytes: Int
        /// The index of the value used next after this one; -1 for none.
        var newer: Int
        /// The index of the value used just before this one; of a free place, the next free one.
        var older: Int
    }

    /// Bytes that a value takes beside its own: a place, and an entry of the dictionary at its usual load.
    static var overhead: Int { MemoryLayout<Place>.stride + 2 * (MemoryLayout<Key>.stride + MemoryLayout<Int>.stride) }

    /// Bytes allowed, overhead included.
    let limit: Int
    private(set) var bytes = 0
    private var places: [Place] = []
    private var index: [Key: Int] = [:]
    private var newest = -1
    private var oldest = -1
    private var free = -1

    init(limit: Int) { self.limit = limit }

    var count: Int { index.count }

    /// Returns the value without marking it as used.
    func peek(_ key: Key) -> Value? { index[key].flatMap { places[$0].value } }

    /// Marks the value as the last one used.
    mutating func use(_ key: Key) {
        guard let place = index[key], place != newest else { return }
        unlink(place)
        link(place)
    }

    /// Puts a value in place of what was there; the oldest make room.
    /// - Parameter bytes: of the value itself.
    mutating func set(_ key: Key, _ value: Value, bytes: Int) {
        remove(key)
        let sum = bytes + Self.overhead
        while self.bytes + sum > limit, oldest >= 0 { remove(places[oldest].key) }
        guard self.bytes + sum <= limit else { return }
        let place = place(for: Place(key: key, value: value, bytes: sum, newer: -1, older: -1))
        index[key] = place
        link(place)
        self.bytes += sum
    }

    @discardableResult
    mutating func remove(_ key: Key) -> Value? {
        guard let place = index.removeValue(forKey: key) else { return nil }
        unlink(place)
        bytes -= places[place].bytes
        let value = places[place].value
        places[place].value = nil
        places[place].older = free
        free = place
        return value
    }

    mutating func removeAll() { self = Self(limit: limit) }

    private mutating func place(for new: Place) -> Int {
        guard free >= 0 else {
            places.append(new)
            return places.count - 1
        }
        let place = free
        free = places[place].older
        places[place] = new
        return place
    }

    private mutating func link(_ place: Int) {
        places[place].newer = -1
        places[place].older = newest
        if newest >= 0 { places[newest].newer = place }
        newest = place
        if oldest < 0 { oldest = place }
    }

    private mutating func unlink(_ place: Int) {
        let (newer, older) = (places[place].newer, places[place].older)
        if newer >= 0 { places[newer].older = older } else { newest = older }
        if older >= 0 { places[older].newer = newer } else { oldest = newer }
    }
}
