/** The name that was probably meant; undefined when none is similar. */
export function nearestName<Name extends string>(typed: string, names: readonly Name[]): Name | undefined {
  const given = typed.slice(0, 64).toLowerCase();
  let best: Name | undefined;
  let least = Math.max(1, Math.floor(given.length / 3)) + 1;
  for (const name of names) {
    const distance = editDistance(given, name.toLowerCase());
    if (distance < least) [best, least] = [name, distance];
  }
  return best;
}

/** Insertions, deletions, replacements and swaps of neighbours. */
function editDistance(from: string, to: string): number {
  const rows = [Array.from({ length: to.length + 1 }, (_, index) => index)];
  for (let i = 1; i <= from.length; i += 1) {
    const row = [i];
    rows.push(row);
    for (let j = 1; j <= to.length; j += 1) {
      const above = rows[i - 1] as number[];
      const cost = from[i - 1] === to[j - 1] ? 0 : 1;
      const least = Math.min((above[j] ?? 0) + 1, (row[j - 1] ?? 0) + 1, (above[j - 1] ?? 0) + cost);
      const isSwap = i > 1 && j > 1 && from[i - 1] === to[j - 2] && from[i - 2] === to[j - 1];
      row.push(isSwap ? Math.min(least, (rows[i - 2]?.[j - 2] ?? 0) + 1) : least);
    }
  }
  return rows[from.length]?.[to.length] ?? 0;
}
