import type { Span } from "../floor-history/lane.ts";
import type { Line } from "../lines/line.ts";
import type { Transcript } from "../transcript.ts";
import { documentOf, type ExportDocument, noteText, type Person, titleOf } from "./document.ts";
import { oneLine } from "./plain-text.ts";
import { partsOf } from "./utterance-parts.ts";

const wordsMax = 160;
const nameMax = 60;

/**
 * A transcript as a Mermaid sequence diagram: public utterances go to the floor, a whisper is a dashed arrow,
 * a speaker with the floor is drawn active.
 */
export function mermaidOf(transcript: Transcript): string {
  return [...mermaidPieces(transcript)].join("");
}

/** The same, line by line. */
export function* mermaidPieces(transcript: Transcript): Generator<string> {
  const document = documentOf(transcript);
  const { ids, declarations } = cast(document);
  const idOf = (speakerUri: string) => ids.get(document.personFor(speakerUri)) ?? floorId;
  const changes = changesOf(document, idOf);
  let next = 0;
  const active = new Set<string>();
  function* keepUp(seq: number): Generator<string> {
    for (let change = changes[next]; change !== undefined && change.seq <= seq; change = changes[next]) {
      next += 1;
      if (active.has(change.id) === change.isHeld) continue;
      active[change.isHeld ? "add" : "delete"](change.id);
      yield step(`${change.isHeld ? "activate" : "deactivate"} ${change.id}`);
    }
  }
  const title = `title ${safe(titleOf(transcript), nameMax)}`;
  yield ["sequenceDiagram\n", ...[title, ...declarations].map(step)].join("");
  for (const line of document.lines) {
    // A speaker that loses the floor in this line is active up to it.
    yield* keepUp(line.seq - 1);
    yield step(stepOf(line, document, idOf));
  }
  yield* keepUp(Number.MAX_SAFE_INTEGER);
  for (const id of active) yield step(`deactivate ${id}`);
}

const step = (words: string) => `  ${words}\n`;

const floorId = "floor";

function cast({ people }: ExportDocument) {
  const ids = new Map<Person, string>(people.map((person, index) => [person, `c${index + 1}`]));
  const declarations = [...ids].map(([{ name, kind }, id]) => {
    return `${kind === "person" ? "actor" : "participant"} ${id} as ${safe(name, nameMax)}`;
  });
  return { ids, declarations: [`participant ${floorId} as Everybody`, ...declarations] };
}

type Change = { seq: number; id: string; isHeld: boolean };

function changesOf({ history: { lanes, lastSeq } }: ExportDocument, idOf: (speakerUri: string) => string): Change[] {
  const isHeld = ({ kind }: Span) => kind === "held";
  const all = lanes.flatMap(({ speakerUri, spans }) => {
    const id = idOf(speakerUri);
    return spans
      .filter(isHeld)
      .flatMap(({ from, to }) => [
        { seq: from, id, isHeld: true },
        ...(to > lastSeq ? [] : [{ seq: to, id, isHeld: false }]),
      ]);
  });
  return all.sort((one, other) => one.seq - other.seq);
}

function stepOf(line: Line, document: ExportDocument, idOf: (speakerUri: string) => string): string {
  if (line.kind === "note") {
    const words = noteText(line, (speakerUri) => document.personFor(speakerUri).name, String);
    const about = [...new Set(line.words.flatMap((one) => (typeof one === "string" ? [] : [idOf(one.speakerUri)])))];
    return `Note over ${about.slice(0, 2).join(",") || floorId}: ${safe(words, wordsMax)}`;
  }
  const { words, media, others } = partsOf(line.dialogEvent);
  const beside = [...media.map(({ kind }) => kind), ...others.map(({ name }) => name)].map((what) => `(${what})`);
  const said = [words, ...beside].filter((one) => one !== "").join(" ");
  const to = line.to === undefined ? floorId : idOf(line.to);
  const arrow = line.isWhisper ? "-->>" : "->>";
  return `${idOf(line.sender)}${arrow}${to}: ${safe(line.isWhisper ? `(private) ${said}` : said, wordsMax)}`;
}

/**
 * Escapes text for a diagram. Mermaid reads `#59;` as a semicolon; everything that could end a line, begin a comment,
 * a directive, markup or a formula is written so, and so is the first letter of `end`, which would close a block.
 */
function safe(text: string, charsMax: number): string {
  const line = oneLine(text, charsMax);
  if (line === "") return "-";
  return line
    .replace(/[#;:%<>&$@{}[\]\\"`]/gu, (mark) => `#${mark.charCodeAt(0)};`)
    .replace(/\b(e)(?=nd\b)/giu, (letter) => `#${letter.charCodeAt(0)};`);
}
