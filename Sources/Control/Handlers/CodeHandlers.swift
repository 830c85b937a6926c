import ControlProtocol
import Reactor

/// Reads codes for clients that can't.
@ReactorActor struct CodeHandlers: MethodArea {
    let base: MethodBase
    let reader: CodeReader

    var methods: [String: Method] {
        [
            "code.read": { parameters, client in
                let size = (width: parameters.integer("width"), height: parameters.integer("height"))
                return [
                    "texts": .strings(try await reader.texts(in: parameters.string("luma"), size: size, for: client))
                ]
            }
        ]
    }
}
