import Basics

/// Decides which chunks a holder of a group's file gives to which member. It is a value without I/O, one for each file.
///
/// The author gives the requested chunk that it has given least, and none that it has just given, because
/// the member that has it is about to pass it on. So the author's uplink carries the file about once, and what is lost
/// with a member that goes away is given again after that pause. Of a small file every member gets everything at once,
/// because there is little to save.
public struct UploadChooser: Sendable {
    private let isAuthor: Bool
    private let isSmall: Bool
    /// How often each place was given, or is being given.
    private var given: [UInt16]
    /// When each place was last given completely, in milliseconds from the beginning, and which places are under way.
    private var times: [UInt32]
    private let start: Instant
    private var random: SeededGenerator

    public init(places: UInt64, isAuthor: Bool, seed: UInt64, now: Instant) {
        self.isAuthor = isAuthor
        isSmall = places <= TransferLimits.Swarm.small
        given = isAuthor ? [UInt16](repeating: 0, count: Int(clamping: places)) : []
        times = isAuthor ? [UInt32](repeating: 0, count: Int(clamping: places)) : []
        start = now
        random = SeededGenerator(seed: seed)
    }

    /// Chooses what to give now of the requested places, perhaps nothing. ``gave(_:isWhole:now:)`` follows for each.
    public mutating func choose(
        _ ranges: [Range<UInt64>], count: Int, have: PlaceSet, now: Instant
    ) -> [UInt64] {
        guard isAuthor else { return ranges.lazy.flatMap { $0 }.filter { have.contains($0) }.prefix(count).map { $0 } }
        let time = milliseconds(now)
        let pause = UInt32(clamping: TransferLimits.Swarm.restraint.milliseconds)
        var chosen: [(place: UInt64, given: UInt16, chance: UInt64)] = []
        for range in ranges {
            for place in range where have.contains(place) {
                let before = given[Int(place)]
                let isOften = chosen.count == count && before > (chosen.last?.given ?? 0)
                // A place that is under way has the greatest time.
                let isRested = times[Int(place)] != .max && time >= times[Int(place)] + pause
                guard !isOften, before == 0 || isSmall || isRested else { continue }
                let entry = (place, before, random.next())
                let index = chosen.firstIndex { (entry.1, entry.2) < ($0.given, $0.chance) } ?? chosen.count
                chosen.insert(entry, at: index)
                if chosen.count > count { chosen.removeLast() }
            }
        }
        for entry in chosen {
            given[Int(entry.place)] = entry.given == .max ? .max : entry.given + 1
            times[Int(entry.place)] = .max
        }
        return chosen.map(\.place)
    }

    /// A chosen chunk was sent; not as a whole if the connection broke meanwhile.
    public mutating func gave(_ place: UInt64, isWhole: Bool, now: Instant) {
        guard isAuthor, place < UInt64(given.count) else { return }
        times[Int(place)] = isWhole ? min(milliseconds(now), .max - 1) : 0
        if !isWhole, given[Int(place)] > 0 { given[Int(place)] -= 1 }
    }

    private func milliseconds(_ now: Instant) -> UInt32 { UInt32(clamping: (now - start).milliseconds) }
}
