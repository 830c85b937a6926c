import CGD
import Glibc

/// Pictures in memory.
enum Picture {
    static func decode(_ bytes: [UInt8], _ format: PictureHeader.Format) -> gdImagePtr? {
        guard let count = Int32(exactly: bytes.count) else { return nil }
        var bytes = bytes
        return bytes.withUnsafeMutableBytes { buffer in
            switch format {
            case .png: gdImageCreateFromPngPtr(count, buffer.baseAddress)
            // A truncated photograph still shows its upper part.
            case .jpeg: gdImageCreateFromJpegPtrEx(count, buffer.baseAddress, 1)
            case .gif: gdImageCreateFromGifPtr(count, buffer.baseAddress)
            case .webp: gdImageCreateFromWebpPtr(count, buffer.baseAddress)
            }
        }
    }

    /// A white picture of that size.
    static func canvas(_ width: Int32, _ height: Int32) -> gdImagePtr? {
        guard let image = gdImageCreateTrueColor(width, height) else { return nil }
        gdImageFilledRectangle(image, 0, 0, width - 1, height - 1, 0xFFFFFF)
        return image
    }

    /// Turns a picture as the camera was held. The original is freed unless it is already upright.
    static func turned(_ picture: gdImagePtr, _ orientation: Int) -> gdImagePtr? {
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

    /// Writes the picture as a JPEG of at most `limit` bytes, as good as fits: the quality goes down first, then the
    /// size. Frees the picture.
    /// - Parameter saysSize: whether a line with width and height comes first.
    static func write(
        _ picture: gdImagePtr, head: String = "", limit: Int, qualities: [Int32], saysSize: Bool = false
    ) -> Bool {
        var picture = picture
        while true {
            for quality in qualities {
                var count: Int32 = 0
                guard let data = gdImageJpegPtr(picture, &count, quality) else { return false }
                defer { gdFree(data) }
                if count > 0, Int(count) <= limit {
                    let head = saysSize ? "\(picture.pointee.sx) \(picture.pointee.sy)\n" : head
                    return (head.isEmpty || Pipes.write(head))
                        && Pipes.write(UnsafeRawBufferPointer(start: data, count: Int(count)))
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
