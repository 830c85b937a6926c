import Glibc

/// Memory on its way from the socket to the disk, with the steps to take: one full chunk at an address that suits
/// O_DIRECT, or many small things.
final class ReceiveBlock: @unchecked Sendable {  // Owner: one thread at a time, the receiving or the writing one.
    /// One step on disk. Steps are taken in order.
    enum Step {
        /// Writes a chunk whose text is that part of the memory.
        case write(file: UInt32, offset: UInt64, text: Range<Int>, index: UInt64, checksum: Checksum)
        /// Makes chunks of zeros.
        case punch(file: UInt32, offset: UInt64, length: UInt64, chunks: ChunkRun)
        /// All bytes of a file are there.
        case complete(file: UInt32)
        /// A file is left out, and its bytes are removed.
        case drop(file: UInt32)
    }

    /// The block's memory: a chunk with its checksum and tag, in whole pages.
    let memory: UnsafeMutableRawBufferPointer
    private(set) var used = 0
    private(set) var steps: [Step] = []

    init() {
        let bytes = TransferLimits.chunkBytes + TransferLimits.checksumBytes + TransferLimits.tagBytes
        memory = .allocate(byteCount: (bytes + 4095) & ~4095, alignment: 4096)
    }

    deinit { memory.deallocate() }

    /// Whether the block holds enough to be worth waking the writing thread.
    var isFull: Bool { used >= TransferLimits.coalescedBytes || steps.count >= TransferLimits.stepsPerBlock }
    var isEmpty: Bool { steps.isEmpty }

    func append(_ step: Step) { steps.append(step) }

    /// Copies a text that lies elsewhere. Nil if there is no room left.
    func store(_ bytes: UnsafeRawBufferPointer) -> Range<Int>? {
        guard bytes.count <= memory.count - used else { return nil }
        let range = used..<used + bytes.count
        UnsafeMutableRawBufferPointer(rebasing: memory[range]).copyMemory(from: bytes)
        used += bytes.count
        return range
    }

    func clear() {
        used = 0
        steps.removeAll(keepingCapacity: true)
    }
}
