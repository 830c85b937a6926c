import Basics
import ControlProtocol
import Glibc
import Messaging
import Reactor
import Runtime
import Threads

/// Looks at the download directory, on a thread of its own: a file system that hangs must hold up only offers, and
/// those not for long.
@ReactorActor package final class DestinationWatcher {
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
    func lookAtDownloads(then: @escaping @ReactorActor (Destination) -> Void) {
        let folders = settings[SettingsCatalogue.filesFolders].compactMap { FolderRule($0)?.folder }
        look(at: settings[SettingsCatalogue.filesDownloadDirectory], and: folders, then: then)
    }

    /// Reports what can be found out about a directory. That takes a few seconds at most.
    package func look(
        at directory: String, and folders: [String] = [], then: @escaping @ReactorActor (Destination) -> Void
    ) {
        guard !isStuck else { return then(Destination()) }
        var answer: (@ReactorActor (Destination) -> Void)? = then
        let timer = Reactor.shared.schedule(at: Reactor.shared.now + NetworkLimits.destinationLook) { [weak self] in
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
            var destination = Self.destination(directory)
            destination.isMetered = link?.isMetered ?? false
            for folder in folders { destination.folders[folder] = Self.folder(folder) }
            Reactor.shared.post { finish(destination) }
        }
    }

    /// Looks at a folder that has to be there: where a disk isn't mounted, nothing is put under its name. Blocking.
    package nonisolated static func folder(_ path: String) -> Destination {
        access(path, F_OK) == 0 ? destination(path) : Destination()
    }

    /// Looks at a directory. If it isn't there yet, the nearest one above it is looked at. Blocking.
    package nonisolated static func destination(_ directory: String) -> Destination {
        var path = directory[...]
        while true {
            let name = path.isEmpty ? "/" : String(path)
            var figures = statvfs()
            if statvfs(name, &figures) == 0 {
                var status = stat()
                let isDirectory = stat(name, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
                // A file system without any blocks, such as /proc, holds no files, whatever root may do.
                return Destination(
                    freeBytes: figures.freeBytes,
                    isWritable: isDirectory && figures.f_blocks > 0 && access(name, W_OK | X_OK) == 0)
            }
            guard errno == ENOENT, let slash = path.lastIndex(of: "/") else { return Destination() }
            path = path[..<slash]
        }
    }
}
