import CGD

/// Makes a JPEG of a picture that fits a square of a given side, behind a line with its width and height.
enum Thumbnail {
    static func run(side: String?) -> Int32 {
        guard Confinement.close(memory: MediaLimits.pictureMemory, time: MediaLimits.taskTime) else { return 4 }
        guard let side = side.flatMap({ Int32($0) }), let limit = MediaLimits.thumbnails[side] else { return 2 }
        guard let bytes = Pipes.readAll(limit: MediaLimits.pictureFile),
            let upright = Preview.picture(bytes, side: side)
        else { return 2 }
        return Picture.write(upright, limit: limit, qualities: [85, 70, 55, 40], saysSize: true) ? 0 : 2
    }
}
