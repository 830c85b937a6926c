import CGD
import Glibc

/// Makes a small JPEG of a picture.
enum Preview {
    static func run() -> Int32 {
        guard Confinement.close(memory: MediaLimits.pictureMemory, time: MediaLimits.taskTime) else { return 4 }
        guard let bytes = Pipes.readAll(limit: MediaLimits.pictureFile) else { return 2 }
        // This is checked before anything is decoded, because a file of some kilobytes can claim gigabytes of pixels.
        guard let header = PictureHeader(bytes), header.pixels <= MediaLimits.pixels else { return 2 }
        guard let picture = Picture.decode(bytes, header.format), let small = scaled(picture) else { return 2 }
        gdImageDestroy(picture)
        guard let upright = Picture.turned(small, header.orientation) else { return 2 }
        return Picture.write(upright, limit: MediaLimits.previewBytes, qualities: [80, 65, 50, 35]) ? 0 : 2
    }

    /// The picture on white, not enlarged.
    private static func scaled(_ picture: gdImagePtr) -> gdImagePtr? {
        let (width, height) = (picture.pointee.sx, picture.pointee.sy)
        guard width > 0, height > 0 else { return nil }
        let longer = max(width, height)
        let side = min(longer, MediaLimits.previewSide)
        let (newWidth, newHeight) = (max(1, width * side / longer), max(1, height * side / longer))
        guard let small = Picture.canvas(newWidth, newHeight) else { return nil }
        gdImageCopyResampled(small, picture, 0, 0, 0, 0, newWidth, newHeight, width, height)
        return small
    }
}
