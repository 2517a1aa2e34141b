// What others said and what they call themselves, made fit to stand inside an answer.

const quoteMax = 200;
const nameMax = 60;

/** One line, of bounded length, in which no mark of Markdown means anything. */
export function quoted(text: string, lengthMax = quoteMax): string {
  return `"${escaped(oneLine(text, lengthMax))}"`;
}

export function nameShown(name: string): string {
  return escaped(oneLine(name, nameMax));
}

/** Control characters, and those that turn the direction of writing, would let a quotation look like the answer itself. */
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

/** Universal time, because nobody tells an agent where he is; with the date unless that is today. */
export function utcTime(at: string, nowMs: number): string {
  const atMs = Date.parse(at);
  if (Number.isNaN(atMs)) return "an unknown time";
  const [date = "", time = ""] = new Date(atMs).toISOString().split("T");
  const isToday = date === new Date(nowMs).toISOString().slice(0, 10);
  return isToday ? time.slice(0, 5) : `${date} ${time.slice(0, 5)}`;
}
