import Basics
import ControlProtocol
import Reactor
import Store

/// Opens what a page shows of files and people.
@ReactorActor struct FileHandlers: MethodArea {
    let base: MethodBase
    let views: FileViews

    var methods: [String: Method] {
        [
            "transfer.entries": { parameters, _ in try await entries(parameters) },
            "transfer.reveal": { parameters, _ in
                _ = try requireAccount()
                try await views.reveal(uuid("id", parameters))
                return [:]
            },
        ]
    }

    var descriptorMethods: [String: DescriptorMethod] {
        [
            "transfer.open": { parameters in try await open(parameters) },
            "transfer.thumbnail": { parameters in try await thumbnail(parameters) },
            "picture.open": { parameters in try await picture(parameters) },
        ]
    }

    private func open(_ parameters: Parameters) async throws -> Outcome {
        _ = try requireAccount()
        let (file, mediaType) = try await views.file(
            uuid("id", parameters), entry: parameters.optionalInteger("entry"))
        return Outcome(
            [
                "name": .string(file.name), "size": .integer(file.size), "mediaType": .string(mediaType),
                "modified": .integer(file.modified.milliseconds),
            ], with: file.file)
    }

    private func thumbnail(_ parameters: Parameters) async throws -> Outcome {
        _ = try requireAccount()
        let (file, width, height) = try await views.thumbnail(
            uuid("id", parameters), entry: parameters.optionalInteger("entry"),
            side: Int64(parameters.string("side")) ?? 0)
        return Outcome(["width": .integer(width), "height": .integer(height)], with: file)
    }

    private func picture(_ parameters: Parameters) async throws -> Outcome {
        _ = try requireAccount()
        let (file, size, digest) = try await views.picture(parameters.string("id"))
        return Outcome(["size": .integer(size), "picture": .string(Hex.encode(digest))], with: file)
    }

    private func entries(_ parameters: Parameters) async throws -> JSONValue {
        _ = try requireAccount()
        let id = try uuid("id", parameters)
        let (after, limit) = (parameters.optionalInteger("after") ?? 0, parameters.limit)
        let (transfer, pages) = try await store.read { (try $0.transfer(id), try $0.pages(of: id)) }
        guard let row = transfer else { throw ControlError.noTransfer(id) }
        guard row.kind == .folder else { throw ControlError(.invalid, "the transfer is no folder", field: "id") }
        let (entries, next) = try await workers.views.run { try FolderList(pages).entries(after: after, limit: limit) }
        var result: JSONObject = ["entries": .array(entries)]
        if let next { result["next"] = .integer(next) }
        return .object(result)
    }
}
