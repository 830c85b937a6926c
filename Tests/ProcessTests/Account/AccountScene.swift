import Basics
import ControlProtocol
import Glibc
import TestSupport
import Testing
import Vocabulary

/// Steps that the tests of accounts with a passphrase share.
extension DaemonProcess {
    static let passphrase = "seven brave herons over the bay"

    /// Launches a daemon as ``launch(name:options:)`` does, with a passphrase.
    static func launchSealed(
        name: String, options: Options = Options(), remember: Bool = false
    ) throws -> DaemonProcess {
        let daemon = try DaemonProcess(name: name, options: options)
        try daemon.start()
        try daemon.set("files.allowedTypes", to: ["*"])
        try daemon.set("files.autoDownload", to: "never")
        try daemon.call(
            "account.create",
            ["displayName": .string(name), "passphrase": .string(passphrase), "remember": .bool(remember)])
        return daemon
    }

    func unlock(_ passphrase: String = passphrase) throws -> Account {
        try Account(json: call("account.unlock", ["passphrase": .string(passphrase)]))
    }

    /// Returns the kind of the refusal; nil if the call was not refused.
    func refusal(_ method: String, _ params: JSONObject = [:]) throws -> Reason? {
        do {
            try call(method, params)
            return nil
        } catch ClientError.refused(let error) { return error.kind }
    }

    /// The number of descriptors that the process has open.
    var openFiles: Int { pid.map { TemporaryDirectory.names(in: "/proc/\($0)/fd").count } ?? 0 }

    /// Returns whether the bytes are anywhere in the process's memory.
    /// - Throws: ``SystemError`` if this process may not read that memory.
    func remembers(_ bytes: [UInt8]) throws -> Bool {
        let pid = try #require(self.pid)
        let memory = open("/proc/\(pid)/mem", O_RDONLY | O_CLOEXEC)
        guard memory >= 0 else { throw SystemError("open memory") }
        defer { close(memory) }
        for line in try TextFile.text("/proc/\(pid)/maps").split(separator: "\n") {
            let fields = line.split(separator: " ")
            let ends = fields[0].split(separator: "-").compactMap { UInt64($0, radix: 16) }
            guard ends.count == 2, fields.count > 1, fields[1].hasPrefix("rw") else { continue }
            var start = ends[0]
            var buffer = [UInt8](repeating: 0, count: 1 << 20)
            while start < ends[1] {
                let count = pread(memory, &buffer, Int(min(UInt64(buffer.count), ends[1] - start)), off_t(start))
                if count <= 0 { break }
                if buffer.withUnsafeBytes({ Self.holds($0[..<count], bytes) }) { return true }
                // The bytes may lie across the edge of two pieces.
                start += UInt64(max(1, count - (start + UInt64(count) < ends[1] ? bytes.count : 0)))
            }
        }
        return false
    }

    private static func holds(_ memory: UnsafeRawBufferPointer.SubSequence, _ bytes: [UInt8]) -> Bool {
        guard let base = UnsafeRawBufferPointer(rebasing: memory).baseAddress, let first = bytes.first else {
            return false
        }
        var start = 0
        while memory.count - start >= bytes.count, let found = memchr(base + start, CInt(first), memory.count - start) {
            let place = UnsafeRawPointer(found)
            start = place - base
            if memory.count - start >= bytes.count, memcmp(place, bytes, bytes.count) == 0 { return true }
            start += 1
        }
        return false
    }
}
