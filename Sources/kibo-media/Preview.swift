import CGD
import Glibc

/// Makes a small JPEG of a picture.
enum Preview {
    static func run() -> Int32 {
        guard Confinement.close(memory: MediaLimits.pictureMemory, time: MediaLimits.taskTime) else { return 4 }
        guard let bytes = Pipes.readAll(limit: MediaLimits.pictureFile),
            let upright = picture(bytes, side: MediaLimits.previewSide)
        else { return 2 }
        return Picture.write(upright, limit: MediaLimits.previewBytes, qualities: [80, 65, 50, 35]) ? 0 : 2
    }

    /// The picture upright, on white, within a square of that side; nil if the bytes are not a picture.
    static func picture(_ bytes: [UInt8], side: Int32) -> gdImagePtr? {
        // This is checked before anything is decoded, because a file of some kilobytes can claim gigabytes of pixels.
        guard let header = PictureHeader(bytes), header.pixels <= MediaLimits.pixels,
            let picture = Picture.decode(bytes, header.format)
        else { return nil }
        defer { gdImageDestroy(picture) }
        return scaled(picture, side).flatMap { Picture.turned($0, header.orientation) }
    }

    /// The picture on white, not enlarged.
    private static func scaled(_ picture: gdImagePtr, _ most: Int32) -> gdImagePtr? {
        let (width, height) = (picture.pointee.sx, picture.pointee.sy)
        guard width > 0, height > 0 else { return nil }
        let longer = max(width, height)
        let side = min(longer, most)
        let (newWidth, newHeight) = (max(1, width * side / longer), max(1, height * side / longer))
        guard let small = Picture.canvas(newWidth, newHeight) else { return nil }
        gdImageCopyResampled(small, picture, 0, 0, 0, 0, newWidth, newHeight, width, height)
        return small
    }
}
