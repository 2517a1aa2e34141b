import { timeLeft } from "@plenary/protocol";
import stringWidth from "string-width";
import type { ConversantView } from "../../floor/conversation-client.ts";
import { cut } from "../../output/format.ts";
import { legibleLine, legibleText } from "../../output/sanitize.ts";
import type { Talk } from "../session.ts";
import { type Paper, wrap } from "./transcript-layout.ts";

type Unsent = ReturnType<Talk["outbox"]["unsent"]>[number];

/** What the log does not show within this time is with the convener. */
const soonMs = 1_000;

/** What stands below the transcript for as long as it is so: drafts, what is on its way, a question, who is here. */
export function standing(talk: Talk, paper: Paper, rowsMax: number): string[] {
  const status = statusRow(talk, paper);
  const question = questionRow(talk, paper);
  const unsent = talk.outbox
    .unsent()
    .slice(-3)
    .map((unsent) => unsentRow(unsent, paper));
  const drafts = draftRows(talk, paper, Math.max(1, rowsMax - unsent.length - question.length - 1));
  return [...drafts, ...unsent, ...question, status];
}

/** The last rows of each, so that all who are composing are seen. */
function draftRows(talk: Talk, { ink, columns }: Paper, rowsMax: number): string[] {
  const drafts = talk.drafts.all();
  const each = Math.max(1, Math.floor(rowsMax / Math.max(drafts.length, 1)));
  const rows = drafts.flatMap(({ speakerUri, text, isWhisper, doing }) => {
    const name = talk.people.nameOf(speakerUri);
    const mark = isWhisper ? ink.dim(" (private)") : "";
    const indent = Math.min(stringWidth(name) + 2, 16);
    const width = columns - indent - (isWhisper ? 10 : 0);
    // Until words come, what is being done stands in their place.
    const isDoing = text === "" && doing !== undefined;
    const words = isDoing
      ? [ink.dim(cut(legibleLine(doing), Math.max(width, 8)))]
      : wrap(ink.markdown(`${legibleText(text)}▍`), width).slice(-each);
    return words.map((row, index) =>
      index === 0 ? `${ink.of(speakerUri, name)}${mark}  ${row}` : " ".repeat(indent) + row,
    );
  });
  return rows.slice(-rowsMax);
}

function unsentRow({ text, takenMs = Date.now() }: Unsent, { ink, columns }: Paper): string {
  const state = Date.now() - takenMs > soonMs ? "waits for the floor" : "sending…";
  const words = cut(legibleLine(text), Math.max(columns - state.length - 9, 8));
  return ink.dim(`You  ${words}  ${state}`);
}

function questionRow({ questions, people }: Talk, { ink, columns }: Paper): string[] {
  const question = questions.newest(Date.now());
  if (question === undefined) return [];
  const left = question.untilMs === undefined ? "" : ` (${timeLeft(question.untilMs - Date.now())})`;
  const options = question.options.map(({ label }, index) => `${index + 1} ${label}`).join(" · ");
  // The choices must be seen; the question stands above with all its words.
  const asked = options === "" ? question.text : cut(legibleLine(question.text), Math.floor(columns / 3));
  const words = `? ${people.nameOf(question.sender)}: ${asked}${left}${options && `  ${options}`}`;
  return [ink.yellow(cut(legibleLine(words, 1_000), columns))];
}

type Piece = { plain: string; shown: string };

function statusRow(talk: Talk, { ink, columns }: Paper): string {
  const { view, connection } = talk;
  const plainly = (text: string, paint: (text: string) => string): Piece => ({ plain: text, shown: paint(text) });
  const pieces: Piece[] = [];
  if (connection === "reconnecting") pieces.push(plainly(awayWords(talk), ink.yellow));
  if (connection === "gone") pieces.push(plainly("you have left", ink.yellow));
  if (view.isClosed) pieces.push(plainly("closed", ink.yellow));
  if (view.isPaused) pieces.push(plainly("stopped: speak, or /resume", ink.yellow));
  if (isWithoutFloor(talk)) pieces.push(plainly("you do not have the floor: /request", ink.yellow));
  pieces.push(...view.conversants.map((one) => conversantPiece(one, talk, { ink, columns })));
  const row = joined(pieces, columns, ink.dim);
  const title = view.title === undefined ? "" : `  ${legibleLine(view.title, 30)}`;
  // Who is here matters more.
  return stringWidth(row + title) <= columns ? row + ink.dim(title) : row;
}

/** Whoever has asked for it is shown with a hand. */
function isWithoutFloor({ view, connection, conversation: { me } }: Talk): boolean {
  const own = view.conversants.find(({ identification }) => identification.speakerUri === me);
  if (connection !== "live" || view.isClosed || own?.state !== "joined") return false;
  return !own.hasFloor && !view.floorRequested.includes(me);
}

const awayLongMs = 8_000;

function awayWords({ awaySinceMs }: Talk): string {
  const isLong = Date.now() - awaySinceMs > awayLongMs;
  return isLong ? "reconnecting… (the floor is away: plenary serve starts one)" : "reconnecting…";
}

/** Columns that the title of a step may take there. */
const doingMax = 40;

/** ● has the floor, ✋ asks for it, … is composing, and thinks, or says what it does, until its first words come. */
function conversantPiece(one: ConversantView, talk: Talk, { ink }: Paper): Piece {
  const { speakerUri } = one.identification;
  const name = talk.people.nameOf(speakerUri);
  const drafts = talk.drafts.all().filter((draft) => draft.speakerUri === speakerUri);
  const isComposing = drafts.length > 0 || talk.view.awaited?.includes(speakerUri);
  const doing = drafts.findLast((draft) => draft.doing !== undefined)?.doing;
  const thinking = doing === undefined ? " thinking …" : ` ${cut(legibleLine(doing), doingMax)}`;
  const activity = drafts.some(({ text }) => text !== "") ? " …" : isComposing ? thinking : "";
  const before = `${talk.view.floorRequested.includes(speakerUri) ? "✋ " : ""}${one.hasFloor ? "● " : "○ "}`;
  const convenes = talk.view.assignedFloorRoles.convener?.includes(speakerUri) ? " (convener)" : "";
  const where = one.state === "invited" ? " (invited)" : one.presence === "away" && name !== "You" ? " (away)" : "";
  const after = `${convenes}${where}${activity}`;
  return { plain: before + name + after, shown: ink.dim(before) + ink.of(speakerUri, name) + ink.dim(after) };
}

/** As many as there is room for, and how many more there are. */
function joined(pieces: readonly Piece[], columns: number, dim: (text: string) => string): string {
  const gap = "  ";
  let row = "";
  let width = 0;
  for (const [index, { plain, shown }] of pieces.entries()) {
    const more = pieces.length - index;
    const wide = stringWidth(plain) + (index === 0 ? 0 : gap.length);
    const room = columns - (more > 1 ? ` +${more - 1}`.length : 0);
    if (width + wide > room) return index === 0 ? cut(plain, columns) : row + dim(cut(` +${more}`, columns - width));
    row += (index === 0 ? "" : gap) + shown;
    width += wide;
  }
  return row;
}
