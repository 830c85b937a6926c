import Basics

/// What stands in files that tests send.
public enum TestContent {
    /// Bytes that are the same for the same seed, and differ in each part of 4 KiB. They are made quickly, also by tests that
    /// aren't optimised.
    public static func bytes(_ count: Int, seed: UInt64) -> [UInt8] {
        var random = SeededGenerator(seed: seed)
        var page: [UInt8] = []
        for _ in 0..<511 { page.appendBigEndian(random.next()) }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(count + 4096)
        while bytes.count < count {
            bytes.appendBigEndian(random.next())
            bytes.append(contentsOf: page)
        }
        bytes.removeLast(bytes.count - count)
        return bytes
    }
}
