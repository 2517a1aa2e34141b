const quoteMax = 200;
const nameMax = 60;

/** One line of bounded length with all Markdown escaped, safe to quote in an answer. */
export function quoted(text: string, lengthMax = quoteMax): string {
  return `"${escaped(oneLine(text, lengthMax))}"`;
}

export function nameShown(name: string): string {
  return escaped(oneLine(name, nameMax));
}

/** Control characters and bidirectional marks could make a quote look like the answer itself. */
function oneLine(text: string, lengthMax: number): string {
  const flat = text
    .slice(0, lengthMax * 4)
    .replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+/gu, (found) => (found === "\u200d" ? found : " "))
    .replaceAll(/\s+/gu, " ")
    .trim();
  const letters = [...flat];
  return letters.length <= lengthMax
    ? flat
    : `${letters
        .slice(0, lengthMax - 1)
        .join("")
        .trimEnd()}…`;
}

function escaped(text: string): string {
  return text.replaceAll(/[\\`*[\]<>|~]|(?<![\p{L}\p{N}])_|_(?![\p{L}\p{N}])/gu, "\\$&");
}

/** UTC, because an agent does not know the time zone of its listeners; with the date unless it is today. */
export function utcTime(at: string, nowMs: number): string {
  const atMs = Date.parse(at);
  if (Number.isNaN(atMs)) return "an unknown time";
  const [date = "", time = ""] = new Date(atMs).toISOString().split("T");
  const isToday = date === new Date(nowMs).toISOString().slice(0, 10);
  return isToday ? time.slice(0, 5) : `${date} ${time.slice(0, 5)}`;
}
