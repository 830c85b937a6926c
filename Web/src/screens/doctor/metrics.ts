// Reads Prometheus's text format, as `system.metrics` writes it.

export interface Metric {
  /** The name with its labels. */
  name: string;
  value: string;
  /** The daemon's English for it. */
  help: string;
}

export function metrics(text: string): Metric[] {
  const help = new Map<string, string>();
  const found: Metric[] = [];
  for (const line of text.split("\n")) {
    const comment = /^# HELP (\S+) (.*)$/.exec(line);
    if (comment !== null) help.set(comment[1] ?? "", comment[2] ?? "");
    const sample = /^([A-Za-z_:][\w:]*)(\{[^}]*\})? (\S+)/.exec(line);
    if (sample === null) continue;
    const [, name = "", labels = "", value = ""] = sample;
    found.push({ name: name + labels, value, help: help.get(name) ?? help.get(name.replace(/_(?:bucket|sum|count)$/, "")) ?? "" });
  }
  return found;
}
