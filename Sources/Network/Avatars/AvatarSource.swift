import Basics
import ControlProtocol
import Glibc
import Media
import Messaging
import Runtime
import Vocabulary

/// A picture that the user has chosen as avatar: kibo-media reads it, decodes it and makes it small. Blocking.
enum AvatarSource {
    /// - Returns: the avatar's file.
    static func avatar(at path: String, _ media: MediaProgram) throws(ControlError) -> [UInt8] {
        // Neither a pipe nor a device may hold us up.
        let file = open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC)
        guard file >= 0 else { throw unreadable(path, errno) }
        defer { close(file) }
        var status = stat()
        guard fstat(file, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
            throw refusal(.invalid, "\(shown(path)) is not a file", .givePicture)
        }
        switch media.avatar(of: file, until: SystemClocks().now + NetworkLimits.avatarTime) {
        case .avatar(let bytes): return bytes
        case .refused(let because): throw refusal(because, path)
        case .failed(let failure):
            guard !failure.isOurs else {
                throw ControlError(
                    .unsupported, "pictures can't be made small here: \(failure.detail)",
                    hint: .installMedia, field: "avatarPath")
            }
            throw refusal(.invalid, "\(shown(path)) can't be used as a picture: \(failure.detail)", .resavePicture)
        }
    }

    private static func refusal(_ because: AvatarRefusal, _ path: String) -> ControlError {
        switch because {
        case .type:
            refusal(.typeNotAllowed, "\(shown(path)) is not a picture that can be used", .givePicture)
        case .bytes(let most):
            refusal(
                .tooLarge, "\(shown(path)) is larger than \(SizeText.text(most))", .shrinkPicture,
                ["most": .integer(Int64(clamping: most))])
        case .pixels(let width, let height, let most):
            refusal(
                .tooLarge,
                "\(shown(path)) has \(width) × \(height) pixels; a picture may have \(most / 1_000_000) million",
                .shrinkPicture,
                [
                    "width": .integer(Int64(clamping: width)), "height": .integer(Int64(clamping: height)),
                    "pixels": .integer(Int64(clamping: most)),
                ])
        case .damaged:
            refusal(
                .invalid, "\(shown(path)) is damaged, or written in a way that can't be read here",
                .resavePicture)
        }
    }

    private static func unreadable(_ path: String, _ code: CInt) -> ControlError {
        let kind: Reason = code == ENOENT || code == ENOTDIR ? .notFound : .notAllowed
        return refusal(kind, "\(shown(path)) can't be read: \(describe(code))", .makeReadable)
    }

    private static func refusal(
        _ kind: Reason, _ message: String, _ hint: HintCode? = nil, _ parameters: JSONObject = [:]
    ) -> ControlError {
        ControlError(kind, message, hint: hint, parameters: parameters, field: "avatarPath")
    }

    private static func shown(_ path: String) -> String { ForeignText.escaped(path) }
}
