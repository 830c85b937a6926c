// One chunk: who is known from outside of Kibo, and who they really are.
export { default as Verify } from "../verify/verify";
