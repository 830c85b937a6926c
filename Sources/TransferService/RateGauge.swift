import Basics

/// The rate of a transfer over the last seconds. A value: it is told how far the transfer is, and what time it is.
///
/// While nothing moves, the rate falls to zero within the window, instead of keeping its last value.
package struct RateGauge {
    private struct Sample {
        let at: Instant
        let bytes: UInt64
    }

    private var samples: [Sample] = []

    /// Notes how far the transfer is. If the number is smaller than before (another connection has less), measuring
    /// starts again.
    package mutating func note(_ bytes: UInt64, now: Instant) {
        if let last = samples.last, bytes < last.bytes { samples = [] }
        samples.append(Sample(at: now, bytes: bytes))
        // One sample from before the window stays: the window begins there.
        while samples.count > 2, now - samples[1].at >= TransferServiceLimits.rateWindow { samples.removeFirst() }
    }

    /// The rate in bytes a second.
    package func rate(now: Instant) -> Int64 {
        guard let last = samples.last else { return 0 }
        let first = samples.last { now - $0.at >= TransferServiceLimits.rateWindow } ?? samples[0]
        let time = now - first.at
        guard time >= TransferServiceLimits.rateBegin, last.bytes > first.bytes else { return 0 }
        let rate = Double(last.bytes - first.bytes) / Double(time.milliseconds) * 1000
        return rate < 1e15 ? Int64(rate) : 0
    }
}
