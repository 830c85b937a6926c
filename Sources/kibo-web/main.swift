import WebGateway

GatewayProgram.run(CommandLine.arguments)
