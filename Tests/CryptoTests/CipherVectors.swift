// Made by Tests/Interop/make_noise_vectors.py with noiseprotocol 0.3.1 and hashlib; don't edit.
// swift-format-ignore-file

import Crypto

/// What the generator calls by the same name.
func filler(_ count: Int) -> [UInt8] { (0..<count).map { UInt8($0 * 7 % 251) } }

/// Bulk records: text and associated data are ``filler(_:)`` of so many bytes.
enum BulkVectors {
    static let key = "1788c648d945a6356c68a56a743614178eda776f7c455a78ec3f1bdaff22422a"

    /// The digest is BLAKE2b-256 of sealed text and tag.
    static let all: [(kind: BulkCipher.Kind, count: Int, counter: UInt64, associatedBytes: Int, digest: String)] = [
        (.chacha20Poly1305, count: 0, counter: 0, associatedBytes: 0,
            digest: "527f3f74f63f59b69e13fce77c2d04510c23787aff72da685f85ed176e50b014"),
        (.chacha20Poly1305, count: 0, counter: 1, associatedBytes: 32,
            digest: "79ebac3475918a95ea45cfd42e2cc2b680cb3d212b2134541a863503582aa8ba"),
        (.chacha20Poly1305, count: 1, counter: 255, associatedBytes: 0,
            digest: "600ccab6ec897b79ddf713b351272b5538204919f798d2ef56f87f640fcaebb1"),
        (.chacha20Poly1305, count: 16, counter: 256, associatedBytes: 1,
            digest: "88e8476c77f74891f6251954c30343e61430e4c0b49422f6a929411b21877dd9"),
        (.chacha20Poly1305, count: 127, counter: 65536, associatedBytes: 32,
            digest: "15321b3a46b09772519c9af48d25e5fffa129e4229e353a88bd236ff5743046d"),
        (.chacha20Poly1305, count: 128, counter: 3, associatedBytes: 0,
            digest: "bb2d3368e5b2d90dc86e64e139ca1f5a68bc206233520d2538d3779c6a3572da"),
        (.chacha20Poly1305, count: 129, counter: 4, associatedBytes: 13,
            digest: "1333cdcc82e084816b73ebb173a2e1c67a6ba8770ddf1ea6cef86d61b3ff6776"),
        (.chacha20Poly1305, count: 4096, counter: 5, associatedBytes: 32,
            digest: "070865e998adc34ce16541e664523a7827712f32531ccee42d92bed49e17593f"),
        (.chacha20Poly1305, count: 65541, counter: 11259375, associatedBytes: 32,
            digest: "29976361dba663de52b3231fe04bb10622cad8165442ed8af960b461d276ec7d"),
        (.chacha20Poly1305, count: 1048592, counter: 7, associatedBytes: 32,
            digest: "4f0017fe82fc4d5e8d799829e995b2482e7ebdf69ffa62a3ef094a7ae54bb60b"),
        (.aes256GCM, count: 0, counter: 0, associatedBytes: 0,
            digest: "2063572bff8ecfdbf0824bc4c42a18f1fc129eec9b6bcbe9c41ac2c93a606f83"),
        (.aes256GCM, count: 0, counter: 1, associatedBytes: 32,
            digest: "2d5413e0e016627a6cdf1cf4f4b4298e7581fbd42968f2816c80237dabb2613c"),
        (.aes256GCM, count: 1, counter: 255, associatedBytes: 0,
            digest: "c641a59b917e14090237315c90bd03242db1c0e90f5723796bbe8742103f8468"),
        (.aes256GCM, count: 16, counter: 256, associatedBytes: 1,
            digest: "304b997a80854e1aec54814b786bf896d33e9393688cbbb0ebfca03d111339bb"),
        (.aes256GCM, count: 127, counter: 65536, associatedBytes: 32,
            digest: "9c738396212f57396bb131d2e49f6dcd0f3bb6153a6356dc788ffa43e6dc70aa"),
        (.aes256GCM, count: 128, counter: 3, associatedBytes: 0,
            digest: "e6e74ab9708a2cd413565f33f27b335b90f7cba2f3810bfffb273b700eb72854"),
        (.aes256GCM, count: 129, counter: 4, associatedBytes: 13,
            digest: "9e8ac4185aff9861fe60f08262f1c6398d89beb4418e7abf404cb4fd401dfb55"),
        (.aes256GCM, count: 4096, counter: 5, associatedBytes: 32,
            digest: "aac542c689e3efab559dbf6af588704c01735853fc9c1a519dc67f4a3efa0429"),
        (.aes256GCM, count: 65541, counter: 11259375, associatedBytes: 32,
            digest: "b781711ba19734afd9cc69696dac28d31312bd859787076296b77265bf99c33e"),
        (.aes256GCM, count: 1048592, counter: 7, associatedBytes: 32,
            digest: "70df35106927fac69bf3c78aaf173fcb02216cbe023825bcf7ae84e0a1023ef0"),
    ]
}

/// HMAC-BLAKE2b and HKDF: keys, messages and so on are ``filler(_:)`` of so many bytes.
enum HashVectors {
    static let hmac: [(keyBytes: Int, messageBytes: Int, code: String)] = [
        (keyBytes: 0, messageBytes: 0,
            code: "198cd2006f66ff83fbbd913f78aca2251caf4f19fe9475aade8cf2091b99a68466775177424f58286886cbae82"
                + "29644cec747237d4b721735485e17372fdf59c"),
        (keyBytes: 1, messageBytes: 1,
            code: "2ef45a97d499fab55b1617c0730ab7a204194893e242da28f788c598527c8d259a8037a7ab969846ba6765a77e"
                + "7a202b44382efea835e3207de9cc552ab53e42"),
        (keyBytes: 32, messageBytes: 100,
            code: "1326f0461d418a22f9d8f4dcf7a0d0a53b754d75117bfb4d545b1dcdab034280fe1704d1111e9b9ab6f8b66f66"
                + "941c999ff2ffecdb4eb68ab4d98bd42eeaf1e6"),
        (keyBytes: 64, messageBytes: 0,
            code: "b256d56d68292b470181cba034ed2bc44afbc3d37d7fb8a6943f307aa174aa9fb777b429b39d814a2d27f358ad"
                + "dac10e8609bea75d2564498cc217d030488f5e"),
        (keyBytes: 127, messageBytes: 128,
            code: "4ee8d729430022cde451ada94b0ab095da6e2ae8896c819aeb776a1b1221d0505aba4ad8a49695d3f6c8c0899e"
                + "5e715c92f53d4279022b17da96ac9edda0db4e"),
        (keyBytes: 128, messageBytes: 129,
            code: "cb405f4d906ebb61f44a9e8dd713e9f67994c8ded5cbee742caca0c3b9f304abf14383f72eb5ddccdf4d707033"
                + "08a8a083332f059600ed1f2e6b5f85c109ad53"),
        (keyBytes: 129, messageBytes: 1,
            code: "e714c3e13088f05ccc3561c1089a85c97f4f05142a7fbd654aaa63a89c24597d8e0c9aa6b8b020e7873055ea89"
                + "873defcc6e297568b79c97e0af99c20308cbe0"),
        (keyBytes: 300, messageBytes: 1000,
            code: "e70b871dc575397e014290c9f1abb5134f52db2200ba2073677423d5e2369e6d8f27d6470c5ad7b13b71d48542"
                + "bd67523926621cccb53ebc09391149c3b98e64"),
    ]

    static let hkdf: [(saltBytes: Int, inputBytes: Int, infoBytes: Int, output: String)] = [
        (saltBytes: 64, inputBytes: 32, infoBytes: 0,
            output: "1bcb7ebab11cf9374317bfeef4240c52c49672038a0f0307a0fb2fe9854825454ae42d23d176906c84184649a2"
                + "928ae02957629e1e8530843fa79b965c32c4f6e9981f1d953c2837b5e0e9b7a6360a37a7dbcf07bff9ed056ba7"
                + "f5be998bf7354328472085ef5df0c7d8e59643518ea3fe368ef11a6b95e09bd4c83ae486a00e"),
        (saltBytes: 64, inputBytes: 32, infoBytes: 0,
            output: "1bcb7ebab11cf9374317bfeef4240c52c49672038a0f0307a0fb2fe9854825454ae42d23d176906c84184649a2"
                + "928ae02957629e1e8530843fa79b965c32c4f6e9981f1d953c2837b5e0e9b7a6360a37a7dbcf07bff9ed056ba7"
                + "f5be998bf7354328472085ef5df0c7d8e59643518ea3fe368ef11a6b95e09bd4c83ae486a00e430d90ab199234"
                + "7350d918362d46bab89f42c356543566624b1e3b6997676bc0e9a05354dfef6cb95966a9ab957534ac924b8d63"
                + "bc85f2f18738cf959f695bac"),
        (saltBytes: 64, inputBytes: 0, infoBytes: 0,
            output: "0b1c66176c66408d581e58e9a0d4bd696b4d94b55cc64bb7902b82cb0665f65a839e233b1549b892ac8363e370"
                + "e546a292f340ff02b8cff0b9c6ab11cbabe9d82e3449dbd5888d858be805e5c94018913046b5cba70f9a6a70e9"
                + "37cf3119449a2ee29e9a4667b23ecb4be44eab8b5623596363c7c430e1585a7b9a678b5d9e7d"),
        (saltBytes: 0, inputBytes: 22, infoBytes: 10,
            output: "527798b12b39affe6d9389014595432415846bfa37770ec212048052021a3015a2ce131afaa3cc6f5475"),
        (saltBytes: 200, inputBytes: 80, infoBytes: 80,
            output: "c0b0b5f480ee543daa350e91fdab3460a67e6cd7a8cd0e7ae3fede50a082ec22e7bd07848f3b784e5cb3f18183"
                + "4eeb16c2a8fd710b01aa6318093bd36628573327c4bf3136200b983b005f86ba8fded410f7"),
    ]
}
