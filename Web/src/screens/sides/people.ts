// One chunk: friends and all that leads to them.
export { default as Blocked } from "../friends/blocked";
export { default as ByAddress } from "../friends/byAddress";
export { default as Details } from "../details/details";
export { default as FirstSteps } from "../firstSteps/firstSteps";
export { default as Friends } from "../friends/friends";
export { MemberCard } from "../details/memberCard";
export { default as More } from "../more/more";
export { default as Nearby } from "../friends/nearby";
export { default as Requests } from "../friends/requests";
export { default as Transfers } from "../transfers/transfers";
export { default as Unlock } from "../unlock/unlock";
export { default as Welcome } from "../welcome/welcome";
