// The day of what is in view stands above the messages while they move. Then it fades, since it covers some.

/** How long it stays after the last movement, in ms. */
const STAYS = 1500;

export class DayPill {
  #timer: ReturnType<typeof setTimeout> | undefined;
  #top: number | undefined;

  constructor(private readonly keeper: { readonly scroller: HTMLElement | null }) {}

  /** What is in view may have moved. */
  moved(): void {
    const scroller = this.keeper.scroller;
    if (scroller === null || scroller.scrollTop === this.#top) return;
    this.#top = scroller.scrollTop;
    for (const day of scroller.querySelectorAll(".day-away")) day.classList.remove("day-away");
    clearTimeout(this.#timer);
    this.#timer = setTimeout(this.#fade, STAYS);
  }

  stop(): void {
    clearTimeout(this.#timer);
  }

  /** One that stands where its day begins covers nothing, and stays. */
  #fade = (): void => {
    const scroller = this.keeper.scroller;
    if (scroller === null) return;
    const top = scroller.getBoundingClientRect().top;
    for (const day of scroller.querySelectorAll(".day")) {
      const begins = day.parentElement?.getBoundingClientRect().top ?? top;
      day.classList.toggle("day-away", begins < top - day.clientHeight / 2);
    }
  };
}
