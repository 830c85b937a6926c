import Glibc

// kibo-media is the only program of Kibo that parses foreign media. kibod starts it. It reads standard input, writes
// standard output, and gives up its rights before it reads the first byte.
switch CommandLine.arguments.dropFirst().first {
case "types": exit(TypeServer.run())
case "preview": exit(Preview.run())
case "avatar": exit(Avatar.run(.own))
case "peer-avatar": exit(Avatar.run(.peer))
case "duration": exit(MediaDuration.run())
case "thumbnail": exit(Thumbnail.run(side: CommandLine.arguments.dropFirst(2).first))
case "frame": exit(VideoFrame.run())
case "codes": exit(Codes.run(CommandLine.arguments.dropFirst(2)))
case "self-test": exit(SelfTest.run())
default:
    _ = Pipes.write(
        "kibo-media: part of kibod, which starts it: types, preview, thumbnail, avatar, duration, frame, codes\n")
    exit(2)
}
