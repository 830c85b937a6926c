import Basics
import Testing

@testable import Transfer

@Suite("Files of groups: which member gives which chunks")
struct PiecePickerTests {
    @Test("The author gives the file about once, to 8 members and to 64", arguments: [8, 16, 64])
    func once(_ count: Int) throws {
        let chunks = count == 64 ? 64 : 128
        for seed in 1...(count == 8 ? 3 : 1) as ClosedRange<UInt64> {
            var world = try SwarmSimulation(chunks: UInt64(chunks), members: count + 1, seed: seed)
            world.run(until: 20_000)
            #expect(world.isDone)
            let times = Double(world.members[0].given) / Double(chunks)
            #expect(times <= 1.5, "seed \(seed): \(times) times")
        }
    }

    @Test(
        "The author gives all of a small file to every member at once, and of a larger one what it has not just given")
    func small() {
        let now = Instant(nanoseconds: 1_000_000_000)
        for chunks in [1, 4, 5] as [UInt64] {
            var giver = UploadChooser(chunks: chunks, isAuthor: true, seed: 1, now: now)
            let have = ChunkSet(allBelow: chunks)
            let first = giver.choose([0..<chunks], count: 8, have: have, now: now)
            #expect(first.sorted() == Array(0..<chunks))
            // These chunks are under way, then just given.
            #expect(giver.choose([0..<chunks], count: 8, have: have, now: now).count == (chunks <= 4 ? Int(chunks) : 0))
            for chunkIndex in first { giver.gave(chunkIndex, isWhole: true, now: now) }
            let later = giver.choose([0..<chunks], count: 8, have: have, now: now + .seconds(1))
            #expect(later.count == (chunks <= 4 ? Int(chunks) : 0))
        }
    }

    @Test("If one member is killed and one joins, the living get the file and the author gives it less than 2.5 times")
    func killedAndJoining() throws {
        for seed in 1...5 as ClosedRange<UInt64> {
            var world = try SwarmSimulation(chunks: 200, members: 9, seed: seed)
            world.run(until: 20_000) { world in
                if world.step == 100 { world.kill(3) }
                if world.step == 150 { world.add() }
            }
            #expect(world.isDone && world.members.count == 10, "seed \(seed)")
            #expect(Double(world.members[0].given) <= 2.5 * 200, "seed \(seed): \(world.members[0].given)")
        }
    }

    @Test("The others get the file without the author, once one member or all together have it")
    func authorLeaves() throws {
        for seed in 1...3 as ClosedRange<UInt64> {
            var world = try SwarmSimulation(chunks: 100, members: 9, seed: seed)
            world.run(until: 20_000) { world in
                guard world.members[0].isAlive else { return }
                var all = ChunkSet(limit: 100)
                for member in world.members.dropFirst() { all.formUnion(member.have) }
                if all.count == 100 { world.kill(0) }
            }
            #expect(world.isDone && !world.members[0].isAlive, "seed \(seed)")
        }
    }

    @Test("Among badSources and slow members no member takes more than one wrong chunk, and none waits for ever")
    func liarsAndSlowOnes() throws {
        for seed in 1...3 as ClosedRange<UInt64> {
            var world = try SwarmSimulation(chunks: 100, members: 13, seed: seed)
            for index in [2, 5] {
                world.members[index].isLiar = true
                world.members[index].have = ChunkSet(allBelow: 100)
            }
            for index in [1, 7, 8] { world.members[index].speed = 0.01 }
            world.run(until: 30_000)
            #expect(world.isDone, "seed \(seed)")
            for index in [2, 5] { #expect(world.members[index].given <= 12) }
        }
    }

    @Test("A single receiver gets everything from the author, each chunk once and without a pause")
    func alone() throws {
        var world = try SwarmSimulation(chunks: 100, members: 2, seed: 1)
        world.run(until: 1_000)
        #expect(world.isDone && world.members[0].given == 100 && world.step < 350)
    }

    @Test("An author gives what it has given least, and the same again only after a pause")
    func givesLeast() {
        var now = Instant(nanoseconds: 0)
        var machine = UploadChooser(chunks: 10, isAuthor: true, seed: 1, now: now)
        let have = ChunkSet(allBelow: 10)
        let first = machine.choose([0..<10], count: 6, have: have, now: now)
        #expect(Set(first).count == 6)
        let second = machine.choose([0..<10], count: 6, have: have, now: now)
        #expect(Set(first + second) == Set(0..<10))
        #expect(machine.choose([0..<10], count: 1, have: have, now: now).isEmpty)
        // A chunk that did not arrive may be sent at once, the others after the pause.
        for chunkIndex in first { machine.gave(chunkIndex, isWhole: chunkIndex != first[0], now: now) }
        #expect(machine.choose([0..<10], count: 6, have: have, now: now) == [first[0]])
        now = now + .seconds(10)
        #expect(Set(machine.choose([0..<10], count: 10, have: have, now: now)) == Set(first.dropFirst()))
        for chunkIndex in second { machine.gave(chunkIndex, isWhole: true, now: now) }
        #expect(machine.choose([0..<10], count: 10, have: ChunkSet(limit: 10), now: now + .seconds(9)).isEmpty)
    }

    @Test("What a source doesn't give is asked of others; what it doesn't have is not asked of it again")
    func notGiven() throws {
        let now = Instant(nanoseconds: 0)
        var machine = PiecePicker(lacking: ChunkSet(allBelow: 2), seed: 1, now: now)
        for source in [1, 2] {
            machine.add(source, isAuthor: false, now: now)
            machine.has(source, 0..<1)
        }
        #expect(machine.next(for: 1, now: now) == .chunks([0]))
        #expect(machine.next(for: 1, now: now) == nil && machine.next(for: 2, now: now) == nil)
        machine.answered(1, now: now)
        #expect(machine.next(for: 2, now: now) == .chunks([0]))
        machine.remove(2)
        #expect(machine.next(for: 1, now: now + .seconds(9)) == nil)
        machine.add(2, isAuthor: false, now: now)
        machine.has(2, 0..<2)
        #expect(machine.next(for: 2, now: now) != nil)
    }

    @Test("Sets of chunks keep ranges and limits, and behave like sets of numbers")
    func sets() {
        var random = SeededGenerator(seed: 4)
        for limit in [0, 1, 63, 64, 65, 200] as [UInt64] {
            var set = ChunkSet(limit: limit)
            var model: Set<UInt64> = []
            for _ in 0..<60 {
                let first = random.next() % (limit + 10)
                let range = first..<first + random.next() % 70
                set.insert(range)
                model.formUnion(range.filter { $0 < limit })
                let gone = random.next() % (limit + 1)
                set.remove(gone)
                model.remove(gone)
                #expect(set.ranges().flatMap { Array($0) } == model.sorted())
                #expect(set.count == model.count && set.isEmpty == model.isEmpty)
                #expect(set.next(from: gone) == model.filter { $0 >= gone }.min())
            }
            #expect(ChunkSet(allBelow: limit).count == Int(limit))
        }
    }
}

@Suite("Files of groups: the tree of hashes")
struct ChunkTreeTests {
    private func leaves(_ count: Int) -> [UInt8] {
        (0..<count).flatMap { number in
            let text = Array("chunk \(number)".utf8)
            return text.withUnsafeBytes { TreeHash(chunk: $0).bytes }
        }
    }

    private func manifest(_ chunks: Int) throws -> Manifest {
        let size = UInt64(chunks * TransferLimits.chunkBytes)
        return try Manifest([ManifestEntry(path: "", kind: .file, size: size, mode: 0o644, modified: 0)])
    }

    @Test("Another chunk, order, number of chunks or manifest gives another root")
    func roots() throws {
        var roots: Set<TreeHash> = []
        for count in 1...20 {
            let list = try #require(SharedFileList(manifest: manifest(count), leaves: leaves(count)))
            #expect(roots.insert(list.fileRoot).inserted)
            var other = leaves(count)
            other[count * 32 - 1] ^= 1
            #expect(
                roots.insert(try #require(SharedFileList(manifest: manifest(count), leaves: other)).fileRoot).inserted)
            if count > 1 {
                let swapped = Array(leaves(count).reversed())
                #expect(
                    roots.insert(try #require(SharedFileList(manifest: manifest(count), leaves: swapped)).fileRoot)
                        .inserted
                )
            }
            #expect(SharedFileList(manifest: try manifest(count), leaves: leaves(count + 1)) == nil)
        }
    }
}
