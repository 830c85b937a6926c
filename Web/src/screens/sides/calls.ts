// One chunk: calls.
export { activeCall } from "../../call/activeCall";
export { default as AnswerFromLink } from "../calls/answerFromLink";
export { default as CallBar } from "../calls/bar";
export { default as Calls } from "../calls/calls";
export { DeviceDialog } from "../calls/deviceDialog";
export { default as HistoryList } from "../calls/historyList";
export { default as Record } from "../calls/record";
export { default as RingFromLink } from "../calls/ringFromLink";
