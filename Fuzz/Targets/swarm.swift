import Basics

@testable import Transfer

/// A group's file among lying members: the requests that a giver gets, and what a receiver gets from its sources.
enum FuzzTarget {
    private static let manifest = try? Manifest([
        ManifestEntry(path: "", kind: .folder, size: 0, mode: 0o755, modified: 0),
        ManifestEntry(path: "a", kind: .file, size: 150 << 20, mode: 0o644, modified: 5),
        ManifestEntry(path: "b", kind: .file, size: 0, mode: 0o644, modified: 5),
    ])

    static let seeds: [[UInt8]] = [
        // Two sources that have everything, one of them the author, are asked and answer.
        [
            0, 0, 0, 0, 1, 0, 0, 255, 1, 1, 0, 255, 2, 0, 0, 0, 3, 0, 0, 5, 2, 1, 0, 0, 3, 1, 7, 1, 5, 0, 0, 0, 6, 1, 0,
            0,
        ],
        [0, 1, 0, 0, 1, 1, 3, 9, 2, 1, 0, 0, 4, 1, 3, 0, 5, 1, 0, 0, 7, 9, 0, 0, 2, 1, 0, 0],
        [8, 3, 0, 255, 9, 1, 0, 0, 8, 200, 9, 4, 9, 0, 0, 0, 7, 255, 0, 0, 8, 64, 0, 9],
    ]

    static func run(_ bytes: [UInt8]) {
        guard let manifest else { return }
        let layout = ChunkLayout(manifest)
        var now = Identities.now
        var gather = PiecePicker(
            lacking: ChunkSet(allBelow: layout.count), seed: 1, now: now)
        var given = ChunkSet(allBelow: layout.count)
        var giver = UploadChooser(
            chunks: layout.count, isAuthor: bytes.first.map { $0 < 128 } ?? true, seed: 2, now: now)
        var underWay: [UInt64] = []
        var asked: [Int: PiecePicker.Ask] = [:]
        var missing = layout.count
        var reader = ByteReader(bytes[...])
        while let operation = try? reader.readUInt8(), let first = try? reader.readUInt8(),
            let second = try? reader.readUInt8(), let third = try? reader.readUInt8()
        {
            let source = Int(first % 8)
            // The index may also be one that doesn't exist.
            let index = UInt64(second) | (second > 250 ? UInt64.max << 16 : 0)
            let range = index..<index.addingReportingOverflow(UInt64(third)).partialValue.clamped(atLeast: index)
            switch operation % 10 {
            case 0:
                gather.add(source, isAuthor: first & 8 != 0, now: now)
                asked[source] = nil
            case 1: gather.has(source, range)
            case 2:
                if let ask = gather.next(for: source, now: now) {
                    require(asked[source] == nil, "one question at a time")
                    asked[source] = ask
                    check(ask, gather, layout)
                }
            case 3: gather.begins(index, from: source)
            case 4:
                let lacked = gather.lacks(index)
                require(gather.came(index, from: source, now: now) == lacked, "what is lacking is taken, once")
                if lacked { missing -= 1 }
            case 5:
                gather.answered(source, now: now)
                asked[source] = nil
            case 6:
                gather.remove(source)
                asked[source] = nil
            case 7: now = now + .milliseconds(Int64(first) * 40)
            case 8:
                guard range.upperBound <= layout.count else { break }
                let chosen = giver.choose([range], count: Int(first % 64) + 1, have: given, now: now)
                require(chosen.count <= Int(first % 64) + 1, "no more than asked for")
                require(
                    chosen.allSatisfy { range.contains($0) && given.contains($0) }, "what was asked for and is there")
                require(Set(chosen).count == chosen.count, "each once")
                underWay += chosen
            default:
                if !underWay.isEmpty { giver.gave(underWay.removeFirst(), isWhole: first & 1 == 0, now: now) }
                if first & 2 != 0 { given.remove(index) }
            }
            require(gather.isComplete == (missing == 0), "it ends with the last chunk")
        }
    }

    private static func check(_ ask: PiecePicker.Ask, _ gather: PiecePicker, _ layout: ChunkLayout) {
        switch ask {
        case .chunks(let indices):
            require(!indices.isEmpty && indices.count <= TransferLimits.Swarm.asked, "a bounded question")
            require(indices.allSatisfy { gather.lacks($0) }, "what is lacking")
            require(zip(indices, indices.dropFirst()).allSatisfy { $0 < $1 }, "in order")
        case .any(let ranges, let count):
            require(1...TransferLimits.Swarm.asked ~= count, "a bounded question")
            require(ranges.allSatisfy { $0.upperBound <= layout.count && !$0.isEmpty }, "of indices that there are")
            require(zip(ranges, ranges.dropFirst()).allSatisfy { $0.upperBound <= $1.lowerBound }, "in order")
        }
    }
}

extension UInt64 {
    fileprivate func clamped(atLeast least: UInt64) -> UInt64 { Swift.max(self, least) }
}
