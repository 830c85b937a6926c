import Basics
import Crypto

/// A login as it stands in the file: 256 bytes at its place, with a checksum, so that a write that was cut leaves no login
/// and no wrong one.
package enum LoginRecord {
    /// Bytes of a place.
    package static let size = 256
    private static let mark = Array("kibo1".utf8)
    private static let checksumBytes = 16

    /// An empty place.
    package static let empty = [UInt8](repeating: 0, count: size)

    package static func encode(_ login: Login) -> [UInt8] {
        let id = Hex.decode(login.id) ?? []
        let agent = Array(login.agent.utf8.prefix(WebLimits.agentBytes))
        var bytes = mark + [UInt8(agent.count)]
        bytes += id + [UInt8](repeating: 0, count: max(0, 8 - id.count))
        bytes += login.hash + number(login.created.milliseconds) + number(login.used.milliseconds) + agent
        bytes += [UInt8](repeating: 0, count: max(0, size - checksumBytes - bytes.count))
        return bytes + Blake2b.hash(bytes, length: checksumBytes)
    }

    /// Reads a place; nil if it is empty or damaged.
    package static func decode(_ bytes: [UInt8]) -> Login? {
        guard bytes.count == size, bytes.starts(with: mark) else { return nil }
        let body = bytes.dropLast(checksumBytes)
        guard Blake2b.hash(body, length: checksumBytes).elementsEqual(bytes.suffix(checksumBytes)) else { return nil }
        let agent = Int(bytes[5])
        guard agent <= WebLimits.agentBytes else { return nil }
        return Login(
            id: Hex.encode(bytes[6..<14]), hash: Array(bytes[14..<46]), created: time(bytes[46..<54]),
            used: time(bytes[54..<62]), agent: String(decoding: bytes[62..<(62 + agent)], as: UTF8.self))
    }

    /// Reads the places of a whole file. An incomplete place at its end is ignored.
    package static func places(_ bytes: [UInt8]) -> [Login?] {
        stride(from: 0, to: bytes.count - bytes.count % size, by: size).map { decode(Array(bytes[$0..<($0 + size)])) }
    }

    private static func number(_ value: Int64) -> [UInt8] {
        (0..<8).map { UInt8(truncatingIfNeeded: value >> Int64(56 - 8 * $0)) }
    }

    private static func time(_ bytes: ArraySlice<UInt8>) -> WallTime {
        WallTime(milliseconds: Int64(bitPattern: bytes.reduce(UInt64(0)) { $0 << 8 | UInt64($1) }))
    }
}
