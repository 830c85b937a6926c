import Account
import ControlProtocol
import Crypto
import Reactor
import Runtime

/// Shows and checks the account's recovery code, and makes an account again from it.
@ReactorActor struct RecoveryHandlers: MethodArea {
    let base: MethodBase
    let needsAccount = false
    let keeper: any AccountControl

    var methods: [String: Method] {
        [
            "recovery.code": { parameters, _ in try await code(parameters) },
            "recovery.check": { parameters, _ in try check(parameters) },
            "account.recover": { parameters, _ in try await recover(parameters).json },
        ]
    }

    private func code(_ parameters: Parameters) async throws -> JSONValue {
        let code = try await keeper.recoveryCode(try AccountHandlers.passphrase("passphrase", parameters))
        return ["code": .string(code), "qr": .string(try QRDrawing.text(ofCode: code.uppercased()))]
    }

    private func check(_ parameters: Parameters) throws -> JSONValue {
        let own = try requireAccount()
        let result: RecoveryCheck
        var places: [Int] = []
        do {
            result = try RecoveryCode.key(parameters.string("code")).publicKey == own.id.key ? .right : .other
        } catch {
            switch error {
            case .wrong(let wrong): (result, places) = (.damaged, wrong)
            case .length: result = .damaged
            case .notACode, .newer: result = .none
            }
        }
        return ["result": .string(result.rawValue), "places": .array(places.map { .integer(Int64($0)) })]
    }

    private func recover(_ parameters: Parameters) async throws -> Account {
        let key: SigningKey
        do { key = try RecoveryCode.key(parameters.string("code")) } catch {
            throw ControlError(recoveryCode: error, field: "code")
        }
        let row = try await keeper.recover(
            key, displayName: parameters.string("displayName"), deviceName: AccountKeeper.deviceName())
        return composer.account(row)
    }
}

extension ControlError {
    /// The refusal of a text that is no recovery code.
    /// - Parameters:
    ///   - field: the parameter that holds it.
    ///   - parameters: more values for the words of the hint.
    package init(recoveryCode problem: RecoveryCode.Problem, field: String, _ parameters: JSONObject = [:]) {
        var values = parameters
        if case .wrong(let places) = problem { values["places"] = .array(places.map { .integer(Int64($0)) }) }
        self.init(.invalid, "\(problem)", hint: .retypeCode, parameters: values, field: field)
    }
}
