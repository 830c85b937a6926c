// Made by Tests/Interop/make_noise_vectors.py with noiseprotocol 0.3.1 and hashlib; don't edit.
// swift-format-ignore-file

import Crypto
import Testing

/// A whole conversation with fixed keys; all strings are hexadecimal.
struct NoiseVector: Sendable, CustomTestStringConvertible {
    enum Transport: Sendable {
        case message(NoiseHandshake.Role, String, String)
        case rekey(NoiseHandshake.Role)
    }

    let name: String
    let prologue: String
    let presharedKey: String?
    let initiatorStatic: String
    let initiatorEphemeral: String
    let responderStatic: String
    let responderEphemeral: String
    /// Payload and message.
    let handshake: [(String, String)]
    let handshakeHash: String
    let transport: [Transport]

    var testDescription: String { name }

    static let all: [NoiseVector] = [
        NoiseVector(
            name: "small",
            prologue: "6b69626f2d70726f6c6f6775652d763100",
            presharedKey: nil,
            initiatorStatic: "ef879dffcd20ea4346a82754fd3d5b075be5af548b7d45065e237e99ba431232",
            initiatorEphemeral: "171c01563c54009fc810e052754474f023925272afbae9683b07ec9fafcd8be1",
            responderStatic: "c2d7cc24cfcc082d9d370cccfb18a23534f76f6cd85668166ca58b6251800e07",
            responderEphemeral: "0e467d8dc209d3cc520dcf04db06cf3452299a93540970fada77b43b28e41f93",
            handshake: [
                ("",
                "39d0ac120505fb0a57d38317f6cd3717e7ef11129ce65cbdd44bf59745bf0608"),
                ("726573706f6e646572",
                "05f907fb0eeb037498e21d138f267b515ca7ccccda60b9bab68ca2862cacba1bf189ba185e7f3287defdf2b52e"
                + "079ed9456fcf173f88eae5de9f7a7baa5e4c1c04fb6eb04a206633508602a3db4bdef83555b9596b00f0211ed5"
                + "f038bb13fabedab049b6af283c0997"),
                ("696e69746961746f72",
                "04798c7178d544c0ab3f14856f6922721b8c3d962b72b2369a62567b330a0b0207ba562b530ccc48bf238ba9c2"
                + "89bfdc324229e532b7c585c8307b37bd8b140d8ab58993579170dbd7"),
            ],
            handshakeHash: "94e2979f8eddfa47c05247cb0cdebf52dc143d0bcd39a8810053ac178042a7cfb2fa39209d8aa7884cab17b5dd"
                + "450c82534d587e60835fa321443a6efc0464ab",
            transport: [
                .message(.initiator, "6f6e65",
                "4a0966350a55c5f1764673685ee5fb8b646f26"),
                .message(.responder, "74776f",
                "edac221059a31b7f13d8e29de3115faf89ba97"),
                .message(.initiator, "",
                "32e1972fbbc02c705a50d51523f9d6d5"),
                .message(.responder, "00070e151c232a31383f464d545b626970777e858c939aa1a8afb6bdc4cbd2d9e0e7eef501080f16",
                "1caa77f776d2bc9d573441fef4e1f4653e58672d05640cf36e2bd0a20348dd89a1a3c06a7f9ae6e14f495ba711"
                + "5e03ba14cfd5f89d9b76e0"),
                .rekey(.initiator),
                .message(.initiator, "61667465722072656b6579",
                "8ad70d14fd36a507385a4f167eb5a510f20d2cd3160fdfb5daf042"),
                .message(.responder, "6e6f742072656b6579656420796574",
                "871d3a7e3080820168590e82f0b1968588eedc1d00efef83f7548df4705667"),
                .rekey(.responder),
                .message(.responder, "72656b65796564",
                "f8be1fa3eadf96235b56f3ca0a5cbf29f97f6ad155632c"),
                .rekey(.initiator),
                .message(.initiator, "7477696365",
                "e2ffe88e4d67d96ac796735ab7ed2ad00e89b41102"),
            ]),
        NoiseVector(
            name: "first payload in the open",
            prologue: "00070e151c232a31383f464d545b626970777e858c939aa1a8afb6bdc4cbd2d9e0e7eef501080f16",
            presharedKey: nil,
            initiatorStatic: "4fc6a68f4fc56202c96d994de3a9a691ab04a8a0b1b4eb489ccf9370ea6bf37c",
            initiatorEphemeral: "f2e9a1fb1c5fab9a50258a6ec1d411632c8a7ba7ca31b432647d01a511ea8818",
            responderStatic: "46dfb0fbe8ca6899fce2985e12bfa7f60614c074f65d7e79c8438d66318d8a47",
            responderEphemeral: "23ee1e0e188611055314281d92506deb224129f7a2d54a9e87052441bd02d305",
            handshake: [
                ("68656c6c6f",
                "5d7b50a645866f94fbc4b01e5e36e068ae99daccc02d5eabc8c8934442d9bd6768656c6c6f"),
                ("00070e151c232a31383f464d545b626970777e858c939aa1a8afb6bdc4cbd2d9e0e7eef501080f161d242b3239",
                "0ff1b8e2669d25c831a8371f254e5241e6a36334437efa94382836a29d1e323184fb09bc7f81a69922d3384e0a"
                + "75e7e32d6cefd79cf4fdf934eb0189408f58733ea1c51ae28416076063509338dd8429af63ddccdec0d83b21fa"
                + "7f432bd8d3a7f39b6e0c64a8b99c878d2c24fb93f02611d5fc75319e3e024f410941fca71a091636be0c0bfd1a"
                + "de45f3e1bfca"),
                ("00070e151c232a31383f464d545b626970777e858c939aa1a8afb6bdc4cbd2d9e0",
                "65662df7716229e601659379ac130e1b3a0f21a25e7e6cb8ab71aa3abe90f83d83e7f95cd02887a0b6e855256a"
                + "757dedec06077ebec3a069e8b1c5ca6d201b9b8512aae72adc7a662b303ed501382b5437e85790430af207a620"
                + "10c1f523018210"),
            ],
            handshakeHash: "9838a6d30ace0899394534044b9fc19379a17dd697e8d7567f338d8306d001a08579a12e3dfd4c8b368d020767"
                + "1d5af578e2c31759614d9576cd510d0280cc59",
            transport: [
                .message(.initiator, "6f6e65",
                "c0f05ca66683e88f0b10ff350c55da32a347ee"),
                .message(.responder, "74776f",
                "3afaec1ca14adb90a2769655a926fb7acd9f4a"),
                .message(.initiator, "",
                "226c09be064d2dcfd564d1ee8333fee5"),
                .message(.responder, "00070e151c232a31383f464d545b626970777e858c939aa1a8afb6bdc4cbd2d9e0e7eef501080f16",
                "aea0b1f511968f4e358a61b78f7c16836e7544753095e8e862146e2d3df900012b1cfff71f2b4d5f785fdc2059"
                + "49bb9d93d32a14fd1031f3"),
                .rekey(.initiator),
                .message(.initiator, "61667465722072656b6579",
                "b89b046af58615eebca2da200627c9f432456541b051d5b64ac9b2"),
                .message(.responder, "6e6f742072656b6579656420796574",
                "d8c694eeb521a167990726571e876e632e49158e56b6e18c7be3829f7bfcd9"),
                .rekey(.responder),
                .message(.responder, "72656b65796564",
                "9dc827f186b6951a4c5ff287ab9e770a2e8989d10fef85"),
                .rekey(.initiator),
                .message(.initiator, "7477696365",
                "e8923b8bb9d478a53f8fa373732d4633a57ca1d06e"),
            ]),
        NoiseVector(
            name: "published",
            prologue: "",
            presharedKey: nil,
            initiatorStatic: "000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f",
            initiatorEphemeral: "202122232425262728292a2b2c2d2e2f303132333435363738393a3b3c3d3e3f",
            responderStatic: "0102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f20",
            responderEphemeral: "4142434445464748494a4b4c4d4e4f505152535455565758595a5b5c5d5e5f60",
            handshake: [
                ("746573745f6d73675f30",
                "358072d6365880d1aeea329adf9121383851ed21a28e3b75e965d0d2cd166254746573745f6d73675f30"),
                ("746573745f6d73675f31",
                "64b101b1d0be5a8704bd078f9895001fc03e8e9f9522f188dd128d9846d48466b0b018e349141e1b16c68fe9a6"
                + "cb1183c260c44bb83c93a140953ad45612b8c6c9a7ce6964ece59add85b2606ced1d6d19d85b03583048e0c2c9"
                + "a492b15d90479c7b9af68fb1a47696d5"),
                ("746573745f6d73675f32",
                "b4c5f23f127237b5a80ac12f3a3548fe46c39172f6b180eb1e023e6e19e283eec8b71c2ce9c0e29ca1766034c2"
                + "c8feb14cb940f335a08c03246384d70b9a8ae83fd96cea468098f1f8d9"),
            ],
            handshakeHash: "bb68e74a9b60511fc48e24da6e4bc13885cad3853e32d2ac6e8c85a4f6a42aa477055b3225cecb36f890bd3484"
                + "a234221a88754073384f66dbaf331d7587f7fc",
            transport: [
                .message(.initiator, "79656c6c6f777375626d6172696e65",
                "adcafe99678efda6f3d8c84a8fd41a63bb2cfc85aa6eb8ff3dbf724496b03e"),
                .message(.responder, "7375626d6172696e6579656c6c6f77",
                "51d5c55fb055dc171c4bf7618270e30b393601f44f3a0abd7c276b63093c1a"),
            ]),
        NoiseVector(
            name: "published empty",
            prologue: "",
            presharedKey: nil,
            initiatorStatic: "000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f",
            initiatorEphemeral: "202122232425262728292a2b2c2d2e2f303132333435363738393a3b3c3d3e3f",
            responderStatic: "0102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f20",
            responderEphemeral: "4142434445464748494a4b4c4d4e4f505152535455565758595a5b5c5d5e5f60",
            handshake: [
                ("",
                "358072d6365880d1aeea329adf9121383851ed21a28e3b75e965d0d2cd166254"),
                ("",
                "64b101b1d0be5a8704bd078f9895001fc03e8e9f9522f188dd128d9846d48466b0b018e349141e1b16c68fe9a6"
                + "cb1183c260c44bb83c93a140953ad45612b8c64bb3b17125ca3fb8cf0cd955affd684b70d7a73e49f11219837f"
                + "16d3f7544832"),
                ("",
                "b4c5f23f127237b5a80ac12f3a3548fe46c39172f6b180eb1e023e6e19e283eeb2c9403c731010215a57c3149b"
                + "0f7aaec1f10503228b36cd1662e940ecc38fd5"),
            ],
            handshakeHash: "037d338625e32724661f7d981ea60da5dbbec2d37ee4389b79b071765f4d183c79b9bf32387b5aaea1887ee9a7"
                + "3f2b0d8a599e386320c956d2ea8028799a4405",
            transport: [
                .message(.initiator, "79656c6c6f777375626d6172696e65",
                "adcafe99678efda6f3d8c84a8fd41a63bb2cfc85aa6eb8ff3dbf724496b03e"),
                .message(.responder, "7375626d6172696e6579656c6c6f77",
                "51d5c55fb055dc171c4bf7618270e30b393601f44f3a0abd7c276b63093c1a"),
            ]),
        NoiseVector(
            name: "published with key",
            prologue: "",
            presharedKey: "2176657279736563726574766572797365637265747665727973656372657421",
            initiatorStatic: "000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f",
            initiatorEphemeral: "202122232425262728292a2b2c2d2e2f303132333435363738393a3b3c3d3e3f",
            responderStatic: "0102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f20",
            responderEphemeral: "4142434445464748494a4b4c4d4e4f505152535455565758595a5b5c5d5e5f60",
            handshake: [
                ("746573745f6d73675f30",
                "358072d6365880d1aeea329adf9121383851ed21a28e3b75e965d0d2cd1662541fe2db7a97bbe9c0027b7090cb"
                + "11725f0947318b6d1f1ad08ce7"),
                ("746573745f6d73675f31",
                "64b101b1d0be5a8704bd078f9895001fc03e8e9f9522f188dd128d9846d48466def8302a4ce14b6d8679764f56"
                + "05d198853b8968688d7432e591c0371dbd9c27e50840bb3f7e4c87ca8f5414ba3078aa5c032641bc1cdaccd5aa"
                + "58bfd328b2972ff47f99ced9a6b7aef3"),
                ("746573745f6d73675f32",
                "7ae518aa6a3882fac6b6d6fcd88954cccf404ea1aa2a075d533916de39720ebb186eba1bc5bdad09bcab573986"
                + "4ca692519efda7f74013ae0602622d1accdeb04f261e1eb1ada91b5a00"),
            ],
            handshakeHash: "1515573aad784711e6b6eeb33fb910895b7e6aae32bd6c1dda4c829ba6ff2638d45bf38c7d5915a6b9d02079b8"
                + "75762add291a04b89d9650b55f15b7d11b1892",
            transport: [
                .message(.initiator, "79656c6c6f777375626d6172696e65",
                "fd0638db68611323934a1dc1c26175ddc9abfbf887629ce59b4303156bcaa1"),
                .message(.responder, "7375626d6172696e6579656c6c6f77",
                "3d9c9f74481ef29d381234288ecb1d26afa997692fff8407cbf6da726a5725"),
            ]),
        NoiseVector(
            name: "published empty with key",
            prologue: "",
            presharedKey: "2176657279736563726574766572797365637265747665727973656372657421",
            initiatorStatic: "000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f",
            initiatorEphemeral: "202122232425262728292a2b2c2d2e2f303132333435363738393a3b3c3d3e3f",
            responderStatic: "0102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f20",
            responderEphemeral: "4142434445464748494a4b4c4d4e4f505152535455565758595a5b5c5d5e5f60",
            handshake: [
                ("",
                "358072d6365880d1aeea329adf9121383851ed21a28e3b75e965d0d2cd166254e89ad728d1b3555e8affba774c"
                + "455ecf"),
                ("",
                "64b101b1d0be5a8704bd078f9895001fc03e8e9f9522f188dd128d9846d48466def8302a4ce14b6d8679764f56"
                + "05d198853b8968688d7432e591c0371dbd9c271e7509b3366c251d193c2b6173162f24bfb214c9912e36dbc2be"
                + "bcd0c5a41310"),
                ("",
                "7ae518aa6a3882fac6b6d6fcd88954cccf404ea1aa2a075d533916de39720ebbd5a2fc7c5df275e6d9ac02a752"
                + "f651f67f737345e8c1310db32861d8fb0233f9"),
            ],
            handshakeHash: "4519c3489cd7eda47d3054526b5756f6f5bcc2efd1d38f2ec50f55ef481e8660f9d7b1ddd047e9be052b76cf31"
                + "26c63d88d3440ca9af3b0f76fc59aa78f43fdf",
            transport: [
                .message(.initiator, "79656c6c6f777375626d6172696e65",
                "fd0638db68611323934a1dc1c26175ddc9abfbf887629ce59b4303156bcaa1"),
                .message(.responder, "7375626d6172696e6579656c6c6f77",
                "3d9c9f74481ef29d381234288ecb1d26afa997692fff8407cbf6da726a5725"),
            ]),
        NoiseVector(
            name: "psk small",
            prologue: "6b69626f2d70726f6c6f6775652d763100",
            presharedKey: "fa49471c7ae612386ead897a96377d447552e1c2e817fdf32da105984bffb326",
            initiatorStatic: "1bb6f2a1e3c6653af73bcd99088f670ea5391a07bfe529440fc0448b5e0209ed",
            initiatorEphemeral: "c5fd69c3ca9325060553c6e1d9095e2208f164967fdc5d2ecf58dd86c2dea03e",
            responderStatic: "a046df2b3c57f28d466cbdf1a64cf13b2928f8c0173042d8b0cee4438f81af28",
            responderEphemeral: "be89f3ba10f9e607cd6c1f34166689573aa92914d77a51201a822327e2b5fdea",
            handshake: [
                ("",
                "092a4c9c579806d0e0ef85223ae1536a3871caddcd324498ab1c5a2d4437c83325467803140ea49c8f682aa0dc"
                + "4be194"),
                ("726573706f6e646572",
                "8ccaea402dd109f7e772bd8d0c03808e94b7b8e18cfffd27dabe8de19a371b79926890f804ddc0cf05ef8c81c5"
                + "335d3259bf9aa19b6cc7e6b38641e85f3390aa87198ffe4d075c6179ac12e223440c14170b69f1dce18ea09db4"
                + "0679092df32bbae289eaf614c9fa68"),
                ("696e69746961746f72",
                "b5e8207885524a18d8963be94c286ce370ec3c1697beb066d18042204ffc7ab63fa00841f4f264b47b27a93a06"
                + "14fa4fabcbbf4d121f69a8a466e5d2a1cda607f86534ee8d10d0b1c4"),
            ],
            handshakeHash: "4bd792b78491065f578dbf0f58e8e0956fbc29ffad5e50cd70734d8637b9a82b1facabd23000a3f8d7ec2b4fae"
                + "403c56e7febaa133594bd2ba0f02a26db9ce6e",
            transport: [
                .message(.initiator, "6f6e65",
                "21f0408d6fdb919ba205114ca17af375ce12d5"),
                .message(.responder, "74776f",
                "50436c1597e10fa7b30ffae343fdabd312121f"),
                .message(.initiator, "",
                "a5dcd35e75b1708317f9fbf06ebf8793"),
                .message(.responder, "00070e151c232a31383f464d545b626970777e858c939aa1a8afb6bdc4cbd2d9e0e7eef501080f16",
                "d867e3f57d3f2487897b68679a3aa181d2df356ef586cfd584e6023698f6cc044bec178ea41c453cc5af7fa7ba"
                + "18bd0f1a785e89ee259b6a"),
                .rekey(.initiator),
                .message(.initiator, "61667465722072656b6579",
                "d81b1258ee6df9112e416cf80925251fc93a6be8af5ced5ecec617"),
                .message(.responder, "6e6f742072656b6579656420796574",
                "1c70a89fd82de75ae89bcf41dd26910aaa5976aac5d8d8c850433fc1247694"),
                .rekey(.responder),
                .message(.responder, "72656b65796564",
                "8f360ba9094ce61ea3834832fb6847f881d9c3dce1bea5"),
                .rekey(.initiator),
                .message(.initiator, "7477696365",
                "5bff5f4e2ed84d7c93d201c786e4484d0bb2256547"),
            ]),
        NoiseVector(
            name: "psk first payload",
            prologue: "00070e151c232a31383f464d545b626970777e858c939aa1a8afb6bdc4cbd2d9e0e7eef501080f16",
            presharedKey: "ccd189de2fcba51d6f628d49e8834a02d8324867ff7c3b86bb463c0c311028ba",
            initiatorStatic: "50ca8c382d8e9b2cde6b27ca0aa51ec419b3d559d3053b13e7ca6983b2d97672",
            initiatorEphemeral: "96ba3ce327e1ef6cf046bc1d10304f7f11d314e4329a06a0be6754be7a4af2a2",
            responderStatic: "33df009748a7600725ec629658db622f599c6a3f7d484e0654e538b0df71c259",
            responderEphemeral: "7dcc0d09d18dba0dbc87174b5f6c87d766f0357760e71188deedde46f3d44bec",
            handshake: [
                ("68656c6c6f",
                "912e81862b6548535d39fa21c2495afa5084517b152207cc24dc04f42648bb03644db14e74be5e42f2eedd979f"
                + "d1cc8c0c435d1e9f"),
                ("00070e151c232a31383f464d545b626970777e858c939aa1a8afb6bdc4cbd2d9e0e7eef501080f161d242b3239",
                "3e59936566926f8c9fc6fb5f58b15f923811b28d333a2003ae93734f33a02d1ba401af9f20228d9f1cfa108914"
                + "7ff5dfd02e692319bf36e02829703a5a08838e9ec87b6a0cee39c96d32b2ec231e91d994bce0c6b393a21be0d5"
                + "9201d3c9ebfb03babde13887402154884f4b29c7e9861a6038408ad6f9107a2c9fee260a4b55168e239115ab35"
                + "74fbf36dad29"),
                ("00070e151c232a31383f464d545b626970777e858c939aa1a8afb6bdc4cbd2d9e0",
                "a28f87a65d8d5063746a89d45020ce810a39557558c1b6af32fe24e6ba1806f832b5843c1314b278ea1eb51bd8"
                + "404ae962d6624e0580558bda080504c3303b902bb6c0ce12de8a1abf72f79ef99482d33156efb5a30be02c9a47"
                + "fec11850da43c8"),
            ],
            handshakeHash: "af76a18db3e440df4c2070d6c25305f0e87a997796faba2377676a205ee7d06b21fdfdc55389ac379f3c86ec69"
                + "aac8f8de400544433722a6e593b456ead69e4f",
            transport: [
                .message(.initiator, "6f6e65",
                "3b25462c61e5ee217361d8bbe276c92e8b344a"),
                .message(.responder, "74776f",
                "f03c8a5ec9665e2378beb0d536b6666fe9d760"),
                .message(.initiator, "",
                "95f4e3919920a3ba76530d92cf23edcc"),
                .message(.responder, "00070e151c232a31383f464d545b626970777e858c939aa1a8afb6bdc4cbd2d9e0e7eef501080f16",
                "e1f4673fac129343afb88b3350fbb82e45f901204c80b8ac8e4b427a4df5c4f037c1c20ef8769d0cc03c898240"
                + "537b32eb28933bf648d621"),
                .rekey(.initiator),
                .message(.initiator, "61667465722072656b6579",
                "519f5ede847101173fa282ae00c5b16e622fd91b1fe8234f5f3c7f"),
                .message(.responder, "6e6f742072656b6579656420796574",
                "68411fcecf7b60ef63a66acf95edfce5e47438f11bf244cd4a8367c0dc2416"),
                .rekey(.responder),
                .message(.responder, "72656b65796564",
                "772f94a93e4151e1985e00e0da638573e3003b89401609"),
                .rekey(.initiator),
                .message(.initiator, "7477696365",
                "33d0404e39215ec8d473f3292a01beb2e3143177ae"),
            ]),
    ]
}
