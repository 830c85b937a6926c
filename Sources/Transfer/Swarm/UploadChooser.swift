import Basics

/// Decides which chunks a holder of a group's file gives to which member. It is a value without I/O, one for each file.
///
/// The author gives the requested chunk that it has given least. It doesn't repeat a chunk that it has just given,
/// because the member that has it is about to pass it on. So the author's uplink carries the file about once. Chunks
/// that are lost when a member goes away are given again after that pause. Every member gets a small file at once,
/// because there is little to save.
public struct UploadChooser: Sendable {
    private let isAuthor: Bool
    private let isSmall: Bool
    /// How often each chunk was given, or is being given.
    private var given: [UInt16]
    /// When each chunk was last given completely, in milliseconds from the beginning; the greatest value while a chunk
    /// is under way.
    private var times: [UInt32]
    private let start: Instant
    private var random: SeededGenerator

    public init(chunks: UInt64, isAuthor: Bool, seed: UInt64, now: Instant) {
        self.isAuthor = isAuthor
        isSmall = chunks <= TransferLimits.Swarm.small
        given = isAuthor ? [UInt16](repeating: 0, count: Int(clamping: chunks)) : []
        times = isAuthor ? [UInt32](repeating: 0, count: Int(clamping: chunks)) : []
        start = now
        random = SeededGenerator(seed: seed)
    }

    /// Chooses what to give now of the requested chunks, perhaps nothing. ``gave(_:isWhole:now:)`` follows for each.
    public mutating func choose(
        _ ranges: [Range<UInt64>], count: Int, have: ChunkSet, now: Instant
    ) -> [UInt64] {
        guard isAuthor else { return ranges.lazy.flatMap { $0 }.filter { have.contains($0) }.prefix(count).map { $0 } }
        let time = milliseconds(now)
        let pause = UInt32(clamping: TransferLimits.Swarm.restraint.milliseconds)
        var chosen: [(chunkIndex: UInt64, given: UInt16, chance: UInt64)] = []
        for range in ranges {
            for chunkIndex in range where have.contains(chunkIndex) {
                let before = given[Int(chunkIndex)]
                let isOften = chosen.count == count && before > (chosen.last?.given ?? 0)
                // A chunk that is under way has the greatest time.
                let isRested = times[Int(chunkIndex)] != .max && time >= times[Int(chunkIndex)] + pause
                guard !isOften, before == 0 || isSmall || isRested else { continue }
                let entry = (chunkIndex, before, random.next())
                let index = chosen.firstIndex { (entry.1, entry.2) < ($0.given, $0.chance) } ?? chosen.count
                chosen.insert(entry, at: index)
                if chosen.count > count { chosen.removeLast() }
            }
        }
        for entry in chosen {
            given[Int(entry.chunkIndex)] = entry.given == .max ? .max : entry.given + 1
            times[Int(entry.chunkIndex)] = .max
        }
        return chosen.map(\.chunkIndex)
    }

    /// Notes that a chosen chunk was sent, but not as a whole if the connection broke meanwhile.
    public mutating func gave(_ chunkIndex: UInt64, isWhole: Bool, now: Instant) {
        guard isAuthor, chunkIndex < UInt64(given.count) else { return }
        times[Int(chunkIndex)] = isWhole ? min(milliseconds(now), .max - 1) : 0
        if !isWhole, given[Int(chunkIndex)] > 0 { given[Int(chunkIndex)] -= 1 }
    }

    private func milliseconds(_ now: Instant) -> UInt32 { UInt32(clamping: (now - start).milliseconds) }
}
