/** The page's scripts that are started by their addresses: the bundler puts the names with their hashes here. */
declare const WORKER: string;
declare const WORKLET: string;

/** The page's one policy for trusted types: it lets through these addresses and no other. */
const policy = globalThis.trustedTypes?.createPolicy("kibo", {
  createScriptURL(address) {
    if (address !== WORKER && address !== WORKLET) throw new TypeError("no script of this page");
    return address;
  },
});

/** The address of a script as the browser takes it. */
export const trusted = (address: string): string => policy === undefined ? address : policy.createScriptURL(address);
