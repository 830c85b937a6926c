import Basics
import Crypto
import Glibc
import PeerProtocol
import Reactor
import TestSupport
import Testing
import Threads
import TransferService
import Vocabulary

@testable import Daemon
@testable import Messaging
@testable import Network
@testable import Store
@testable import Transfer

/// Goal: what the database says of files that go with parcels: who may have which, for how long, and that a text never waits
/// for a file.
@Suite("Files of parcels in the database")
struct CourierFileRecordTests {
    private let folder: TemporaryDirectory

    init() throws { folder = try TemporaryDirectory() }

    private struct Nobody: GroupMembership {
        func members(of conversation: UUIDv7) -> Set<AccountID> { [] }
        func isMate(_ account: AccountID) -> Bool { false }
    }

    /// Sends a file; its transfer's id.
    private func send(_ count: Int, from sender: CourierParty, to receiver: CourierParty) throws -> UUIDv7 {
        let path = folder.file("\(count).txt")
        try TextFile.write([UInt8](repeating: 0x61, count: count), to: path)
        let source = PreparedSource(path: path, scanned: try SourceScanner.scan(path))
        let message = try sender.say("", to: receiver, with: [source])
        return try #require(try sender.read { try $0.transfers(of: message).first?.id })
    }

    private func kept(_ party: CourierParty) throws -> [SealedFileRow] { try party.read { try SealedFiles.kept($0) } }

    private func coming(_ party: CourierParty) throws -> [ComingSealedFileRow] {
        try party.read { try SealedFiles.coming($0) }
    }

    /// Whether an account may have a file from a party by pieces.
    private func may(_ account: CourierParty, have file: UUIDv7, root: [UInt8], from party: CourierParty) throws -> Bool
    {
        let request = PieceRequest(
            transfer: file, fileRoot: try #require(TreeHash(root)), ciphers: [.chacha20Poly1305], wantsList: true)
        return party.read {
            (try? PieceRight(request, by: account.account, members: Nobody(), parcels: "", in: $0)) != nil
        }
    }

    /// Marks a file as fetched.
    private func complete(_ row: SealedFileRow, at party: CourierParty) throws {
        let isWanted = try party.write {
            try SealedFiles.complete(row, leaves: [UInt8](repeating: 1, count: 32), in: $0)
        }
        #expect(isWanted)
    }

    @Test("The courier may have it from the maker, the recipient from the courier, and nobody else; then all forget it")
    func story() throws {
        let (anna, ben, carl) = try courierTrio()
        let id = try send(5000, from: anna, to: ben)
        let parcel = try #require(try anna.give(for: ben, to: [carl])).parcel
        let file = try #require(parcel.files.first?.sealed)
        #expect(file.size == 5000 && file.transfer == id && parcel.files.count == 1)
        #expect(try may(carl, have: file.file, root: file.root, from: anna))
        #expect(try !may(ben, have: file.file, root: file.root, from: anna))
        #expect(try !may(carl, have: file.file, root: [UInt8](repeating: 0, count: 32), from: anna))
        try anna.carry(to: carl)
        let row = try #require(try kept(carl).first)
        #expect(row.id == file.file && row.bytes == 5000 && row.leaves == nil)
        #expect(try !may(ben, have: row.id, root: row.root, from: carl), "it is not there yet")
        try complete(row, at: carl)
        #expect(try anna.read { try SealedFiles.couriers(of: id, $0).map(\.hasAll) } == [false])
        try anna.write { try SealedFiles.given(row.id, to: ben.account, in: $0) }
        #expect(try anna.read { try SealedFiles.couriers(of: id, $0).map(\.hasAll) } == [false])
        try anna.write { try SealedFiles.given(row.id, to: carl.account, in: $0) }
        #expect(try anna.read { try SealedFiles.couriers(of: id, $0).map(\.hasAll) } == [true])
        #expect(try may(ben, have: row.id, root: row.root, from: carl))
        #expect(try !may(anna, have: row.id, root: row.root, from: carl))

        try carl.carry(to: ben)
        #expect(try carl.kept() == [] && kept(carl).count == 1, "the file stays until Ben has it")
        let left = try carl.read { try SealedFiles.outstaying(limit: 10, $0) }
        #expect(left.map(\.id) == [parcel.envelope.id] && left.first?.recipient == ben.account)
        let expected = try #require(try coming(ben).first)
        #expect(expected.courier == carl.account && expected.key == file.key.bytes)
        try ben.write { transaction in
            let row = try transaction.transfer(expected.transfer)
            guard var row else { return }
            row.state = .done
            try transaction.update(row)
            try ParcelRecords(transaction: transaction).arrived(row)
        }
        #expect(try coming(ben) == [])
        try ben.carry(to: carl)
        #expect(try kept(carl) == [])
        #expect(try ben.give(for: anna, to: [carl], onlyAnswers: true) != nil)
        try ben.carry(to: carl)
        try carl.carry(to: anna)
        #expect(try anna.read { try $0.transfer(id)?.state } == .done)
        #expect(try !may(carl, have: file.file, root: file.root, from: anna), "Anna has forgotten the key")
    }

    @Test("What is too large, a folder, or paused waits for the direct path; the text goes")
    func leftOut() throws {
        let (anna, ben, carl) = try courierTrio()
        anna.fileBytes = 4999
        _ = try send(5000, from: anna, to: ben)
        let parcel = try #require(try anna.give(for: ben, to: [carl])).parcel
        #expect(parcel.files.isEmpty)
        try anna.carry(to: carl)
        try carl.carry(to: ben)
        #expect(try kept(carl) == [] && coming(ben) == [] && ben.texts(with: anna).count == 1)
    }

    @Test(
        "A courier leaves out files for which it has no room, by size, share or disk, and keeps the parcel"
    )
    func room() throws {
        let (anna, ben, carl) = try courierTrio()
        try carl.write { try $0.setSetting("courier.fileBytes", to: "4999") }
        let id = try send(5000, from: anna, to: ben)
        try anna.give(for: ben, to: [carl])
        #expect(try anna.carry(to: carl) == [] && kept(carl) == [] && carl.kept().count == 1)
        #expect(try anna.read { try SealedFiles.couriers(of: id, $0).count } == 1)
        try carl.carry(to: anna)
        #expect(try anna.read { try SealedFiles.couriers(of: id, $0).isEmpty }, "Anna is told")

        try carl.write { try $0.setSetting("courier.fileBytes", to: "1000000") }
        // A pair has an eighth: room for two of three files.
        try carl.write { try $0.setSetting("courier.quotaBytes", to: "200000") }
        for count in [8001, 8002, 8003] {
            _ = try send(count, from: anna, to: ben)
            try anna.give(for: ben, to: [carl])
        }
        #expect(try anna.carry(to: carl) == [])
        #expect(try kept(carl).map(\.bytes) == [8001, 8002] && carl.kept().count == 4)
        #expect(try carl.read { try Parcels.sum($0).bytes } > 16_003, "files and texts count together")

        try carl.write { try $0.setSetting("courier.quotaBytes", to: nil) }
        carl.space = DataSpace { (256 << 20) + 8003 }
        _ = try send(8004, from: anna, to: ben)
        try anna.give(for: ben, to: [carl])
        #expect(try anna.carry(to: carl) == [] && kept(carl).count == 2)
    }

    @Test("A file goes with its parcel: when it is dropped, needed no more, or over, and when a friendship ends")
    func ends() throws {
        for number in 0..<4 {
            let (anna, ben, carl) = try courierTrio()
            _ = try send(5000, from: anna, to: ben)
            try anna.give(for: ben, to: [carl])
            try anna.carry(to: carl)
            #expect(try kept(carl).count == 1)
            switch number {
            case 0: _ = try carl.write { try ParcelRecords(transaction: $0).dropAll(ofOrFor: anna.account) }
            case 1:
                try anna.carry(to: ben)
                try anna.carry(to: carl)
            case 2:
                try carl.carry(to: ben)
                try carl.tidyUp()
                #expect(try kept(carl).count == 1)
                try carl.write { try $0.connection.execute("UPDATE sealed_file SET stamp = stamp - 15 * 86400000") }
                try carl.tidyUp()
            default:
                try carl.carry(to: ben)
                #expect(try kept(carl).count == 1)
                try carl.know(ben, as: .none)
                try carl.tidyUp()
            }
            #expect(try kept(carl) == [], "case \(number)")
        }
    }

    @Test("A second courier that brings the parcel again is asked, too; and is told when the file is there")
    func second() throws {
        let (anna, ben, carl, dora) = try courierQuartet()
        _ = try send(5000, from: anna, to: ben)
        try anna.give(for: ben, to: [carl, dora])
        try anna.carry(to: carl)
        try anna.carry(to: dora)
        try carl.carry(to: ben)
        #expect(try coming(ben).count == 1)
        try dora.carry(to: ben)
        #expect(try Set(coming(ben).map(\.courier)) == [carl.account, dora.account])
        // Ben declines it.
        try ben.write { transaction in
            for file in try SealedFiles.coming(transaction) {
                guard var row = try transaction.transfer(file.transfer) else { continue }
                row.state = .declined
                try transaction.update(row)
            }
            try ParcelRecords(transaction: transaction).releaseFiles()
        }
        try ben.carry(to: carl)
        try ben.carry(to: dora)
        #expect(try kept(carl) == [] && kept(dora) == [] && coming(ben) == [])
    }

    @Test("Files count as parcels do, also those of no bytes and those whose parcels are gone: nobody fills the table")
    func counted() throws {
        let (anna, ben, carl) = try courierTrio()
        var random = SodiumGenerator()
        for _ in 0..<80 {
            let files = (0..<16).map { _ in
                ParcelFile(
                    id: UUIDv7(at: WallTime(milliseconds: 0), using: &random), root: [UInt8](repeating: 1, count: 32),
                    bytes: 0)
            }
            let body = ParcelBody(from: anna.account, to: ben.account, days: 14, sealed: [1], files: files)
            let frame = Frame(
                kind: .parcel, id: UUIDv7(at: WallTime(milliseconds: 0), using: &random), body: try body.encoded())
            #expect(try carl.hear(frame, from: anna) == .stored)
            // Ben takes the parcels, and never says that he has the files.
            for row in try carl.kept() { try carl.write { try Parcels.handOver(row, in: $0) } }
        }
        // An eighth of what there may be, with the parcel that has brought the last one.
        #expect(try kept(carl).count == 1023)
    }

    @Test("A file whose transfer its maker has ended is kept by no courier, and by nobody else's word")
    func withdrawn() throws {
        let (anna, ben, carl) = try courierTrio()
        let id = try send(5000, from: anna, to: ben)
        try anna.give(for: ben, to: [carl])
        try anna.carry(to: carl)
        let row = try #require(try kept(carl).first)
        let other = try CourierParty(4, "Dora")
        try other.know(carl)
        try carl.know(other)
        let news = try ParcelNewsBody([.init(row.id, .fileTaken)]).encoded()
        #expect(
            try carl.hear(Frame(kind: .parcelNews, id: UUIDv7(high: 3, low: 3), body: news), from: other) == .stored)
        #expect(try kept(carl) == [row])
        try anna.write { transaction in
            var sent = try #require(try transaction.transfer(id))
            sent.state = .cancelled
            try transaction.update(sent)
            try ParcelRecords(transaction: transaction).releaseFiles()
        }
        try anna.carry(to: carl)
        #expect(try kept(carl) == [] && anna.read { try SealedFiles.couriers(of: id, $0).isEmpty })
    }

    @Test("The same id for two makers' files: neither takes the other's away, at the courier or at the maker")
    func sameID() throws {
        let (anna, ben, carl) = try courierTrio()
        let dora = try CourierParty(4, "Dora")
        _ = try send(5000, from: anna, to: ben)
        let file = try #require(try anna.give(for: ben, to: [carl])?.parcel.files.first?.sealed)
        try anna.carry(to: carl)
        try carl.carry(to: ben)
        #expect(try coming(ben).count == 1)
        // Dora's parcel by Carl names Anna's file, as one of a transfer that nobody knows.
        try ben.write { try ParcelRecords(transaction: $0).expect([file], from: dora.account, at: carl.account) }
        try ben.carry(to: carl)
        #expect(try kept(carl).map(\.id) == [file.file])
        // Anna keeps something of Dora's for Ben, which has the same id.
        let row = SealedFileRow(
            id: file.file, parcel: UUIDv7(high: 1, low: 1), depositor: dora.account, recipient: ben.account,
            root: [UInt8](repeating: 1, count: 32), bytes: 1, days: 1)
        try anna.write { try SealedFiles.keep(row, in: $0) }
        #expect(try may(carl, have: file.file, root: file.root, from: anna))
    }

    @Test("A friend who is no courier, and brings again what was opened, is asked for no files")
    func uninvited() throws {
        let (anna, ben, carl) = try courierTrio()
        let dora = try CourierParty(4, "Dora")
        try dora.know(ben)
        try ben.know(dora)
        _ = try send(5000, from: anna, to: ben)
        let parcel = try #require(try anna.give(for: ben, to: [carl])).parcel
        try anna.carry(to: carl)
        try carl.carry(to: ben)
        let file = try #require(parcel.files.first?.sealed)
        let files = [file.file, UUIDv7(high: 5, low: 5)].map { ParcelFile(id: $0, root: file.root, bytes: 5000) }
        let body = ParcelBody(from: anna.account, to: ben.account, days: 1, sealed: [1], files: files)
        let frame = Frame(kind: .parcel, id: parcel.envelope.id, body: try body.encoded())
        #expect(try ben.hear(frame, from: dora) == .stored)
        #expect(try coming(ben).map(\.courier) == [carl.account] && ben.waiting(for: dora) == [])
    }

    @Test("While a file is being fetched another comes under its id: the first counts as nothing once it is here")
    func swapped() throws {
        let (anna, ben, carl) = try courierTrio()
        func deposit(_ number: UInt64, _ file: ParcelFile) throws {
            let body = ParcelBody(from: anna.account, to: ben.account, days: 14, sealed: [1], files: [file])
            let frame = Frame(kind: .parcel, id: UUIDv7(high: 1, low: number), body: try body.encoded())
            #expect(try carl.hear(frame, from: anna) == .stored)
        }
        let id = UUIDv7(high: 2, low: 2)
        try deposit(1, ParcelFile(id: id, root: [UInt8](repeating: 1, count: 32), bytes: 1 << 20))
        let begun = try #require(try kept(carl).first)
        let news = try ParcelNewsBody([.init(UUIDv7(high: 1, low: 1), .notNeeded)]).encoded()
        #expect(try carl.hear(Frame(kind: .parcelNews, id: UUIDv7(high: 3, low: 3), body: news), from: anna) == .stored)
        try deposit(2, ParcelFile(id: id, root: [UInt8](repeating: 2, count: 32), bytes: 0))
        try carl.write { try SealedFiles.forget(begun, in: $0) }
        let leaves = [UInt8](repeating: 1, count: 32)
        #expect(try carl.write { try !SealedFiles.complete(begun, leaves: leaves, in: $0) })
        let row = try #require(try kept(carl).first)
        #expect(row.leaves == nil && row.bytes == 0)
        #expect(try carl.write { try SealedFiles.complete(row, leaves: [], in: $0) })
    }

    @Test("A file under the id of one of the courier's own transfers is left out: nothing stands in that one's way")
    func takenID() throws {
        let (anna, ben, carl) = try courierTrio()
        let own = try send(5000, from: carl, to: ben)
        let other = UUIDv7(high: own.high, low: own.low ^ 1)
        let files = [own, other].map { ParcelFile(id: $0, root: [UInt8](repeating: 1, count: 32), bytes: 10) }
        let body = ParcelBody(from: anna.account, to: ben.account, days: 14, sealed: [1], files: files)
        let frame = Frame(kind: .parcel, id: UUIDv7(high: 1, low: 1), body: try body.encoded())
        #expect(try carl.hear(frame, from: anna) == .stored)
        #expect(try kept(carl).map(\.id) == [other])
    }

    @Test("A transfer that comes under the id of a file kept for others gets another id here, and both stay")
    func takenLater() throws {
        let (anna, ben, carl) = try courierTrio()
        let offered = try send(5000, from: ben, to: carl)
        let file = ParcelFile(id: offered, root: [UInt8](repeating: 1, count: 32), bytes: 10)
        let body = ParcelBody(from: anna.account, to: ben.account, days: 14, sealed: [1], files: [file])
        let frame = Frame(kind: .parcel, id: UUIDv7(high: 1, low: 1), body: try body.encoded())
        #expect(try carl.hear(frame, from: anna) == .stored)
        #expect(try ben.carry(to: carl) == [])
        let row = try #require(try carl.read { try $0.transfers(peer: ben.account, limit: 10).first })
        #expect(row.id != offered && row.wireID == offered)
        #expect(try kept(carl).map(\.id) == [offered])
    }

    @Test(
        "A transfer that comes under the id of a file of ours at a courier gets another id: the courier is still heard")
    func takenBySent() throws {
        let (anna, ben, carl) = try courierTrio()
        let id = try send(5000, from: anna, to: ben)
        let file = try #require(try anna.give(for: ben, to: [carl])?.parcel.files.first?.sealed)
        var row = TransferRow(
            id: file.file, direction: .incoming, peer: carl.account, name: "a.txt", size: 1,
            createdAt: WallTime(milliseconds: 1))
        row = try anna.write { transaction in
            var row = row
            _ = try transaction.place(&row)
            return row
        }
        #expect(row.id != file.file && row.wireID == file.file)
        try anna.write { try SealedFiles.given(file.file, to: carl.account, in: $0) }
        #expect(try anna.read { try SealedFiles.couriers(of: id, $0).map(\.hasAll) } == [true])
        #expect(try anna.read { try $0.transfer(file.file) } == nil)
    }

    @Test(
        "A file that is sealed again and again fills nothing at its recipient, and the courier is told which it may drop"
    )
    func sealedAgain() throws {
        let (anna, ben, carl) = try courierTrio()
        let id = try send(5000, from: anna, to: ben)
        for number in 0..<3 {
            try anna.give(for: ben, to: [carl])
            try anna.carry(to: carl)
            try carl.carry(to: ben)
            #expect(try coming(ben).count == 1, "parcel \(number)")
            try ben.carry(to: carl)
            #expect(try kept(carl).map(\.id) == coming(ben).map(\.id))
            // As if Anna's data were an old copy, and the message in no parcel.
            try anna.write { transaction in
                for row in try SentParcels.all(to: ben.account, in: nil, transaction) {
                    try SentParcels.forget(row, in: transaction)
                }
            }
        }
        #expect(try anna.read { try $0.transfer(id)?.state } != .done)
    }

    @Test("What has changed on a disk is fetched again by the courier, and given to couriers no more by its maker")
    func spoilt() throws {
        let (anna, ben, carl) = try courierTrio()
        _ = try send(5000, from: anna, to: ben)
        let file = try #require(try anna.give(for: ben, to: [carl])?.parcel.files.first?.sealed)
        try anna.carry(to: carl)
        let row = try #require(try kept(carl).first)
        try complete(row, at: carl)
        try carl.write { try SealedFiles.spoil(file.file, givenTo: ben.account, in: $0) }
        #expect(try kept(carl).map(\.leaves) == [nil])
        #expect(try may(carl, have: file.file, root: file.root, from: anna))
        try anna.write { try SealedFiles.spoil(file.file, givenTo: ben.account, in: $0) }
        #expect(try may(carl, have: file.file, root: file.root, from: anna), "Ben was given nothing of it")
        try anna.write { try SealedFiles.spoil(file.file, givenTo: carl.account, in: $0) }
        #expect(try !may(carl, have: file.file, root: file.root, from: anna))
    }

    @Test("A disk that doesn't answer keeps no text back: the parcel goes without the file, once")
    @ReactorActor func hanging() async throws {
        let (anna, ben, _) = try courierTrio()
        _ = try send(5000, from: anna, to: ben)
        let plan = try #require(try anna.search(for: ben).plan)
        let worker = try WorkerThread(name: "slow disk")
        var readings: [ParcelFileReading] = []
        func read(isHurried: Bool) async -> Int {
            await withCheckedContinuation { continuation in
                let reading = ParcelFileReading { continuation.resume(returning: $0.count) }
                readings.append(reading)
                reading.start(plan, at: WallTime(milliseconds: 0), on: worker)
                if isHurried { reading.hurry() }
            }
        }
        #expect(await read(isHurried: false) == 1)
        let answers = Lock(false)
        worker.submit { while !answers.withLock({ $0 }) { usleep(1000) } }
        #expect(await read(isHurried: true) == 0)
        // What comes late changes nothing: a second answer would end the test.
        answers.withLock { $0 = true }
        worker.stop()
        await withCheckedContinuation { continuation in Reactor.shared.post { continuation.resume() } }
        #expect(readings.count == 2)
    }
}
