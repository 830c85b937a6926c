import Basics
import Glibc
import Messaging
import Runtime
import Threads

/// kibo-media, the program that looks into other people's files so that the daemon needn't. It is found beside the
/// daemon, started when it is needed, and killed when it takes too long.
package final class MediaProgram: Sendable {
    /// Why kibo-media gave no result.
    package struct Failure: Error, CustomStringConvertible {
        package let detail: String
        /// Whether the program could not be started, so that the file is not to blame.
        package var isOurs = false

        package var description: String { detail }
    }

    /// Nil if the program is not installed. Then only names tell the types of files, and there are no previews.
    package let path: String?
    private let patience: Duration
    let log: Logger
    private let workers = Lock(Workers())

    /// - Parameter patience: how long telling one type may take.
    package init(path: String? = MediaProgram.find(), patience: Duration = MediaLimits.mediaAnswer, log: Logger) {
        self.path = path
        self.patience = patience
        self.log = log
    }

    /// Looks beside the daemon's own file, and where packages put such programs.
    /// - Parameter name: of the program.
    package static func find(_ name: String = "kibo-media") -> String? {
        var buffer = [CChar](repeating: 0, count: Int(PATH_MAX))
        let count = readlink("/proc/self/exe", &buffer, buffer.count - 1)
        guard count > 0 else { return nil }
        let program = String(decoding: buffer[..<count].map { UInt8(bitPattern: $0) }, as: UTF8.self)
        guard let slash = program.lastIndex(of: "/") else { return nil }
        let folder = program[..<slash]
        return ["/", "/../libexec/kibo/", "/../lib/kibo/", "/../bin/"]
            .map { folder + $0 + name }.first { access($0, X_OK) == 0 }
    }

    // MARK: Types

    /// Tells what a file's beginning is. Blocking. Each sender has a process of its own, which looks at one file at a
    /// time: a file that harms the process harms no other sender's. A worker that is gone is started again, once: a
    /// file that kills it twice is at fault itself.
    /// - Parameters:
    ///   - origin: whose file it is.
    ///   - onlyForm: whether the form is enough, which is told quickly; the media type is then a general one.
    package func type(
        of bytes: UnsafeRawBufferPointer, from origin: MediaOrigin, onlyForm: Bool = false
    ) throws(Failure) -> ContentType {
        guard let path else { throw Failure(detail: "kibo-media is not installed") }
        let (worker, stops) = workers.withLock { ($0.begin(origin), $0.stops) }
        defer { for idle in workers.withLock({ $0.end(origin) }) { idle.end() } }
        let answer = worker.turn.withLock { _ -> Result<ContentType, Failure> in
            // A worker that had nothing to do may have ended.
            if worker.running?.hasEnded == true { worker.end() }
            var last = Failure(detail: "the daemon stops", isOurs: true)
            for _ in 0..<2 where workers.withLock({ $0.stops }) == stops {
                do throws(Failure) {
                    return .success(try ask(worker.start(path), bytes, onlyForm))
                } catch {
                    worker.end()
                    last = error
                    log.warning("the type of a file could not be told", [("because", error.detail)])
                }
            }
            return .failure(last)
        }
        return try answer.get()
    }

    private func ask(
        _ child: MediaChild, _ bytes: UnsafeRawBufferPointer, _ onlyForm: Bool
    ) throws(Failure) -> ContentType {
        let deadline = SystemClocks().now + patience
        let part = UnsafeRawBufferPointer(rebasing: bytes.prefix(MediaLimits.mediaBeginning))
        var head: [UInt8] = []
        for shift in [24, 16, 8, 0] { head.append(UInt8(truncatingIfNeeded: part.count >> shift)) }
        if onlyForm { head[0] |= 0x80 }
        try child.write(head, until: deadline)
        try child.write(part, until: deadline)
        let newline = UInt8(ascii: "\n")
        let line = try child.read(limit: 512, until: deadline) { $0.last == newline }
        guard line.last == newline, let type = ContentType(line: String(decoding: line.dropLast(), as: UTF8.self))
        else {
            throw Failure(detail: "kibo-media gave no answer")
        }
        return type
    }

    // MARK: What is shown

    /// A small version of a picture; nil if it can't be made in time. Blocking.
    /// - Parameter file: open for reading; its position moves.
    package func preview(ofPicture file: CInt, until deadline: Instant) -> [UInt8]? {
        preview { path throws(Failure) in
            try Self.preview(from: MediaChild(path, ["preview"], file: file), until: deadline)
        }
    }

    /// A small picture of a video's beginning; nil if it can't be made in time. Blocking.
    ///
    /// No program of ours decodes videos: kibo-media becomes one of the host's that does. So the user's own videos have
    /// a preview, and no other video gets one.
    /// - Parameters:
    ///   - file: open for reading; its position moves.
    ///   - origin: whose video it is.
    package func preview(ofFilm file: CInt, from origin: MediaOrigin, until deadline: Instant) -> [UInt8]? {
        guard origin == .own else { return nil }
        return preview { path throws(Failure) in
            let frame = try MediaChild(path, ["frame"], file: file)
            defer { frame.finish() }
            let bytes = try frame.read(limit: MediaLimits.frameBytes, until: deadline) { _ in false }
            guard !bytes.isEmpty else { return nil }
            let picture = try MediaChild(path, ["preview"])
            try picture.write(bytes, until: deadline)
            picture.endInput()
            return try Self.preview(from: picture, until: deadline)
        }
    }

    private func preview(_ make: (_ path: String) throws(Failure) -> [UInt8]?) -> [UInt8]? {
        guard let path else { return nil }
        do throws(Failure) { return try make(path) } catch {
            log.info("there is no preview of a file", [("because", error.detail)])
            return nil
        }
    }

    private static func preview(from child: MediaChild, until deadline: Instant) throws(Failure) -> [UInt8]? {
        defer { child.finish() }
        let bytes = try child.read(limit: PreviewRules.bytes, until: deadline) { _ in false }
        return PreviewRules.isPicture(bytes) ? bytes : nil
    }

    /// How long audio or video lasts, in milliseconds; nil if that can't be told. Blocking.
    package func duration(of file: CInt, until deadline: Instant) -> Int64? {
        guard let path, let child = try? MediaChild(path, ["duration"], file: file) else { return nil }
        defer { child.finish() }
        guard let bytes = try? child.read(limit: 32, until: deadline, isEnough: { _ in false }) else { return nil }
        return Int64(String(decoding: bytes.dropLast(), as: UTF8.self)).flatMap { $0 >= 0 ? $0 : nil }
    }

    /// The process that tells the types of a sender's files; nil while there is none.
    func workerPID(of origin: MediaOrigin) -> CInt? {
        workers.withLock { $0.all[origin] }?.running.flatMap { $0.hasEnded ? nil : $0.pid }
    }

    /// How many senders have a process.
    var workerCount: Int { workers.withLock { $0.all.count } }

    /// Ends all processes that run. A thread that waits for an answer gets none.
    package func stop() {
        let (idle, busy) = workers.withLock { $0.stop() }
        for worker in idle { worker.end() }
        for worker in busy { worker.running?.kill() }
    }

    /// A sender's process, which may not have been started yet.
    private final class Worker: Sendable {
        /// Held by the thread that asks, so that one asks at a time.
        let turn = Lock(())
        let child = Lock<MediaChild?>(nil)
        var running: MediaChild? { child.withLock { $0 } }

        /// Returns the child that runs, or a new one.
        func start(_ path: String) throws(Failure) -> MediaChild {
            if let running { return running }
            let new = try MediaChild(path, ["types"])
            child.withLock { $0 = new }
            return new
        }

        /// Ends the child. No thread may be asking it.
        func end() {
            running?.finish()
            child.withLock { $0 = nil }
        }
    }

    /// The senders that have a process. As many are at work as transfers that look at a file; a few of the others stay.
    private struct Workers {
        private(set) var all: [MediaOrigin: Worker] = [:]
        private var askers: [MediaOrigin: Int] = [:]
        /// Senders whose process is idle, in the order in which they became idle.
        private var idle: [MediaOrigin] = []
        private(set) var stops = 0

        /// - Returns: the workers that no thread asks, which are gone from here, and the workers that a thread is
        ///   asking.
        mutating func stop() -> (idle: [Worker], busy: [Worker]) {
            stops += 1
            let workers = idle.compactMap { all.removeValue(forKey: $0) }
            idle = []
            return (workers, Array(all.values))
        }

        mutating func begin(_ sender: MediaOrigin) -> Worker {
            askers[sender, default: 0] += 1
            idle.removeAll { $0 == sender }
            if let worker = all[sender] { return worker }
            let worker = Worker()
            all[sender] = worker
            return worker
        }

        /// - Returns: the workers that are needed no more.
        mutating func end(_ sender: MediaOrigin) -> [Worker] {
            let left = askers[sender, default: 1] - 1
            askers[sender] = left > 0 ? left : nil
            if left <= 0 { idle.append(sender) }
            guard idle.count > MediaLimits.idleMediaWorkers else { return [] }
            return [all.removeValue(forKey: idle.removeFirst())].compactMap { $0 }
        }
    }
}

/// Why a picture can't be an avatar.
package enum AvatarRefusal: Hashable, Sendable {
    /// The file is no picture, or has a format that is not read here.
    case type
    /// The file is larger than this.
    case bytes(most: UInt64)
    case pixels(width: Int, height: Int, most: Int)
    case damaged

    /// For the log.
    package var text: String {
        switch self {
        case .type: "it is no picture of a kind that is read here"
        case .bytes(let most): "it is larger than \(most) bytes"
        case .pixels(let width, let height, let most): "it has \(width) × \(height) pixels, more than \(most)"
        case .damaged: "it is damaged"
        }
    }

    /// Reads the words behind `refused`; nil for others.
    package init?(_ words: [Substring]) {
        let numbers = words.dropFirst().compactMap { Int($0) }
        switch (words.first, numbers.count) {
        case ("type", 0): self = .type
        case ("bytes", 1): self = .bytes(most: UInt64(clamping: numbers[0]))
        case ("pixels", 3): self = .pixels(width: numbers[0], height: numbers[1], most: numbers[2])
        case ("damaged", 0): self = .damaged
        default: return nil
        }
    }
}

/// The result of making an avatar.
package enum AvatarAnswer: Sendable {
    /// A square JPEG of at most ``MediaLimits/avatarBytes``, without anything but its pixels.
    case avatar([UInt8])
    case refused(AvatarRefusal)
    /// No answer could be found.
    case failed(MediaProgram.Failure)
}

extension MediaProgram {
    /// Makes an avatar from a picture that the user has chosen. Blocking.
    /// - Parameter file: open for reading; its position moves.
    package func avatar(of file: CInt, until deadline: Instant) -> AvatarAnswer {
        avatar("avatar", file: file, input: [], until: deadline)
    }

    /// Makes an avatar from what a friend has sent. It is stricter, for the file may be hostile. Blocking.
    package func avatar(ofPeer file: [UInt8], until deadline: Instant) -> AvatarAnswer {
        avatar("peer-avatar", file: nil, input: file, until: deadline)
    }

    private func avatar(_ word: String, file: CInt?, input: [UInt8], until deadline: Instant) -> AvatarAnswer {
        guard let path else { return .failed(Failure(detail: "kibo-media is not installed", isOurs: true)) }
        do throws(Failure) {
            let child = try MediaChild(path, [word], file: file)
            defer { child.finish() }
            if file == nil {
                try child.write(input, until: deadline)
                child.endInput()
            }
            let limit = MediaLimits.avatarBytes + 256
            let bytes = try child.read(limit: limit, until: deadline) { _ in false }
            return try Self.answer(bytes)
        } catch {
            return .failed(error)
        }
    }

    /// Reads a line, and the picture behind it.
    private static func answer(_ bytes: [UInt8]) throws(Failure) -> AvatarAnswer {
        guard let end = bytes.prefix(128).firstIndex(of: UInt8(ascii: "\n")) else {
            throw Failure(detail: "what decodes pictures has ended")
        }
        let words = String(decoding: bytes[..<end], as: UTF8.self).split(separator: " ")
        let avatar = Array(bytes[(end + 1)...])
        if words.first == "refused", let refusal = AvatarRefusal(Array(words.dropFirst())) { return .refused(refusal) }
        guard words == ["avatar"], avatar.starts(with: [0xFF, 0xD8, 0xFF]), avatar.count <= MediaLimits.avatarBytes
        else { throw Failure(detail: "what decodes pictures gave no answer") }
        return .avatar(avatar)
    }
}

extension MediaProgram {
    /// The texts of the QR codes in a picture, each once. Blocking.
    ///
    /// A picture that takes too long, or that ends the program, has none that can be read.
    /// - Parameters:
    ///   - greys: a byte for each pixel, row by row, 0 for black.
    ///   - size: width and height in pixels, whose product is the number of greys.
    /// - Throws: ``Failure`` where the program could not be started.
    package func codes(
        in greys: [UInt8], size: (width: Int64, height: Int64), until deadline: Instant
    ) throws(Failure) -> [String] {
        guard let path else { throw Failure(detail: "kibo-media is not installed", isOurs: true) }
        let child = try MediaChild(path, ["codes", "\(size.width)", "\(size.height)"])
        defer { child.finish() }
        do throws(Failure) {
            try child.write(greys, until: deadline)
            child.endInput()
            return Self.texts(try child.read(limit: MediaLimits.codeTexts, until: deadline) { _ in false })
        } catch {
            log.info("a picture could not be looked through for codes", [("because", error.detail)])
            return []
        }
    }

    /// Splits texts that each end in a NUL. A rest after the last NUL was cut off and is dropped.
    static func texts(_ bytes: [UInt8]) -> [String] {
        var texts: [String] = []
        for part in bytes.split(separator: 0, omittingEmptySubsequences: false).dropLast() {
            guard texts.count < MediaLimits.codes, 1...MediaLimits.codeText ~= part.count,
                let text = String(validating: part, as: UTF8.self), !texts.contains(text)
            else { continue }
            texts.append(text)
        }
        return texts
    }
}

/// A small picture for a page: a JPEG that kibo-media has made.
package struct Thumbnail: Sendable {
    package let width: Int64
    package let height: Int64
    package let jpeg: [UInt8]
}

extension MediaProgram {
    /// Makes a thumbnail of a picture's file. Blocking.
    /// - Parameters:
    ///   - file: open for reading; its position moves.
    ///   - side: pixels of the longer side, 320 or 1280.
    /// - Returns: nil if it can't be made in time.
    package func thumbnail(of file: CInt, side: Int64, until deadline: Instant) -> Thumbnail? {
        guard let path else { return nil }
        do throws(Failure) {
            return try read(MediaChild(path, ["thumbnail", "\(side)"], file: file), until: deadline)
        } catch {
            return nil
        }
    }

    /// Makes a thumbnail of a picture in memory, such as an offer's preview. A peer's picture is re-encoded. Blocking.
    package func thumbnail(of picture: [UInt8], side: Int64, until deadline: Instant) -> Thumbnail? {
        guard let path else { return nil }
        do throws(Failure) {
            let child = try MediaChild(path, ["thumbnail", "\(side)"])
            try child.write(picture, until: deadline)
            child.endInput()
            return try read(child, until: deadline)
        } catch {
            return nil
        }
    }

    /// Reads a line with width and height, and the picture behind it.
    private func read(_ child: MediaChild, until deadline: Instant) throws(Failure) -> Thumbnail? {
        defer { child.finish() }
        let bytes = try child.read(limit: MediaLimits.thumbnailBytes, until: deadline) { _ in false }
        guard let end = bytes.prefix(32).firstIndex(of: UInt8(ascii: "\n")) else { return nil }
        let numbers = String(decoding: bytes[..<end], as: UTF8.self).split(separator: " ").compactMap { Int64($0) }
        let jpeg = Array(bytes[(end + 1)...])
        guard numbers.count == 2, jpeg.starts(with: [0xFF, 0xD8, 0xFF]) else { return nil }
        return Thumbnail(width: numbers[0], height: numbers[1], jpeg: jpeg)
    }
}
