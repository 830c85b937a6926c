import Daemon

Kibod.run(CommandLine.arguments)
