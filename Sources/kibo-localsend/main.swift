import LocalSendBridge
import LocalSendGiver

if CommandLine.arguments.dropFirst().first == GiverProgram.word { GiverProgram.run() }
BridgeProgram.run(CommandLine.arguments)
