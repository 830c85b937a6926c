import LocalSendBridge

BridgeProgram.run(CommandLine.arguments)
