import Glibc
import TestSupport
import Testing

@testable import Control

/// How much of the disk thumbnails take.
struct ThumbnailCacheTests {
    /// Makes a file of that size, without its bytes, that was used so many seconds ago.
    private func make(_ name: String, _ bytes: Int64, age: Int, in folder: String) {
        let file = Glibc.open("\(folder)/\(name)", O_WRONLY | O_CREAT | O_CLOEXEC, 0o600)
        defer { close(file) }
        let used = timespec(tv_sec: time(nil) - age, tv_nsec: 0)
        #expect(ftruncate(file, off_t(bytes)) == 0 && futimens(file, [used, used]) == 0)
    }

    private func size(_ folder: String) -> Int64 {
        TemporaryDirectory.names(in: folder).reduce(0) { sum, name in
            var status = stat()
            return lstat("\(folder)/\(name)", &status) == 0 ? sum + Int64(status.st_size) : sum
        }
    }

    @Test("They take 256 MiB at most, counted anew after a start; what was used last stays")
    func bound() throws {
        let directory = try TemporaryDirectory()
        let folder = try directory.makeDirectory("thumbnails")
        let piece: Int64 = 4 << 20
        for number in 0..<64 { make("\(number).jpg", piece, age: 1_000 - number, in: folder) }
        let cache = ThumbnailCache(data: directory.path)
        #expect(size(folder) == ControlLimits.thumbnailCache)
        #expect(cache.open("0.jpg") != nil)
        // One byte more than there is room for.
        cache.store([1], as: "new.jpg")
        #expect(size(folder) <= ControlLimits.thumbnailCache / 4 * 3)
        let left = Set(TemporaryDirectory.names(in: folder))
        #expect(left.contains("0.jpg") && left.contains("new.jpg") && left.contains("63.jpg"))
        #expect(!left.contains("1.jpg") && !left.contains("16.jpg") && left.contains("20.jpg"))
        // From here on it counts by itself.
        for number in 0..<400 { cache.store([UInt8](repeating: 1, count: 1 << 20), as: "more-\(number).jpg") }
        #expect(size(folder) <= ControlLimits.thumbnailCache)
        #expect(cache.open("more-399.jpg") != nil && cache.open("20.jpg") == nil)
    }

    @Test("A name that is a link is not followed, and what was cut while it was written is no thumbnail")
    func links() throws {
        let directory = try TemporaryDirectory()
        let folder = try directory.makeDirectory("thumbnails")
        try TextFile.write([1, 2, 3], to: directory.file("secret"))
        #expect(symlink(directory.file("secret"), "\(folder)/a.jpg") == 0)
        try TextFile.write([1], to: "\(folder)/b.jpg.new")
        let cache = ThumbnailCache(data: directory.path)
        #expect(cache.open("a.jpg") == nil)
        cache.store([9], as: "a.jpg")
        cache.store([8], as: "b.jpg")
        #expect(try TextFile.bytes(directory.file("secret")) == [1, 2, 3])
        #expect(try TextFile.bytes("\(folder)/b.jpg") == [8])
        #expect(!TemporaryDirectory.names(in: folder).contains("b.jpg.new"))
    }
}
