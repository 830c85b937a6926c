import Glibc
import HTTP
import LocalSend
import Reactor

/// A file that comes: its bytes go into a descriptor that the daemon has handed over.
@ReactorActor final class FileIntake {
    let exchange: Exchange
    let session: String
    /// What the device calls the file.
    let file: String
    private var descriptor: CInt?
    /// How it ends, as far as is known: whole, unless a write has failed or more came than was told.
    private(set) var outcome = BridgeReport.Outcome.whole
    /// Whether the end of the body has come.
    private(set) var isComplete = false

    init(_ exchange: Exchange, session: String, file: String) {
        self.exchange = exchange
        self.session = session
        self.file = file
    }

    /// Takes the descriptor into which the file goes, and owns it.
    /// - Parameters:
    ///   - count: notes bytes that come, and says whether they are wanted.
    ///   - completed: is called when the body has ended.
    func begin(
        _ descriptor: CInt, count: @escaping @ReactorActor (Int) -> Bool, completed: @escaping @ReactorActor () -> Void
    ) {
        close()
        self.descriptor = descriptor
        exchange.intake = .passed { [weak self] bytes in
            guard let self, outcome == .whole else { return true }
            outcome = count(bytes.count) ? write(bytes) : .broken
            // The device must not send gigabytes for nothing.
            if outcome != .whole { exchange.abort() }
            return true
        }
        exchange.whenComplete = { [weak self] in
            self?.isComplete = true
            completed()
        }
        exchange.wake()
    }

    private func write(_ bytes: UnsafeRawBufferPointer) -> BridgeReport.Outcome {
        guard let descriptor else { return .broken }
        var rest = bytes
        while !rest.isEmpty {
            let count = Glibc.write(descriptor, rest.baseAddress, rest.count)
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return count < 0 && (errno == ENOSPC || errno == EDQUOT) ? .full : .broken }
            rest = UnsafeRawBufferPointer(rebasing: rest[count...])
        }
        return .whole
    }

    /// Closes the descriptor: nothing is written any more.
    func close() {
        if let descriptor { Glibc.close(descriptor) }
        descriptor = nil
    }
}
