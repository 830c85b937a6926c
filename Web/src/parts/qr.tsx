/** The dark squares of a code that is written in half blocks, two rows in each line. */
function squares(text: string): { path: string; size: number } {
  const lines = text.split("\n").filter((line) => line !== "");
  let path = "";
  for (const [row, line] of lines.entries()) {
    for (const [column, sign] of [...line].entries()) {
      if (sign === "▀" || sign === "█") path += `M${column} ${2 * row}h1v1h-1z`;
      if (sign === "▄" || sign === "█") path += `M${column} ${2 * row + 1}h1v1h-1z`;
    }
  }
  return { path, size: Math.max(2 * lines.length, ...lines.map((line) => [...line].length)) };
}

/** A QR code as the daemon writes it, dark on light in both themes: cameras want that. */
export function Code({ text, label }: { text: string; label: string }) {
  const { path, size } = squares(text);
  return (
    <svg className="code" viewBox={`0 0 ${size} ${size}`} role="img" aria-label={label} shapeRendering="crispEdges">
      <path d={path} />
    </svg>
  );
}
