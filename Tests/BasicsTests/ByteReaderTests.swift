import Basics
import Testing

@Suite("Reading bytes") struct ByteReaderTests {
    @Test("integers are read most significant byte first, as they were appended")
    func integers() throws {
        var bytes: [UInt8] = [0xA5]
        bytes.appendBigEndian(UInt16(0x0102))
        bytes.appendBigEndian(UInt32(0x0304_0506))
        bytes.appendBigEndian(UInt64(0x0708_090A_0B0C_0D0E))
        #expect(bytes == [0xA5] + (1...14).map { UInt8($0) })
        var reader = ByteReader(bytes)
        #expect(try reader.readUInt8() == 0xA5)
        #expect(try reader.readUInt16() == 0x0102)
        #expect(try reader.readUInt32() == 0x0304_0506)
        #expect(try reader.readUInt64() == 0x0708_090A_0B0C_0D0E)
        #expect(reader.isAtEnd && reader.remaining == 0 && reader.rest.isEmpty)
    }

    @Test("reading too few bytes is an error and moves nothing")
    func truncated() throws {
        var reader = ByteReader([1, 2, 3, 4, 5, 6, 7] as [UInt8])
        #expect(throws: ByteReader.Failure.truncated) { try reader.readUInt64() }
        #expect(reader.remaining == 7)
        _ = try reader.read(4)
        #expect(throws: ByteReader.Failure.truncated) { try reader.readUInt32() }
        _ = try reader.read(2)
        #expect(throws: ByteReader.Failure.truncated) { try reader.readUInt16() }
        #expect(try reader.readUInt8() == 7)
        #expect(throws: ByteReader.Failure.truncated) { try reader.readUInt8() }
    }

    @Test("absurd counts are truncation, not a trap", arguments: [-1, Int.min, 4, Int.max])
    func absurdCounts(count: Int) {
        var reader = ByteReader([1, 2, 3] as [UInt8])
        #expect(throws: ByteReader.Failure.truncated) { try reader.read(count) }
        #expect(reader.remaining == 3)
    }

    @Test("a slice of a larger buffer is read within its own bounds")
    func slices() throws {
        let buffer: [UInt8] = [0, 1, 2, 3, 4, 5]
        var reader = ByteReader(buffer[2..<5])
        let bookmark = reader
        #expect(try reader.read(2) == [2, 3])
        #expect(reader.rest == [4])
        #expect(throws: ByteReader.Failure.truncated) { try reader.read(2) }
        #expect(bookmark.remaining == 3)
        #expect(try reader.read(0).isEmpty)
    }
}
