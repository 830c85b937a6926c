import Basics
import Glibc

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
