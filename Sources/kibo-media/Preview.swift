import CGD
import Glibc

/// Makes a small JPEG of a picture.
enum Preview {
    static func run() -> Int32 {
        guard Confinement.close(memory: MediaLimits.pictureMemory, time: MediaLimits.taskTime) else { return 4 }
        guard let bytes = Pipes.readAll(limit: MediaLimits.pictureFile) else { return 2 }
        // Before anything is decoded: some kilobytes can say that they are a picture of gigabytes.
        guard let header = PictureHeader(bytes), header.pixels <= MediaLimits.pixels else { return 2 }
        guard let count = Int32(exactly: bytes.count), let picture = decode(bytes, count, header.format) else {
            return 2
        }
        guard let small = scaled(picture) else { return 2 }
        gdImageDestroy(picture)
        guard let upright = turned(small, header.orientation) else { return 2 }
        return write(upright) ? 0 : 2
    }

    private static func decode(_ bytes: [UInt8], _ count: Int32, _ format: PictureHeader.Format) -> gdImagePtr? {
        var bytes = bytes
        return bytes.withUnsafeMutableBytes { buffer in
            switch format {
            case .png: gdImageCreateFromPngPtr(count, buffer.baseAddress)
            // A photograph that was cut short still shows its upper part.
            case .jpeg: gdImageCreateFromJpegPtrEx(count, buffer.baseAddress, 1)
            case .gif: gdImageCreateFromGifPtr(count, buffer.baseAddress)
            }
        }
    }

    /// On white, no larger than it was.
    private static func scaled(_ picture: gdImagePtr) -> gdImagePtr? {
        let (width, height) = (picture.pointee.sx, picture.pointee.sy)
        guard width > 0, height > 0 else { return nil }
        let longer = max(width, height)
        let side = min(longer, MediaLimits.previewSide)
        let (newWidth, newHeight) = (max(1, width * side / longer), max(1, height * side / longer))
        guard let small = canvas(newWidth, newHeight) else { return nil }
        gdImageCopyResampled(small, picture, 0, 0, 0, 0, newWidth, newHeight, width, height)
        return small
    }

    private static func canvas(_ width: Int32, _ height: Int32) -> gdImagePtr? {
        guard let image = gdImageCreateTrueColor(width, height) else { return nil }
        gdImageFilledRectangle(image, 0, 0, width - 1, height - 1, 0xFFFFFF)
        return image
    }

    /// As the camera was held.
    private static func turned(_ picture: gdImagePtr, _ orientation: Int) -> gdImagePtr? {
        guard orientation != 1 else { return picture }
        let (width, height) = (picture.pointee.sx, picture.pointee.sy)
        let isOnSide = orientation >= 5
        guard let result = canvas(isOnSide ? height : width, isOnSide ? width : height) else { return nil }
        for y in 0..<height {
            for x in 0..<width {
                let (right, down) = (width - 1 - x, height - 1 - y)
                let place: (x: Int32, y: Int32) =
                    switch orientation {
                    case 2: (right, y)
                    case 3: (right, down)
                    case 4: (x, down)
                    case 5: (y, x)
                    case 6: (down, x)
                    case 7: (down, right)
                    default: (y, right)
                    }
                gdImageSetPixel(result, place.x, place.y, gdImageGetTrueColorPixel(picture, x, y))
            }
        }
        gdImageDestroy(picture)
        return result
    }

    /// As good as fits: first the quality goes down, then the size.
    private static func write(_ picture: gdImagePtr) -> Bool {
        var picture = picture
        while true {
            for quality: Int32 in [80, 65, 50, 35] {
                var count: Int32 = 0
                guard let data = gdImageJpegPtr(picture, &count, quality) else { return false }
                defer { gdFree(data) }
                if count > 0, Int(count) <= MediaLimits.previewBytes {
                    return Pipes.write(UnsafeRawBufferPointer(start: data, count: Int(count)))
                }
            }
            let (width, height) = (picture.pointee.sx, picture.pointee.sy)
            guard width > 32, height > 32, let smaller = canvas(width / 2, height / 2) else { return false }
            gdImageCopyResampled(smaller, picture, 0, 0, 0, 0, width / 2, height / 2, width, height)
            gdImageDestroy(picture)
            picture = smaller
        }
    }
}
