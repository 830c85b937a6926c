import CGD
import Glibc

/// Makes a person's avatar: the square in the middle of a picture, scaled down. It keeps nothing but pixels, so place,
/// time and camera are dropped.
///
/// The answer is a line: `avatar` followed by the JPEG, or `refused` with the reason.
enum Avatar {
    /// The origin of the picture.
    enum Source {
        /// The user's own choice.
        case own
        /// A picture that a friend has sent.
        case peer

        var file: Int { self == .own ? MediaLimits.pictureFile : MediaLimits.peerAvatarFile }

        func allows(_ header: PictureHeader) -> Bool {
            switch self {
            case .own: header.pixels <= MediaLimits.avatarPixels
            case .peer: max(header.width, header.height) <= MediaLimits.peerAvatarSide
            }
        }

        /// The most pixels, for the text of a refusal.
        var pixels: Int {
            self == .own ? MediaLimits.avatarPixels : MediaLimits.peerAvatarSide * MediaLimits.peerAvatarSide
        }
    }

    static func run(_ source: Source) -> Int32 {
        guard Confinement.close(memory: MediaLimits.pictureMemory, time: MediaLimits.taskTime) else { return 4 }
        guard let bytes = Pipes.readAll(limit: source.file) else { return refuse("bytes \(source.file)") }
        guard let header = PictureHeader(bytes), source == .own || header.format == .png || header.format == .jpeg
        else {
            return refuse("type")
        }
        // This is checked before anything is decoded, because a file of some kilobytes can claim gigabytes of pixels.
        guard source.allows(header) else { return refuse("pixels \(header.width) \(header.height) \(source.pixels)") }
        guard let picture = Picture.decode(bytes, header.format), let square = square(of: picture) else {
            return refuse("damaged")
        }
        gdImageDestroy(picture)
        guard let upright = Picture.turned(square, header.orientation) else { return refuse("damaged") }
        let isWritten = Picture.write(
            upright, head: "avatar\n", limit: MediaLimits.avatarBytes, qualities: [90, 80, 65, 50])
        return isWritten ? 0 : 2
    }

    private static func refuse(_ because: String) -> Int32 {
        _ = Pipes.write("refused \(because)\n")
        return 2
    }

    /// The middle square on white, not enlarged.
    private static func square(of picture: gdImagePtr) -> gdImagePtr? {
        let (width, height) = (picture.pointee.sx, picture.pointee.sy)
        let side = min(width, height)
        guard side > 0 else { return nil }
        let newSide = min(side, MediaLimits.avatarSide)
        guard let small = Picture.canvas(newSide, newSide) else { return nil }
        gdImageCopyResampled(
            small, picture, 0, 0, (width - side) / 2, (height - side) / 2, newSide, newSide, side, side)
        return small
    }
}
