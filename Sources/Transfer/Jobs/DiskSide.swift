/// The receiving thread's end of a ``PartWriter``. It gathers small steps and hands over full blocks.
final class DiskSide {
    let store: PartStore
    private let writer: PartWriter
    /// The block that gathers steps.
    private var current: ReceiveBlock?
    private var spare: ReceiveBlock?
    /// Bytes handed over since the last checkpoint began.
    private(set) var bytesSinceCheckpoint: UInt64 = 0

    init(_ store: PartStore, done: PartWriter.Written) throws(TransferFailure) {
        self.store = store
        writer = PartWriter(store, done: done)
        try writer.start()
    }

    deinit { writer.stop() }

    /// A block into which a full chunk may be received.
    func emptyBlock() throws(TransferFailure) -> ReceiveBlock {
        if let block = spare {
            spare = nil
            return block
        }
        return try writer.block()
    }

    /// Takes back a block that was not needed.
    func giveBack(_ block: ReceiveBlock) { spare = block }

    /// Writes a chunk. A chunk at the beginning of a block is handed over with it; any other is copied.
    func write(
        _ content: UnsafeRawBufferPointer, in block: ReceiveBlock?, file: UInt32, offset: UInt64, index: UInt64,
        checksum: Checksum
    ) throws(TransferFailure) {
        bytesSinceCheckpoint += UInt64(content.count)
        if let block {
            // Steps are handed over in the order of their arrival.
            try flush()
            block.append(
                .write(file: file, offset: offset, text: 0..<content.count, index: index, checksum: checksum))
            return try writer.submit(block)
        }
        var target = try gathering()
        var range = target.store(content)
        if range == nil {
            try flush()
            target = try gathering()
            range = target.store(content)
        }
        guard let range else { throw .invalid("a record larger than any may be") }
        try append(.write(file: file, offset: offset, text: range, index: index, checksum: checksum), to: target)
    }

    func punch(file: UInt32, offset: UInt64, length: UInt64, chunks: ChunkRun) throws(TransferFailure) {
        try append(.punch(file: file, offset: offset, length: length, chunks: chunks), to: gathering())
    }

    func complete(file: UInt32) throws(TransferFailure) { try append(.complete(file: file), to: gathering()) }

    /// Hands over the gathered steps.
    func flush() throws(TransferFailure) {
        guard let block = current, !block.isEmpty else { return }
        current = nil
        try writer.submit(block)
    }

    /// Hands everything over and waits until it is written. The caller may use ``store`` until the next step.
    func settle() throws(TransferFailure) {
        try flush()
        try writer.settle()
    }

    /// Takes the batch for a checkpoint that begins now.
    func drain() -> CheckpointThread.Batch {
        bytesSinceCheckpoint = 0
        let written = writer.drain()
        return CheckpointThread.Batch(
            runs: written.runs, bytesDone: written.bytesDone, filesDone: written.filesDone)
    }

    /// Writes what was handed over, as far as the disk takes it, and ends the thread.
    func stop() {
        try? flush()
        writer.stop()
    }

    private func gathering() throws(TransferFailure) -> ReceiveBlock {
        if let current { return current }
        let block = try emptyBlock()
        current = block
        return block
    }

    private func append(_ step: ReceiveBlock.Step, to block: ReceiveBlock) throws(TransferFailure) {
        block.append(step)
        if block.isFull { try flush() }
    }
}
