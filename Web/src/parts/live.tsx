// The one polite live region.
import { useWhole } from "../base/store";
import { said } from "../store/live";

export const LiveRegion = () => <div className="hidden-words" aria-live="polite" role="log">{useWhole(said)}</div>;
