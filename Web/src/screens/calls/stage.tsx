// The pictures of a call: the others in tiles, the screen that one shows in the middle, the user's own picture small in a corner.
import { useStore } from "../../base/store";
import { otherOf, peopleOf, showsScreen } from "../../call/people";
import { seat } from "../../call/seat";
import type { Call } from "../../contract/types";
import { Avatar } from "../../parts/avatar";
import { t } from "../../text/t";
import { Picture, useNames } from "./parts";
import type { Party } from "./parts";
import { Frame, Tile } from "./tile";

export function Stage({ call, party, isSmall }: { call: Call; party: Party; isSmall: boolean }) {
  const { said } = useNames(party.group);
  // Between two, the other person has a tile from the beginning.
  const other = otherOf(call);
  const people = call.group ? peopleOf(call) : other === undefined ? [] : [other];
  const shows = showsScreen(call);
  const own = useStore(seat, (now) => now.own);
  const screen = useStore(seat, ({ ties }) => (shows === undefined ? null : ties.get(shows.device)?.screen ?? null));
  const name = shows === undefined ? "" : said(shows);
  // While a screen is shown in a call between two, a person without a picture gets no tile, because there is nobody to tell them apart from.
  const tiles = screen !== null && !call.group ? people.filter((one) => one.sends.includes("camera")) : people;
  return (
    <div className={screen !== null ? "call-stage call-stage-screen" : "call-stage"} data-many={tiles.length}>
      {screen !== null && (
        <Frame look="call-frame call-shown" name={isSmall ? null : name}><Picture stream={screen} label={t("call.screen.of", { name })} look="call-film call-film-whole" /></Frame>
      )}
      {people.length === 0 && <div className="call-alone"><Avatar id={party.id} name={party.name} picture={party.picture} group size={isSmall ? "m" : "xl"} /></div>}
      {tiles.length > 0 && (
        <ul className="call-tiles" aria-label={t("call.people")}>
          {tiles.map((one) => <Tile key={one.device} call={call} one={one} group={party.group} isSmall={isSmall} />)}
        </ul>
      )}
      {own !== null && !isSmall && <Picture stream={own} label={t("call.own")} look="call-own" />}
    </div>
  );
}
