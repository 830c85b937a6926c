"""The vectors of PROTOCOL-CALLS.md, computed by the recipe that it gives beside them."""

from kibo_peer import CALL_SIGNAL, CALL_STATE, frame


def call_vectors(call, time):
    """Names and bytes of all of them."""
    state = {1: call, 4: 0, 5: time << 16 | 1, 8: 0, 9: 0, 11: [0, 0]}
    four, six = bytes([192, 0, 2, 1]), bytes.fromhex("20010db8000000000000000000000001")
    candidates = [[2122260223, four, 40000], [2122194687, six, 40001]]
    return [
        ("frame-call-calling", frame(CALL_STATE, body=state | {2: 7, 3: 0, 8: 1, 9: 1, 10: bytes([0x77]) * 32})),
        ("frame-call-ringing", frame(CALL_STATE, body=state | {2: 8, 3: 1})),
        ("frame-call-declined", frame(CALL_STATE, body=state | {2: 9, 3: 5, 7: "declined"})),
        (
            "frame-call-joined",
            frame(CALL_STATE, body=state | {
                2: 10, 3: 3, 6: bytes([0x88]) * 32, 8: 9, 9: 1, 10: bytes([0x77]) * 32, 12: [bytes([0x99]) * 32]}),
        ),
        ("frame-call-candidates", frame(CALL_SIGNAL, body={1: call, 2: 2, 3: 3, 4: 2, 6: candidates, 7: 1})),
        ("frame-call-restart", frame(CALL_SIGNAL, body={1: call, 2: 2, 3: 4, 4: 3, 7: 1})),
        ("frame-call-offer", frame(CALL_SIGNAL, body={1: call, 2: 1, 3: 1, 4: 0, 5: "v=0\r\n"})),
    ]
