/// Words sizes for sentences.
package enum SizeText {
    /// Such as `512 bytes`, `1.5 MiB`, `4 GiB`.
    package static func text(_ bytes: UInt64) -> String {
        guard bytes >= 1024 else { return bytes == 1 ? "1 byte" : "\(bytes) bytes" }
        let units = ["KiB", "MiB", "GiB", "TiB", "PiB", "EiB"]
        var unit = 0
        var divisor: UInt64 = 1024
        while unit < units.count - 1, bytes / divisor >= 1024 {
            divisor *= 1024
            unit += 1
        }
        let tenths = bytes / (divisor / 1024) * 10 / 1024
        return tenths % 10 == 0 ? "\(tenths / 10) \(units[unit])" : "\(tenths / 10).\(tenths % 10) \(units[unit])"
    }
}
