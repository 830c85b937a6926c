import Basics
import CLinux
import ControlProtocol
import Glibc
import Messaging
import Reactor
import Threads

/// The way into the file of an upload: a socket whose other end a client has. The daemon writes what comes, so that no
/// client can write more than it announced or than there is room for, or to a finished file.
@ReactorActor final class UploadIntake {
    private let tap: UploadTap
    private let worker: WorkerThread
    private var watch: DescriptorWatch?
    private var isOver = false
    private let over: @ReactorActor (UploadIntake) -> Void

    /// - Parameters:
    ///   - worker: the thread that writes.
    ///   - over: called once, when nothing more is taken.
    init(
        _ tap: UploadTap, worker: WorkerThread, over: @escaping @ReactorActor (UploadIntake) -> Void
    ) throws(SocketError) {
        self.tap = tap
        self.worker = worker
        self.over = over
        try wait()
    }

    private func wait() throws(SocketError) {
        watch = try DescriptorWatch(tap.socket.number) { [self] in pour() }
    }

    private func rest() {
        watch?.close()
        watch = nil
    }

    private func pour() {
        // Until the worker has read what is there, the socket would be reported again and again.
        rest()
        let tap = tap
        let isTaken = worker.submit {
            let end = tap.pour()
            Reactor.shared.post { self.poured(end) }
        }
        if !isTaken { close() }
    }

    private func poured(_ end: UploadEnd?) {
        guard !isOver else { return }
        if let end {
            tap.say(end)
            return close()
        }
        do { try wait() } catch { close() }
    }

    /// Takes what has come, and nothing more.
    func end() async {
        guard !isOver else { return }
        isOver = true
        rest()
        let tap = tap
        if let end = try? await worker.run({ tap.pour() }) { tap.say(end) }
        tap.close()
        over(self)
    }

    /// Takes nothing more.
    func close() {
        guard !isOver else { return }
        isOver = true
        rest()
        tap.close()
        over(self)
    }
}

/// Copies the bytes of an upload from a socket into its file, within bounds. It blocks while the disk does, and waits for no client.
struct UploadTap: Sendable {
    let socket: Descriptor
    /// Open at its end.
    let file: Descriptor
    /// Bytes that were there before.
    let start: Int64
    /// Bytes that the file may have.
    let most: Int64
    let policy: FilePolicy
    /// Why nothing more is written.
    private let failure = Lock<UploadEnd?>(nil)

    init(socket: Descriptor, file: Descriptor, start: Int64, most: Int64, policy: FilePolicy) {
        self.socket = socket
        self.file = file
        self.start = start
        self.most = most
        self.policy = policy
    }

    /// Writes what has come.
    /// - Returns: nil while there may be more.
    func pour() -> UploadEnd? {
        if let failure = failure.withLock({ $0 }) { return failure }
        let end = read()
        if let end, end != .written { failure.withLock { $0 = end } }
        return end
    }

    private func read() -> UploadEnd? {
        withUnsafeTemporaryAllocation(byteCount: ControlLimits.uploadRead, alignment: 16) { buffer in
            for _ in 0..<ControlLimits.uploadReads {
                let count = recv(socket.number, buffer.baseAddress, buffer.count, CInt(MSG_DONTWAIT))
                if count < 0, errno == EINTR { continue }
                if count < 0 { return errno == EAGAIN ? nil : .failed }
                if count == 0 { return .written }
                if let end = write(UnsafeRawBufferPointer(rebasing: buffer[..<count])) { return end }
            }
            return nil
        }
    }

    private func write(_ bytes: UnsafeRawBufferPointer) -> UploadEnd? {
        let position = Int64(lseek(file.number, 0, SEEK_CUR))
        guard position >= 0, Int64(bytes.count) <= most - position else {
            // We can't tell which part of it was meant.
            ftruncate(file.number, off_t(start))
            return .tooMuch
        }
        var figures = statvfs()
        guard
            fstatvfs(file.number, &figures) != 0
                || policy.fits(UInt64(bytes.count), in: figures.freeBytes, promised: 0)
        else { return .noSpace }
        var rest = bytes
        while !rest.isEmpty {
            let count = Glibc.write(file.number, rest.baseAddress, rest.count)
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return errno == ENOSPC || errno == EDQUOT ? .noSpace : .failed }
            rest = UnsafeRawBufferPointer(rebasing: rest[count...])
        }
        return nil
    }

    /// Tells the client what happened to its bytes.
    func say(_ end: UploadEnd) {
        var byte = end.rawValue
        _ = send(socket.number, &byte, 1, CInt(MSG_DONTWAIT | MSG_NOSIGNAL))
    }

    /// Ends the socket for the client, even if others still hold it.
    func close() { shutdown(socket.number, CInt(SHUT_RDWR)) }
}
