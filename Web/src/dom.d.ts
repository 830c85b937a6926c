// What browsers have and the types of TypeScript 4.8 and React 18.0 don't know yet.
import "react";

declare global {
  interface HTMLElement {
    showPopover(): void;
  }
  /** Strings that the browser takes where a script may come from: made by policies that the page's CSP names. */
  var trustedTypes: { createPolicy(name: string, rules: { createScriptURL(value: string): string }): { createScriptURL(value: string): string } } | undefined;
  class Highlight {
    constructor(...ranges: Range[]);
  }
  namespace CSS {
    const highlights: Map<string, Highlight>;
  }
  interface Navigator {
    setAppBadge?(count: number): Promise<void>;
    clearAppBadge?(): Promise<void>;
  }
}

declare module "react" {
  interface InputHTMLAttributes<T> {
    webkitdirectory?: "";
  }
  interface HTMLAttributes<T> {
    popover?: "manual" | "auto";
    inert?: "" | undefined;
  }
}
