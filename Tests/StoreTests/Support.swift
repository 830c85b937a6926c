import Basics
import Glibc
import Store
import Threads

/// A directory of the test's own, removed with the value.
final class TemporaryDirectory: Sendable {
    let path: String

    init() throws {
        var template = Array("/tmp/kibo-store-XXXXXX".utf8CString)
        guard mkdtemp(&template) != nil else { throw StoreError.cannotOpen(path: "/tmp", reason: "mkdtemp") }
        path = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    var database: String { path + "/" + Store.fileName }

    /// The names of the files in it, sorted.
    var names: [String] {
        guard let stream = opendir(path) else { return [] }
        defer { closedir(stream) }
        var found: [String] = []
        while let entry = readdir(stream) {
            let name = withUnsafeBytes(of: &entry.pointee.d_name) {
                String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self)
            }
            if name != ".", name != ".." { found.append(name) }
        }
        return found.sorted()
    }

    deinit {
        for name in names { unlink(path + "/" + name) }
        rmdir(path)
    }
}

/// Clocks that a test sets.
final class ManualClocks: Clocks {
    private let time: Lock<Int64>

    init(milliseconds: Int64 = 1_700_000_000_000) { time = Lock(milliseconds) }

    var now: Instant { Instant(nanoseconds: UInt64(time.withLock { $0 }) * 1_000_000) }
    var wallTime: WallTime { WallTime(milliseconds: time.withLock { $0 }) }
    func advance(_ duration: Duration) { time.withLock { $0 += duration.milliseconds } }
}

/// Accounts, devices and ids by number, the same in every run.
enum Sample {
    static func account(_ number: UInt8) -> AccountID {
        AccountID(bytes: [UInt8](repeating: number, count: 32)) ?? AccountID(zeroKey)
    }

    static func device(_ number: UInt8) -> DeviceID {
        DeviceID(bytes: [UInt8](repeating: number, count: 32)) ?? DeviceID(zeroKey)
    }

    static func id(_ number: UInt64) -> UUIDv7 {
        UUIDv7(high: 0x018B_CFE5_6800_7000, low: 0x8000_0000_0000_0000 | number)
    }

    static let me = account(1)
    static let friend = account(2)
    static let other = account(3)
    static let conversation = id(1_000_000)

    static func message(
        _ number: UInt64, from sender: UInt8 = 1, hlc: UInt64? = nil, text: String = "hello",
        in conversation: UUIDv7 = conversation
    ) -> MessageRow {
        let time = WallTime(milliseconds: 1_700_000_000_000 + Int64(number))
        return MessageRow(
            id: id(number), conversation: conversation, sender: account(sender), senderDevice: device(sender),
            text: text, sentAt: time, receivedAt: time,
            hlc: HybridTime(rawValue: hlc ?? HybridTime(milliseconds: time.milliseconds).rawValue))
    }

    static func transfer(_ number: UInt64, peer: AccountID = friend, message: UUIDv7? = nil) -> TransferRow {
        TransferRow(
            id: id(number), direction: .incoming, peer: peer, message: message, name: "a.txt", size: 5,
            createdAt: WallTime(milliseconds: 1_700_000_000_000 + Int64(number)))
    }

    private static let zeroKey: Key32 = {
        guard let key = Key32([UInt8](repeating: 0, count: 32)) else { preconditionFailure("32 bytes are a key") }
        return key
    }()
}

/// A store in a directory of its own, with the sample conversation.
struct Fixture {
    let directory: TemporaryDirectory
    let clocks: ManualClocks
    let store: Store

    init(conversation: Bool = true) async throws {
        directory = try TemporaryDirectory()
        clocks = ManualClocks()
        store = try Store.open(directory: directory.path, clocks: clocks)
        if conversation {
            try await store.commit { _ = try $0.openConversation(with: Sample.friend, newID: Sample.conversation) }
        }
    }

    /// Closes the store and opens the same files again.
    func reopen() throws -> Store {
        store.close()
        return try Store.open(directory: directory.path, clocks: clocks)
    }
}

/// Blocks threads until it is opened.
final class Gate: Sendable {
    private let queue = JobQueue<Void>()
    func wait() { _ = queue.waitAndDrain() }
    func open() { queue.close() }
}

extension StoredObject {
    var isMessage: Bool { if case .message = self { true } else { false } }
}
