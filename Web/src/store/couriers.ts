// How often something changed about couriers, or about what is kept for friends: whoever shows them lists them again.
import { Store } from "../base/store";

export const courierNews = new Store(0);

export const couriersChanged = (): void => courierNews.update((count) => count + 1);
