import Basics
import ControlProtocol
import Messaging
import Testing
import Vocabulary

@testable import Control

/// Which uploads may begin, and what may be done with them.
struct UploadTableTests {
    private let policy = FilePolicy(
        types: FileTypes(["txt", "png"]), maxSend: 1000, maxReceive: 1000, freeSpaceReserve: 0,
        downloads: DownloadPolicy(from: .never, kinds: [], maximum: 0, onMetered: false, directory: "/"))
    private let time = WallTime(milliseconds: 1_000_000_000_000)

    private func id(_ number: UInt64) -> UUIDv7 { UUIDv7(high: 0x0190_0000_0000_7000, low: 1 << 63 | number) }

    private func request(_ name: String, size: Int64? = 1) -> UploadTable.Request {
        UploadTable.Request(name: name, size: size)
    }

    private func refusal(_ body: () throws -> Void) -> ControlError? {
        do {
            try body()
            return nil
        } catch {
            return error as? ControlError
        }
    }

    /// A table with a folder that takes files.
    private func folder() throws -> (UploadTable, UUIDv7) {
        var table = UploadTable()
        var request = request("pictures", size: nil)
        request.isFolder = true
        _ = try table.begin(request, id: id(1), at: time, policy: policy)
        table.settle(id(1))
        return (table, id(1))
    }

    private func child(_ path: String, in parent: UUIDv7, size: Int64? = 1) -> UploadTable.Request {
        var child = request(path.split(separator: "/").last.map(String.init) ?? "", size: size)
        (child.parent, child.path) = (parent, path)
        return child
    }

    @Test("Name, type and size are checked before there is a file")
    func rules() {
        var table = UploadTable()
        for (name, size, kind, field): (String, Int64?, Reason?, String?) in [
            ("a.txt", 1000, nil, nil), ("a.txt", nil, nil, nil), ("a.txt", 1001, .tooLarge, "size"),
            ("a.exe", 1, .typeNotAllowed, "name"), ("a", 1, .typeNotAllowed, "name"),
            ("..", 1, .invalid, "name"), ("a/b.txt", 1, .invalid, "name"), ("a\\b.txt", 1, .invalid, "name"),
            ("a\u{0}.txt", 1, .invalid, "name"), ("a\n.txt", 1, .invalid, "name"), (" a.txt", 1, .invalid, "name"),
            (String(repeating: "a", count: 252) + ".txt", 1, .invalid, "name"),
            ("a.kibo-part", 1, .invalid, "name"), ("a.txt", .max, .tooLarge, "size"),
        ] {
            let refused = refusal {
                _ = try table.begin(request(name, size: size), id: id(9), at: time, policy: policy)
                table.forget(id(9))
            }
            #expect(refused?.kind == kind, "\(name)")
            #expect(refused?.field == field, "\(name)")
        }
        // What is not sent has rules of its own.
        for (purpose, name, size, kind): (Upload.Purpose, String, Int64, Reason?) in [
            (.picture, "a.webp", 64 << 20, nil), (.picture, "a.webp", (64 << 20) + 1, .tooLarge),
            (.addressBook, "a.vcf", 1 << 30, nil), (.addressBook, "a.vcf", (1 << 30) + 1, .tooLarge),
        ] {
            var asked = request(name, size: size)
            asked.purpose = purpose
            let refused = refusal {
                _ = try table.begin(asked, id: id(9), at: time, policy: policy)
                table.forget(id(9))
            }
            #expect(refused?.kind == kind, "\(purpose) \(size)")
        }
    }

    @Test("A place in a folder is made of harmless names, and nothing else is a place")
    func places() throws {
        var (table, parent) = try folder()
        for path in [
            "../a.txt", "a/../b.txt", "/a.txt", "a//b.txt", "./a.txt", "a/./b.txt", "a.txt/", "a/\u{202E}b/c.txt",
            "a\u{0}/b.txt", "a/b\n/c.txt", String(repeating: "d/", count: 64) + "a.txt",
            String(repeating: "d", count: 256) + "/a.txt", "x.kibo-part/a.txt",
        ] {
            let refused = refusal {
                _ = try table.begin(child(path, in: parent), id: id(2), at: time, policy: policy)
            }
            #expect(refused?.kind == .invalid, "\(path)")
        }
        var other = child("b/a.txt", in: parent)
        other.name = "c.txt"
        #expect(refusal { _ = try table.begin(other, id: id(2), at: time, policy: policy) }?.field == "path")
        var alone = request("a.txt")
        alone.path = "a.txt"
        #expect(refusal { _ = try table.begin(alone, id: id(2), at: time, policy: policy) }?.field == "path")
        #expect(
            refusal { _ = try table.begin(child("a.txt", in: id(7)), id: id(2), at: time, policy: policy) }?.kind
                == .notFound)
        let record = try table.begin(child("b/c/a.txt", in: parent), id: id(2), at: time, policy: policy)
        #expect(record.place == ["b", "c", "a.txt"])
        #expect(
            refusal { _ = try table.begin(child("b/c/a.txt", in: parent), id: id(3), at: time, policy: policy) }?.kind
                == .alreadyExists)
    }

    @Test("A folder has bounds of bytes and files, those under way counted")
    func folderBounds() throws {
        var (table, parent) = try folder()
        _ = try table.begin(child("a.txt", in: parent, size: 600), id: id(2), at: time, policy: policy)
        #expect(
            refusal { _ = try table.begin(child("b.txt", in: parent, size: 401), id: id(3), at: time, policy: policy) }?
                .kind == .tooLarge)
        table.settle(id(2))
        #expect(refusal { _ = try table.finish(parent) }?.kind == .invalid)
        let record = try table.finish(id(2))
        _ = table.finished(record, size: 600)
        #expect(table.record(id(2)) == nil && table.record(parent)?.bytes == 600)
        #expect(
            refusal { _ = try table.begin(child("b.txt", in: parent, size: 401), id: id(3), at: time, policy: policy) }?
                .kind == .tooLarge)
        for number in 2...10_000 as ClosedRange<UInt64> {
            let begun = try table.begin(
                child("\(number).txt", in: parent, size: 0), id: id(3), at: time, policy: policy)
            _ = table.finished(begun, size: 0)
        }
        #expect(table.record(parent)?.files == 10_000)
        #expect(
            refusal { _ = try table.begin(child("z.txt", in: parent, size: 0), id: id(3), at: time, policy: policy) }?
                .kind == .tooLarge)
        #expect(table.finished(try table.finish(parent), size: 600).isFinished)
        #expect(
            refusal { _ = try table.begin(child("z.txt", in: parent, size: 0), id: id(3), at: time, policy: policy) }?
                .kind == .notFound)
    }

    @Test("256 wait at once; one that was sent makes room")
    func quota() throws {
        var table = UploadTable()
        for number in 0..<256 as Range<UInt64> {
            let record = try table.begin(request("a.txt"), id: id(number), at: time, policy: policy)
            _ = table.finished(record, size: 1)
        }
        #expect(refusal { _ = try table.begin(request("a.txt"), id: id(999), at: time, policy: policy) }?.kind == .busy)
        _ = try table.hold(id(0))
        table.release(id(0), isSent: true)
        _ = try table.begin(request("a.txt"), id: id(999), at: time, policy: policy)
    }

    @Test("One thing at a time is done with an upload, and none while a request reads it")
    func turns() throws {
        var table = UploadTable()
        _ = try table.begin(request("a.txt"), id: id(1), at: time, policy: policy)
        #expect(refusal { _ = try table.work(on: id(1)) }?.kind == .busy)
        #expect(refusal { _ = try table.cancel(id(1)) }?.kind == .busy)
        #expect(refusal { _ = try table.hold(id(1)) }?.kind == .invalid)
        table.settle(id(1))
        let record = try table.finish(id(1))
        #expect(refusal { _ = try table.finish(id(1)) }?.kind == .busy)
        _ = table.finished(record, size: 1)
        #expect(refusal { _ = try table.finish(id(1)) }?.kind == .invalid)
        _ = try table.hold(id(1))
        #expect(refusal { _ = try table.cancel(id(1)) }?.kind == .busy)
        table.release(id(1), isSent: true)
        #expect(refusal { _ = try table.cancel(id(1)) }?.kind == .invalid)
        #expect(refusal { _ = try table.cancel(id(2)) }?.kind == .notFound)
    }

    @Test(
        "What was not sent goes after a day, what was sent so many days after its last transfer, and nothing that is in use"
    )
    func age() throws {
        let day: Int64 = 86_400_000
        func table() throws -> UploadTable {
            var table = UploadTable()
            for number in 1...4 as ClosedRange<UInt64> {
                let record = try table.begin(request("a.txt"), id: id(number), at: time, policy: policy)
                _ = table.finished(record, size: 1)
            }
            #expect(Set(table.stamp(now: 0)) == Set((1...4).map(id)) && table.stamp(now: 5) == [])
            table.beginExpiry()
            return table
        }
        func gone(_ table: inout UploadTable, after: Int64, days: Int64 = 30) -> Set<UUIDv7> {
            let uses: [UUIDv7: Int64?] = [id(1): 0, id(2): Optional<Int64>.none]
            let ages = UploadTable.Ages(now: after, day: after - day, kept: days > 0 ? after - day * days : nil)
            return Set(table.expire(ages, uses: uses).map(\.id))
        }
        var first = try table()
        #expect(gone(&first, after: day - 1) == [])
        #expect(gone(&first, after: day) == [id(3), id(4)])
        var second = try table()
        #expect(gone(&second, after: day * 30) == [id(1), id(3), id(4)])
        var third = try table()
        #expect(gone(&third, after: day * 3000, days: 0) == [id(3), id(4)])
        // A request that has read one since the database was asked may have sent it.
        var fourth = try table()
        _ = try fourth.hold(id(3))
        fourth.release(id(3), isSent: true)
        #expect(gone(&fourth, after: day * 2) == [id(4)])
    }

    @Test("One that no look has seen, or only under a stamp that is yet to come, counts as new")
    func unseen() throws {
        var table = UploadTable()
        let record = try table.begin(request("a.txt"), id: id(1), at: time, policy: policy)
        _ = table.finished(record, size: 1)
        let ages = UploadTable.Ages(now: 100, day: 50, kept: 50)
        #expect(table.expire(ages, uses: [:]).isEmpty)
        #expect(table.stamp(now: 500) == [id(1)])
        #expect(table.stamp(now: 100) == [id(1)] && table.record(id(1))?.since == 100)
        #expect(table.expire(ages, uses: [:]).isEmpty)
    }

    @Test("A folder takes its files under way with it")
    func expiresWhole() throws {
        var (table, parent) = try folder()
        _ = try table.begin(child("a.txt", in: parent), id: id(2), at: time, policy: policy)
        table.settle(id(2))
        table.beginExpiry()
        #expect(table.stamp(now: 5).count == 2)
        let old = table.expire(.init(now: 9, day: 5, kept: 0), uses: [:])
        #expect(Set(old.map(\.id)) == [parent, id(2)])
    }
}
