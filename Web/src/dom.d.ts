// What browsers have and the types of TypeScript 4.8 and React 18.0 don't know yet.
import "react";

declare global {
  interface HTMLElement {
    showPopover(): void;
  }
  interface Navigator {
    setAppBadge?(count: number): Promise<void>;
    clearAppBadge?(): Promise<void>;
  }
}

declare module "react" {
  interface HTMLAttributes<T> {
    popover?: "manual" | "auto";
    inert?: "" | undefined;
  }
}
