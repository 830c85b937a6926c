import Basics
import Glibc
import Testing

@testable import Crypto

@Suite("Secrets")
struct SecretTests {
    @Test("every byte of a secret is zero once its owner has gone", arguments: [1, 32, 64, 65, 512])
    func zeroed(count: Int) {
        // This pool belongs to the test alone, so nothing else takes the slot in between, and its pages are never given
        // back.
        let memory = SecretMemory()
        func makeAndDrop() -> UnsafeRawPointer? {
            var secret = SecretBytes(zeros: count, in: memory)
            secret.withUnsafeMutableBytes { Sodium.fillRandomly($0) }
            let wasFilled = revealed(secret).contains { $0 != 0 }
            #expect(wasFilled || count == 1)
            return secret.withUnsafeBytes { $0.baseAddress }
        }
        let place = makeAndDrop()
        let left = UnsafeRawBufferPointer(start: place, count: count)
        #expect(left.allSatisfy { $0 == 0 })
        let next = SecretBytes(zeros: count, in: memory)
        let isSamePlace = next.withUnsafeBytes { $0.baseAddress } == place
        #expect(isSamePlace, "the slot is used again, so the test looked at the right place")
    }

    @Test("taking bytes out of an array leaves zeros there")
    func moving() {
        var source: [UInt8] = [1, 2, 3]
        let secret = SecretBytes(moving: &source)
        #expect(source == [0, 0, 0])
        #expect(revealed(secret) == [1, 2, 3])
        #expect(secret.count == 3)
    }

    @Test("slots are aligned to 64 bytes and don't overlap", arguments: [1, 33, 64, 100, 512, 513, 20_000])
    func slots(count: Int) {
        let memory = SecretMemory()
        var places: [(start: Int, pointer: UnsafeMutableRawPointer)] = []
        for _ in 0..<300 {
            let pointer = memory.allocate(count)
            places.append((Int(bitPattern: pointer), pointer))
        }
        places.sort { $0.start < $1.start }
        #expect(places.allSatisfy { $0.start % 64 == 0 })
        #expect(zip(places, places.dropFirst()).allSatisfy { $1.start - $0.start >= count })
        for place in places { memory.giveBack(place.pointer, count: count) }
    }

    @Test("the pages of secrets are locked into memory if this process may lock any")
    func locked() throws {
        // Locking a page here shows whether this process may.
        let page = UnsafeMutableRawPointer.allocate(byteCount: 4096, alignment: 4096)
        defer { page.deallocate() }
        guard mlock(page, 4096) == 0 else { return }
        munlock(page, 4096)
        let secret = SecretBytes(random: 32)
        let file = try #require(fopen("/proc/self/status", "r"))
        defer { fclose(file) }
        var line = [CChar](repeating: 0, count: 256)
        var lockedKibibytes: CInt = 0
        while fgets(&line, 256, file) != nil {
            let text = String(decoding: line.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
            let words = text.split(whereSeparator: \.isWhitespace)
            if words.first == "VmLck:", words.count > 1 { lockedKibibytes = CInt(words[1]) ?? 0 }
        }
        let count = secret.count
        #expect(lockedKibibytes >= 16 && count == 32)
    }

    @Test("equality looks at length and bytes")
    func equality() {
        let left = secret([1, 2, 3])
        let same = left.duplicate()
        let other = secret([1, 2, 4])
        let longer = secret([1, 2, 3, 0])
        let none = SecretBytes(random: 0)
        let results = [left == same, left != other, left != longer, left != none, none == SecretBytes(random: -1)]
        #expect(results.allSatisfy { $0 })
    }

    @Test("many threads may take and give back slots at once")
    func concurrency() async {
        let intact = await withTaskGroup(of: Bool.self) { group in
            for seed in 0..<8 {
                group.addTask {
                    (0..<500).allSatisfy { round in
                        let mark = UInt8(truncatingIfNeeded: seed &* 31 &+ round)
                        let mine = secret([UInt8](repeating: mark, count: 32))
                        return revealed(mine).allSatisfy { $0 == mark }
                    }
                }
            }
            return await group.allSatisfy { $0 }
        }
        #expect(intact)
    }

    @Test("keys print only their public half")
    func printing() throws {
        let seed = try bytes("9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60")
        let signing = try SigningKey(seed: secret(seed))
        let agreement = try AgreementKey(secret: secret(seed))
        var dumped = ""
        dump(signing, to: &dumped)
        dump(agreement, to: &dumped)
        let shown = [dumped, "\(signing)", String(reflecting: agreement), "\(agreement)"].joined()
        #expect(shown.contains("d75a980182b10ab7"))
        #expect(!shown.contains("9d61b19d"))
        #expect(!shown.contains("157, 97, 177"))
    }

    @Test("random bytes differ between calls and have the requested length")
    func randomness() throws {
        try Sodium.start()
        #expect(Sodium.randomBytes(0).isEmpty)
        #expect(Sodium.randomBytes(-5).isEmpty)
        #expect(Sodium.randomBytes(33).count == 33)
        #expect(Sodium.randomBytes(32) != Sodium.randomBytes(32))
        var generator = SodiumGenerator()
        #expect(generator.next() != generator.next())
    }
}
