import Basics

/// Limits reports to five a second and computes the rate. It belongs to the transfer's thread.
struct ProgressMeter {
    private let clocks: any Clocks
    private let size: UInt64
    private let files: Int
    private let report: @Sendable (TransferProgress) -> Void
    private var last: Instant
    private var lastBytes: UInt64
    private var rate: Double = 0

    init(
        clocks: any Clocks, size: UInt64, files: Int, bytesDone: UInt64,
        report: @escaping @Sendable (TransferProgress) -> Void
    ) {
        self.clocks = clocks
        self.size = size
        self.files = files
        self.report = report
        last = clocks.now
        lastBytes = bytesDone
    }

    /// Reports if a report is due. Returns the current time.
    @discardableResult
    mutating func update(bytesDone: UInt64, arriving: UInt64 = 0, filesDone: Int) -> Instant {
        let now = clocks.now
        if now - last >= TransferLimits.progressInterval { emit(now, bytesDone, arriving, filesDone) }
        return now
    }

    /// Makes the last report, whenever the one before was.
    mutating func finish(bytesDone: UInt64, filesDone: Int) { emit(clocks.now, bytesDone, 0, filesDone) }

    private mutating func emit(_ now: Instant, _ bytesDone: UInt64, _ arriving: UInt64, _ filesDone: Int) {
        let bytes = bytesDone + arriving
        let seconds = Double((now - last).nanoseconds) / 1e9
        if seconds > 0.001 {
            let current = Double(bytes - min(bytes, lastBytes)) / seconds
            rate = rate == 0 ? current : 0.7 * rate + 0.3 * current
        }
        last = now
        lastBytes = bytes
        report(
            TransferProgress(
                bytesDone: bytesDone, arriving: arriving, size: size, filesDone: filesDone, files: files,
                bytesPerSecond: rate.isFinite && rate < 1e15 ? UInt64(rate) : 0))
    }
}
