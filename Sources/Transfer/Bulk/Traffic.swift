import Synchronization

/// How many bytes all connections with peers have carried since the start, as they went over TCP.
public enum Traffic {
    private static let sentBytes = Atomic<UInt64>(0)
    private static let receivedBytes = Atomic<UInt64>(0)

    public static var sent: UInt64 { sentBytes.load(ordering: .relaxed) }
    public static var received: UInt64 { receivedBytes.load(ordering: .relaxed) }

    /// Counts bytes that were handed to the kernel.
    public static func send(_ count: Int) { sentBytes.wrappingAdd(UInt64(clamping: count), ordering: .relaxed) }
    /// Counts bytes that came from the kernel.
    public static func receive(_ count: Int) { receivedBytes.wrappingAdd(UInt64(clamping: count), ordering: .relaxed) }
}
