import Glibc

/// Takes the first picture of a video of the user's own by becoming a program that can, with limits. The picture that
/// it writes goes through ``Preview`` like any other.
enum VideoFrame {
    /// Becomes the program; standard input is the video file.
    static func run() -> Int32 {
        guard Confinement.limitSuccessor(memory: MediaLimits.videoMemory, time: MediaLimits.taskTime) else { return 4 }
        let side = "\(MediaLimits.previewSide)"
        become(["ffmpegthumbnailer", "-i", "/proc/self/fd/0", "-o", "-", "-c", "png", "-s", side, "-t", "0"])
        become([
            "ffmpeg", "-v", "error", "-nostdin", "-protocol_whitelist", "file,pipe", "-i", "/proc/self/fd/0", "-an",
            "-frames:v", "1", "-vf", "scale=\(side):-2", "-f", "image2pipe", "-c:v", "png", "-",
        ])
        return 5
    }

    /// Becomes a program. Returns only if it is not installed.
    private static func become(_ command: [String]) {
        for folder in ["/usr/bin", "/usr/local/bin", "/bin"] {
            let path = folder + "/" + command[0]
            guard access(path, X_OK) == 0 else { continue }
            var arguments = command.map { strdup($0) } + [nil]
            var environment = [strdup("PATH=/usr/local/bin:/usr/bin:/bin"), strdup("LANG=C.UTF-8"), nil]
            execve(path, &arguments, &environment)
        }
    }
}
