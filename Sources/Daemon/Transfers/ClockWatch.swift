import Basics

/// Tells whether the wall clock runs as time does. What has lain for years by a clock that was just set wrong must not be
/// removed: clocks of hosts without a battery, or with a wrong one, are set right soon after a start.
struct ClockWatch {
    private var last: (now: Instant, wall: WallTime)?
    /// How far the two may part from one look to the next: clocks are steered, and hosts sleep.
    let tolerance: Duration

    init(tolerance: Duration) { self.tolerance = tolerance }

    /// Whether the wall clock has moved since the last look as far as time has. False at the first.
    mutating func isSteady(now: Instant, wall: WallTime) -> Bool {
        defer { last = (now, wall) }
        guard let last else { return false }
        let passed = (now - last.now).milliseconds
        let (shown, overflow) = wall.milliseconds.subtractingReportingOverflow(last.wall.milliseconds)
        let (gap, overflowToo) = shown.subtractingReportingOverflow(passed)
        return !overflow && !overflowToo && gap.magnitude <= UInt64(max(0, tolerance.milliseconds))
    }
}
