import Basics
import ControlProtocol
import Reactor

/// Takes files from clients without paths.
@ReactorActor struct UploadHandlers: MethodArea {
    let base: MethodBase
    let needsAccount = false
    let uploads: UploadService

    var methods: [String: Method] {
        [
            "upload.begin": { parameters, _ in try await begin(parameters).json },
            "upload.put": { parameters, _ in try await put(parameters) },
            "upload.finish": { parameters, _ in try await uploads.finish(uuid("id", parameters)).json },
            "upload.cancel": { parameters, _ in
                try await uploads.cancel(uuid("id", parameters))
                return [:]
            },
            "upload.list": { _, _ in ["uploads": .array(try await uploads.list().map(\.json))] },
        ]
    }

    var descriptorMethods: [String: DescriptorMethod] {
        [
            "upload.open": { parameters in
                let (socket, received) = try await uploads.open(uuid("id", parameters))
                return Outcome(["received": .integer(received)], with: socket)
            }
        ]
    }

    private func put(_ parameters: Parameters) async throws -> JSONValue {
        let (paths, contents) = (parameters.strings("paths"), parameters.strings("contents"))
        guard paths.count == contents.count else {
            throw ControlError(.invalid, "paths and contents must be as many", field: "contents")
        }
        var files: [UploadTable.SmallFile] = []
        for (path, content) in zip(paths, contents) {
            guard let bytes = Base64.decode(content) else {
                throw ControlError(.invalid, "contents must be in base64", field: "contents")
            }
            files.append(.init(path: path, bytes: bytes))
        }
        let anyType = parameters.bool("anyType")
        guard let folder = parameters.uuid("in") else {
            _ = try requireAccount()
            let ids = try await uploads.put(files, anyType: anyType)
            return ["leftOut": [], "ids": .strings(ids.map(\.description))]
        }
        return ["leftOut": .strings(try await uploads.put(files, into: folder, anyType: anyType))]
    }

    private func begin(_ parameters: Parameters) async throws -> Upload {
        _ = try requireAccount()
        var request = UploadTable.Request(name: parameters.string("name"))
        request.size = parameters.optionalInteger("size")
        request.isFolder = parameters.bool("folder")
        request.purpose = parameters.choice("purpose") ?? .message
        request.parent = parameters.uuid("in")
        request.path = parameters.optionalString("path")
        request.anyType = parameters.bool("anyType")
        return try await uploads.begin(request)
    }
}
