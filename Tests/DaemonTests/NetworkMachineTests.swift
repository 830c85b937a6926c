import Basics
import Messaging
import PeerProtocol
import Reactor
import Testing

@testable import Daemon
@testable import Network

@Suite("The daemon's small machines of the network")
struct NetworkMachineTests {
    private func device(_ byte: UInt8) throws -> DeviceID {
        DeviceID(try #require(Key32([UInt8](repeating: byte, count: 32))))
    }
    private func account(_ byte: UInt8) throws -> AccountID {
        AccountID(try #require(Key32([UInt8](repeating: byte, count: 32))))
    }
    private let address = SocketAddress(.v4(0xC000_0201), port: 5)
    private let time = WallTime(milliseconds: 1000)
    private let now = Instant(nanoseconds: 1)

    // MARK: Half-open connections

    @Test("One address gets a few places, all together get a bounded number, and friends always find some")
    func halfOpen() {
        var table = HalfOpenTable()
        let flood = (0..<100).map { IPAddress.v4(0x0A00_0000 + $0) }
        var admitted = 0
        for source in flood {
            for _ in 0..<6 {
                if case .success = table.admit(source, isFriend: false, link: 2) { admitted += 1 }
            }
        }
        #expect(admitted == NetworkLimits.halfOpenTotal - NetworkLimits.halfOpenForFriends)
        #expect(table.refused == 600 - UInt64(admitted))
        guard case .success(let place) = table.admit(.v4(1), isFriend: true, link: nil) else {
            Issue.record("a friend found no place")
            return
        }
        table.release(place)
        #expect(table.total == admitted)
    }

    @Test("Places come back: any order of admissions and releases leaves the table empty and never exceeds its limits")
    func halfOpenProperty() {
        for seed in 0..<50 {
            var random = SeededGenerator(seed: UInt64(seed))
            var table = HalfOpenTable()
            var places: [HalfOpenTable.Place] = []
            for _ in 0..<2000 {
                if Bool.random(using: &random) || places.isEmpty {
                    let number = UInt32.random(in: 0..<40, using: &random)
                    let link: UInt32? = Bool.random(using: &random) ? 2 : nil
                    let source =
                        Bool.random(using: &random)
                        ? IPAddress.v4(number)
                        : .v6(high: 0x2001 << 48 | UInt64(number % 4), low: UInt64(number), scope: 0)
                    if case .success(let place) = table.admit(source, isFriend: .random(using: &random), link: link) {
                        places.append(place)
                    }
                } else {
                    table.release(places.remove(at: Int.random(in: 0..<places.count, using: &random)))
                }
                #expect(table.total == places.count)
                #expect(table.total <= NetworkLimits.halfOpenTotal)
                for (_, own) in Dictionary(grouping: places, by: \.source) {
                    #expect(own.count <= NetworkLimits.halfOpenPerSource)
                }
                #expect(places.count { $0.link != nil } <= NetworkLimits.halfOpenPerLink)
            }
            for place in places { table.release(place) }
            #expect(table.total == 0)
        }
    }

    /// Returns how many of these addresses are admitted, one after another.
    private func admitted(
        _ table: inout HalfOpenTable, _ sources: some Sequence<IPAddress>, isFriend: Bool = false, link: UInt32? = nil
    ) -> Int {
        sources.count { if case .success = table.admit($0, isFriend: isFriend, link: link) { true } else { false } }
    }

    @Test("A foreign IPv6 network is one source, however many addresses it has; the next network is another source")
    func halfOpenNetworks() {
        var table = HalfOpenTable()
        func addresses(_ high: UInt64) -> [IPAddress] { (0..<200).map { .v6(high: high, low: $0, scope: 0) } }
        let first: UInt64 = 0x2001_0DB8_0000_0001
        #expect(admitted(&table, addresses(first)) == NetworkLimits.halfOpenPerSource)
        #expect(admitted(&table, addresses(first + 1)) == NetworkLimits.halfOpenPerSource)
        #expect(table.refusedBy.first { $0.0 == "source_full" }?.1 == 400 - 2 * UInt64(NetworkLimits.halfOpenPerSource))
        // IPv4 addresses in the form of IPv6 are IPv4: each address counts by itself.
        let four = (1...5).compactMap { IPAddress("::ffff:192.0.2.\($0)") }
        #expect(admitted(&table, four + four) == 10)
    }

    @Test(
        "One host with all addresses of our link gets a part of the places; others stay for IPv4 and for friends")
    func halfOpenLink() {
        var table = HalfOpenTable()
        let own = (0..<2).flatMap { number in
            (0..<200).map { IPAddress.v6(high: number == 0 ? 0xFE80 << 48 : 0xFD00 << 48, low: $0, scope: 0) }
        }
        // Each of these addresses has its own limit, too.
        #expect(admitted(&table, Array(repeating: own[0], count: 9), link: 2) == NetworkLimits.halfOpenPerSource)
        #expect(
            admitted(&table, own.dropFirst(), link: 2) == NetworkLimits.halfOpenPerLink
                - NetworkLimits.halfOpenPerSource)
        #expect(table.refusedBy.first { $0.0 == "link_full" }?.1 == 399 - 28)
        #expect(
            admitted(&table, own.prefix(20), isFriend: true, link: 2) == 19,
            "a friend's address doesn't count for a link")
        #expect(admitted(&table, [.v4(7)], link: 2) == 1)
        #expect(admitted(&table, own.suffix(1), link: 3) == 1, "another link has places of its own")
    }

    @Test("Loopback has half of all places, whichever of its addresses are used")
    func halfOpenLoopback() {
        var table = HalfOpenTable()
        let half = NetworkLimits.halfOpenTotal / 2
        #expect(admitted(&table, Array(repeating: .loopback, count: half + 1)) == half)
        #expect(table.refused == 1)
    }

    // MARK: Commits

    @Test("Frames of one peer go to the store in order, in small pieces, and a few at a time")
    func commitQueue() throws {
        var random = SeededGenerator(seed: 4)
        var queue = CommitQueue()
        var (sent, given): ([UUIDv7], [UUIDv7]) = ([], [])
        var most = 0
        for round in 0..<200 {
            let frames = (0..<Int.random(in: 0...200, using: &random)).map { _ in
                DurableFrame(
                    id: UUIDv7(at: time, using: &random), content: .contactRemoval(ContactRemovalBody()))
            }
            sent += frames.map(\.id)
            var destination = Destination()
            destination.freeBytes = UInt64(round)
            queue.append(frames, destination: destination)
            repeat {
                while let piece = queue.next() {
                    #expect(!piece.frames.isEmpty && piece.frames.count <= NetworkLimits.framesAtOnce)
                    given += piece.frames.map(\.id)
                }
                most = max(most, queue.underWay)
                if queue.underWay > 0, Bool.random(using: &random) || round == 199 { queue.finished() }
            } while round == 199 && queue.underWay > 0
        }
        #expect(most == NetworkLimits.commitsAtOnce)
        #expect(given == sent && queue.isEmpty)
    }

    @Test("On a slow disk one peer has more jobs in the store, but never more than the bound")
    func commitsOnSlowDisk() {
        #expect(NetworkLimits.commitsAtOnce(onDisk: .zero, for: 1) == 6)
        #expect(NetworkLimits.commitsAtOnce(onDisk: .microseconds(400), for: 0) == 6)
        #expect(NetworkLimits.commitsAtOnce(onDisk: .milliseconds(5), for: 1) == 20)
        #expect(NetworkLimits.commitsAtOnce(onDisk: .milliseconds(5), for: 2) == 10)
        #expect(NetworkLimits.commitsAtOnce(onDisk: .milliseconds(5), for: 20) == 6)
        #expect(NetworkLimits.commitsAtOnce(onDisk: .seconds(60), for: 1) == 32)
        var queue = CommitQueue()
        var random = SeededGenerator(seed: 7)
        let frames = (0..<2000).map { _ in
            DurableFrame(id: UUIDv7(at: time, using: &random), content: .contactRemoval(ContactRemovalBody()))
        }
        queue.append(frames, destination: Destination())
        while queue.next(limit: 20) != nil {}
        #expect(queue.underWay == 20)
        // The disk has become quicker: what is under way comes back before more is given out.
        queue.finished()
        #expect(queue.next(limit: 6) == nil)
    }

    @Test(
        "Frames that come while others are on their way are committed together if they go to the same place")
    func commitQueueMerges() throws {
        var random = SeededGenerator(seed: 5)
        var queue = CommitQueue()
        func append(_ count: Int, _ destination: Destination) {
            for _ in 0..<count {
                let id = UUIDv7(at: time, using: &random)
                queue.append(
                    [DurableFrame(id: id, content: .contactRemoval(ContactRemovalBody()))], destination: destination)
            }
        }
        var other = Destination()
        other.isWritable = true
        for _ in 0..<NetworkLimits.commitsAtOnce {
            append(1, Destination())
            #expect(queue.next()?.frames.count == 1, "a piece doesn't wait for more frames")
        }
        append(NetworkLimits.framesAtOnce + 5, Destination())
        append(2, other)
        #expect(queue.next() == nil)
        var sizes: [Int] = []
        for _ in 0..<4 {
            queue.finished()
            if let piece = queue.next() { sizes.append(piece.frames.count) }
        }
        #expect(sizes == [NetworkLimits.framesAtOnce, 5, 2] && queue.isEmpty)
    }

    /// The queue must not keep frames alive that it has given out; the number of frames that it holds shows this.
    @Test("The queue releases what it has given out, also while more frames come all the time")
    func commitQueueFrees() throws {
        var random = SeededGenerator(seed: 6)
        var queue = CommitQueue()
        func append() {
            let frames = (0..<NetworkLimits.framesAtOnce).map { _ in
                DurableFrame(id: UUIDv7(at: time, using: &random), content: .contactRemoval(ContactRemovalBody()))
            }
            queue.append(frames, destination: Destination())
        }
        for _ in 0..<10 { append() }
        for _ in 0..<10_000 {
            append()
            #expect(queue.next() != nil)
            queue.finished()
        }
        #expect(
            queue.keptFrames <= 2 * 10 * NetworkLimits.framesAtOnce,
            "it holds \(queue.keptFrames) frames for \(10 * NetworkLimits.framesAtOnce) that wait")
    }

    /// Runs a session's commits with a store that refuses frames, as the lane does it, but without threads.
    @Test(
        "If commits fail, every frame that can be stored is stored, in order, and nothing overtakes a repeated frame",
        arguments: 0..<50 as Range<UInt64>)
    func commitQueueFailures(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        var queue = CommitQueue()
        let frames = (0..<1000).map { _ in
            DurableFrame(id: UUIDv7(at: time, using: &random), content: .contactRemoval(ContactRemovalBody()))
        }
        let poisoned = Set(frames.filter { _ in Int.random(in: 0..<100, using: &random) == 0 }.map(\.id))
        var sent = frames[...]
        var (stored, refused): ([UUIDv7], [UUIDv7]) = ([], [])
        var underWay: [CommitQueue.Piece] = []
        var isBroken = false
        while !sent.isEmpty || !queue.isEmpty || queue.underWay > 0 {
            if Bool.random(using: &random) {
                let some = sent.prefix(Int.random(in: 0...90, using: &random))
                sent = sent.dropFirst(some.count)
                queue.append(Array(some), destination: Destination())
            }
            while let piece = queue.next() {
                if queue.underWay == 1 { isBroken = false }
                underWay.append(piece)
            }
            guard !underWay.isEmpty else { continue }
            let piece = underWay.removeFirst()
            if isBroken {
                queue.failed(piece, .earlier)
            } else if piece.frames.contains(where: { poisoned.contains($0.id) }) {
                isBroken = true
                if piece.isAlone { refused += piece.frames.map(\.id) }
                queue.failed(piece, piece.isAlone ? .all : .one)
            } else {
                stored += piece.frames.map(\.id)
                queue.finished()
            }
        }
        #expect(stored == frames.map(\.id).filter { !poisoned.contains($0) })
        #expect(Set(refused) == poisoned && refused.count == poisoned.count)
    }

    @Test("Frames of a session that is over can be dropped, and the rest stays in its order")
    func commitQueueDrops() throws {
        var random = SeededGenerator(seed: 8)
        var queue = CommitQueue()
        for round in 0..<20 {
            let frames = (0..<10).map { _ in
                DurableFrame(id: UUIDv7(at: time, using: &random), content: .contactRemoval(ContactRemovalBody()))
            }
            queue.append(frames, destination: Destination(), from: round % 2)
        }
        for _ in 0..<NetworkLimits.commitsAtOnce { #expect(queue.next() != nil) }
        queue.drop(0)
        var sources: [Int] = []
        for _ in 0..<20 {
            queue.finished()
            if let piece = queue.next() { sources.append(piece.source) }
            if queue.underWay == 0 { break }
        }
        // Every other one of those that were given out was of that session.
        let left = 10 - NetworkLimits.commitsAtOnce / 2
        #expect(sources == [Int](repeating: 1, count: left) && queue.isEmpty && queue.keptFrames == 0)
    }

    // MARK: Who is there

    @Test("A stranger appears once it is known whose device it is, and vanishes with its goodbye")
    func stranger() throws {
        var directory = PeerDirectory()
        let device = try device(1)
        #expect(directory.announced(device, from: address, at: time).isEmpty)
        #expect(directory.sessionOpened(device, account: try account(1), address: address, at: time).isEmpty)
        let changes = directory.named(device, displayName: "Anna", at: time)
        guard case .appeared(let entry) = changes.first else {
            Issue.record("the stranger is not shown")
            return
        }
        #expect(entry.address == address)
        // The session that asked for the card is over, but the announcement still counts.
        #expect(directory.sessionClosed(device, stays: true, at: time, now: now).isEmpty)
        #expect(directory.shown.count == 1)
        #expect(directory.unannounced(device, at: time).count == 1)
        #expect(directory.shown.isEmpty)
    }

    @Test("An announcement moves no device that has a session, and shows no name")
    func announcementIsAHint() throws {
        var directory = PeerDirectory()
        let device = try device(1)
        _ = directory.sessionOpened(device, account: try account(1), address: address, at: time)
        _ = directory.named(device, displayName: "Anna", at: time)
        _ = directory.announced(device, from: SocketAddress(.v4(9), port: 9), at: time)
        #expect(directory.entry(device)?.address == address)
        #expect(directory.entry(device)?.displayName == "Anna")
        #expect(directory.entry(device)?.account == (try account(1)))
    }

    @Test("A contact is shown at its first announcement; a peer without announcements lingers for a while")
    func contactAndLinger() throws {
        var directory = PeerDirectory()
        #expect(directory.know(try device(1), account: try account(1), displayName: "Anna", at: time).isEmpty)
        #expect(directory.announced(try device(1), from: address, at: time).count == 1)
        _ = directory.sessionOpened(try device(2), account: try account(2), address: address, at: time)
        _ = directory.named(try device(2), displayName: "Carl", at: time)
        #expect(directory.sessionClosed(try device(2), stays: true, at: time, now: now).isEmpty)
        #expect(directory.expire(now: now, at: time).isEmpty)
        #expect(directory.expire(now: now + PeerDirectory.linger, at: time).count == 1)
        #expect(directory.sessionClosed(try device(1), stays: false, at: time, now: now).isEmpty)
        #expect(directory.gone(try device(1), at: time).count == 1)
    }

    @Test("Strangers that are gone are forgotten, so the directory doesn't grow with every passing device")
    func forgets() throws {
        var directory = PeerDirectory()
        for byte in 0..<200 {
            _ = directory.sessionOpened(
                try device(UInt8(byte)), account: try account(UInt8(byte)), address: nil, at: time)
            _ = directory.gone(try device(UInt8(byte)), at: time)
            #expect(directory.entry(try device(UInt8(byte))) == nil)
        }
    }

    @Test("Strangers with ever new keys fill the directory up to a bound only; contacts stay listed")
    func crowd() throws {
        var directory = PeerDirectory()
        func key(_ number: UInt32) throws -> Key32 {
            try #require(Key32((0..<32).map { UInt8(truncatingIfNeeded: number >> UInt32($0 % 4 * 8)) }))
        }
        for number in 1...UInt32(NetworkLimits.listedPeers + 100) {
            let device = DeviceID(try key(number))
            _ = directory.sessionOpened(device, account: AccountID(try key(number)), address: address, at: time)
            _ = directory.named(device, displayName: "Somebody", at: time)
            _ = directory.sessionClosed(device, stays: true, at: time, now: now)
        }
        #expect(directory.shown.count == NetworkLimits.listedPeers)
        let friend = DeviceID(try key(.max))
        _ = directory.know(friend, account: AccountID(try key(.max)), displayName: "Bert", at: time)
        _ = directory.sessionOpened(friend, account: AccountID(try key(.max)), address: address, at: time)
        _ = directory.sessionClosed(friend, stays: true, at: time, now: now)
        #expect(directory.entry(friend)?.isShown == true)
        _ = directory.expire(now: now + .seconds(200), at: time)
        #expect(directory.shown.isEmpty)
    }

    // MARK: Clients that wait for an address

    @ReactorActor private final class Waiting {
        var meetings = AddressLookups()
    }

    @Test("A device that answers at two addresses is the answer for both")
    @ReactorActor func twoAddresses() async throws {
        let device = try device(1)
        let addresses = [address, SocketAddress(.v4(0xC000_0202), port: 5)]
        let box = Waiting()
        var tasks: [Task<Bool, Never>] = []
        for address in addresses {
            tasks.append(
                Task { @ReactorActor in
                    let outcome = await withCheckedContinuation { box.meetings.add(address, $0) }
                    if case .success = outcome { return true } else { return false }
                })
        }
        for _ in 0..<20 { await Task.yield() }
        for address in addresses { box.meetings.answered(address, by: device) }
        var directory = PeerDirectory()
        _ = directory.sessionOpened(device, account: try account(1), address: address, at: time)
        box.meetings.succeeded(try #require(directory.entry(device)))
        for task in tasks { #expect(await task.value) }
    }
}
