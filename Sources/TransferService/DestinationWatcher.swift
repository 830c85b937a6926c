import Basics
import ControlProtocol
import Messaging
import Network
import Reactor
import Runtime
import Threads

/// Looks at the download directory, on a thread of its own: a file system that hangs must hold up only offers, and
/// those not for long.
@ReactorActor package final class DestinationWatcher: DownloadInspector {
    private let thread: WorkerThread
    /// Nil where files come over this host's own loopback only.
    private let link: MeteredLink?
    private let settings: Settings
    /// Whether a look has not returned yet.
    private var isStuck = false

    package init(link: MeteredLink?, settings: Settings) throws(ThreadError) {
        thread = try WorkerThread(name: "destination")
        self.link = link
        self.settings = settings
    }

    /// Looks at the directory where received files go, and at the folders that `files.folders` names.
    package func lookAtDownloads(then: @escaping @ReactorActor (Destination) -> Void) {
        let folders = settings[SettingsCatalogue.filesFolders].compactMap { FolderRule($0)?.folder }
        look(at: settings[SettingsCatalogue.filesDownloadDirectory], and: folders, then: then)
    }

    /// Reports what can be found out about a directory. That takes a few seconds at most.
    package func look(
        at directory: String, and folders: [String] = [], then: @escaping @ReactorActor (Destination) -> Void
    ) {
        guard !isStuck else { return then(Destination()) }
        var answer: (@ReactorActor (Destination) -> Void)? = then
        let timer = Reactor.shared.schedule(at: Reactor.shared.now + TransferServiceLimits.destinationLook) {
            [weak self] in
            self?.isStuck = true
            answer?(Destination())
            answer = nil
        }
        let finish: @Sendable @ReactorActor (Destination) -> Void = { [weak self] destination in
            timer.cancel()
            self?.isStuck = false
            answer?(destination)
            answer = nil
        }
        thread.submit { [link] in
            var destination = Destination(at: directory)
            destination.isMetered = link?.isMetered ?? false
            for folder in folders { destination.folders[folder] = Destination(ofFolder: folder) }
            Reactor.shared.post { finish(destination) }
        }
    }
}
