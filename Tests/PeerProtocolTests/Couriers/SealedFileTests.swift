import Basics
import Crypto
import Testing

@testable import PeerProtocol

/// Goal: what parcels say of files comes through unchanged, and nothing else does.
@Suite("What parcels say of files")
struct SealedFileTests {
    private static func id(_ number: UInt64) -> UUIDv7 {
        UUIDv7(high: 0x0190_7610_0000_7000, low: 0x8000_0000_0000_0000 | number)
    }

    private static let root = [UInt8](repeating: 3, count: 32)

    private static func file(_ number: UInt64 = 1) throws -> SealedFile {
        SealedFile(
            transfer: id(number), file: id(number + 100), root: root,
            key: try #require(SharedKey(bytes: [UInt8](repeating: 4, count: 32))), size: 10 << 20, modified: -5,
            mode: 0o755)
    }

    private static func body(_ files: [ParcelFile]) throws -> ParcelBody {
        let accounts = try (1...2).map { try #require(AccountID(bytes: [UInt8](repeating: $0, count: 32))) }
        return ParcelBody(from: accounts[0], to: accounts[1], days: 3, sealed: [1], files: files)
    }

    @Test("A sealed file comes through; without a field, or with a wrong one, it is refused")
    func sealedFile() throws {
        let file = try Self.file()
        #expect(try SealedFile(file.value, "files") == file)
        guard case .map(let map) = file.value else { return }
        for key in UInt64(1)...7 {
            var fields = map
            fields[key] = nil
            #expect(throws: WireError.self, "without \(key)") { try SealedFile(.map(fields), "files") }
        }
        for (key, value): (UInt64, CBOR) in [
            (1, .bytes([UInt8](repeating: 0, count: 16))), (3, .bytes([1])), (4, .bytes([1])),
            (5, .unsigned(1 << 63)), (7, .unsigned(0o1000)),
        ] {
            var fields = map
            fields[key] = value
            #expect(throws: WireError.self, "\(key)") { try SealedFile(.map(fields), "files") }
        }
    }

    @Test("A parcel names its files to the courier, sixteen at most and each once; one without files is as it was")
    func parcel() throws {
        let files = (1...16).map { ParcelFile(id: Self.id($0), root: Self.root, bytes: $0) }
        let body = try Self.body(files)
        #expect(try ParcelBody(decoding: body.encoded()) == body)
        #expect(throws: WireError.self) { try Self.body([files[0], files[0]]).encoded() }
        #expect(throws: WireError.self) {
            try Self.body(files + [.init(id: Self.id(17), root: Self.root, bytes: 1)]).encoded()
        }
        guard case .map(let map) = try CBORDecoder.decode(Self.body([]).encoded()) else { return }
        #expect(map[6] == nil)
        // Who knows nothing of files reads the rest.
        var later = map
        later[6] = .array([.map([1: .bytes(Self.id(1).bytes)])])
        #expect(throws: WireError.self) { try ParcelBody(decoding: CBOR.map(later).encoded()) }
        later[6] = nil
        later[7] = .text("later")
        #expect(try ParcelBody(decoding: CBOR.map(later).encoded()) == Self.body([]))
    }

    @Test("An answer may name files alone")
    func had() throws {
        let had = HadBody(files: [Self.id(1), Self.id(2)])
        #expect(try HadBody(decoding: had.encoded()) == had)
        #expect(throws: WireError.self) { try HadBody(files: [.zero]).encoded() }
        #expect(throws: WireError.self) { try HadBody(files: (1...65).map { Self.id($0) }).encoded() }
        #expect(throws: WireError.self) { try HadBody(decoding: HadBody().encoded()) }
    }
}
