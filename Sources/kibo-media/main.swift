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
case "frame": exit(VideoFrame.run(side: CommandLine.arguments.dropFirst(2).first))
case "codes": exit(Codes.run(CommandLine.arguments.dropFirst(2)))
case "self-test":
    guard Confinement.close(memory: MediaLimits.typesMemory, time: MediaLimits.taskTime) else { exit(4) }
    for (name, failed) in Confinement.selfTest() { _ = Pipes.write("\(name) \(failed ? "refused" : "WORKED")\n") }
    exit(0)
default:
    _ = Pipes.write(
        "kibo-media: part of kibod, which starts it: types, preview, thumbnail, avatar, duration, frame, codes\n")
    exit(2)
}
