import type { ConversantView, LiveDraft, Unsent } from "@plenary/client";
import { runningStep, timeLeft } from "@plenary/protocol";
import stringWidth from "string-width";
import { sanitizeLine, sanitizeText } from "../../output/sanitize.ts";
import { truncate } from "../../output/truncate.ts";
import type { ChatSession } from "../session.ts";
import { type ScreenStyle, wrap } from "./transcript-layout.ts";

/** An utterance that is not in the log after this time waits for the convener. */
const soonMs = 1_000;

/** The rows below the transcript: drafts, unsent utterances, the open question, participants. */
export function liveRows(session: ChatSession, style: ScreenStyle, rowsMax: number): string[] {
  const status = statusRow(session, style);
  const question = questionRow(session, style);
  const unsent = session
    .unsent()
    .slice(-3)
    .map((unsent) => unsentRow(unsent, style));
  const drafts = draftRows(session, style, Math.max(1, rowsMax - unsent.length - question.length - 1));
  return [...drafts, ...unsent, ...question, status];
}

/** The end of a draft that can be visible. */
const textMax = 20_000;

/** The title of the running step. */
function doingIn({ steps = [] }: LiveDraft): string | undefined {
  return runningStep(steps)?.title;
}

/** The last rows of each draft, so that every composing agent is visible. */
function draftRows(session: ChatSession, { colors, columns }: ScreenStyle, rowsMax: number): string[] {
  const { drafts } = session;
  const each = Math.max(1, Math.floor(rowsMax / Math.max(drafts.length, 1)));
  const rows = drafts.flatMap((draft) => {
    const { speakerUri, text, isWhisper } = draft;
    const doing = doingIn(draft);
    const name = session.participants.nameOf(speakerUri);
    const mark = isWhisper ? colors.dim(" (private)") : "";
    const indent = Math.min(stringWidth(name) + 2, 16);
    const width = columns - indent - (isWhisper ? 10 : 0);
    // Without text yet, the running step is shown.
    const isDoing = text === "" && doing !== undefined;
    const words = isDoing
      ? [colors.dim(truncate(sanitizeLine(doing), Math.max(width, 8)))]
      : wrap(colors.markdown(`${sanitizeText(text.slice(-textMax))}▍`), width).slice(-each);
    return words.map((row, index) =>
      index === 0 ? `${colors.speaker(speakerUri, name)}${mark}  ${row}` : " ".repeat(indent) + row,
    );
  });
  return rows.slice(-rowsMax);
}

function unsentRow({ text, takenAtMs = Date.now() }: Unsent, { colors, columns }: ScreenStyle): string {
  const state = Date.now() - takenAtMs > soonMs ? "waits for the floor" : "sending…";
  const words = truncate(sanitizeLine(text), Math.max(columns - state.length - 9, 8));
  return colors.dim(`You  ${words}  ${state}`);
}

function questionRow(session: ChatSession, { colors, columns }: ScreenStyle): string[] {
  const question = session.question();
  if (question === undefined) return [];
  const left = question.untilMs === undefined ? "" : ` (${timeLeft(question.untilMs - Date.now())})`;
  const options = question.options.map(({ label }, index) => `${index + 1} ${label}`).join(" · ");
  // The options must be visible; the full question is in the transcript above.
  const asked = options === "" ? question.text : truncate(sanitizeLine(question.text), Math.floor(columns / 3));
  const words = `? ${session.participants.nameOf(question.sender)}: ${asked}${left}${options && `  ${options}`}`;
  return [colors.yellow(truncate(sanitizeLine(words, 1_000), columns))];
}

type Piece = { plain: string; shown: string };

function statusRow(session: ChatSession, { colors, columns }: ScreenStyle): string {
  const { view, connection } = session;
  const plainly = (text: string, paint: (text: string) => string): Piece => ({ plain: text, shown: paint(text) });
  const pieces: Piece[] = [];
  if (connection === "reconnecting") pieces.push(plainly(reconnectingText(session), colors.yellow));
  if (connection === "gone") pieces.push(plainly("you have left", colors.yellow));
  if (view.isClosed) pieces.push(plainly("closed", colors.yellow));
  if (view.isPaused) pieces.push(plainly("stopped: speak, or /resume", colors.yellow));
  if (isWithoutFloor(session)) pieces.push(plainly("you do not have the floor: /request", colors.yellow));
  pieces.push(...view.conversants.map((one) => conversantPiece(one, session, { colors, columns })));
  const row = joined(pieces, columns, colors.dim);
  const title = view.title === undefined ? "" : `  ${sanitizeLine(view.title, 30)}`;
  // Participants matter more than the title.
  return stringWidth(row + title) <= columns ? row + colors.dim(title) : row;
}

/** A pending request is shown with ✋ instead. */
function isWithoutFloor({ view, connection, conversation: { me } }: ChatSession): boolean {
  const own = view.conversants.find(({ identification }) => identification.speakerUri === me);
  if (connection !== "live" || view.isClosed || own?.state !== "joined") return false;
  return !own.hasFloor && !view.floorRequested.includes(me);
}

const awayLongMs = 8_000;

function reconnectingText({ awaySinceMs }: ChatSession): string {
  const isLong = Date.now() - awaySinceMs > awayLongMs;
  return isLong ? "reconnecting… (no floor: start one with plenary serve)" : "reconnecting…";
}

/** The maximum width of a step's title. */
const doingMax = 40;

/** ● has the floor, ✋ requests it, … is composing; before its first text "thinking" or the running step. */
function conversantPiece(one: ConversantView, session: ChatSession, { colors }: ScreenStyle): Piece {
  const { speakerUri } = one.identification;
  const name = session.participants.nameOf(speakerUri);
  const drafts = session.drafts.filter((draft) => draft.speakerUri === speakerUri);
  const isComposing = drafts.length > 0 || session.view.awaited?.includes(speakerUri);
  const doing = drafts.map(doingIn).findLast((title) => title !== undefined);
  const thinking = doing === undefined ? " thinking …" : ` ${truncate(sanitizeLine(doing), doingMax)}`;
  const activity = drafts.some(({ text }) => text !== "") ? " …" : isComposing ? thinking : "";
  const before = `${session.view.floorRequested.includes(speakerUri) ? "✋ " : ""}${one.hasFloor ? "● " : "○ "}`;
  const convenes = session.view.assignedFloorRoles.convener?.includes(speakerUri) ? " (convener)" : "";
  const where = one.state === "invited" ? " (invited)" : one.presence === "away" && name !== "You" ? " (away)" : "";
  const after = `${convenes}${where}${activity}`;
  return {
    plain: before + name + after,
    shown: colors.dim(before) + colors.speaker(speakerUri, name) + colors.dim(after),
  };
}

/** As many pieces as fit, and the number of the rest. */
function joined(pieces: readonly Piece[], columns: number, dim: (text: string) => string): string {
  const gap = "  ";
  let row = "";
  let width = 0;
  for (const [index, { plain, shown }] of pieces.entries()) {
    const more = pieces.length - index;
    const wide = stringWidth(plain) + (index === 0 ? 0 : gap.length);
    const room = columns - (more > 1 ? ` +${more - 1}`.length : 0);
    if (width + wide > room)
      return index === 0 ? truncate(plain, columns) : row + dim(truncate(` +${more}`, columns - width));
    row += (index === 0 ? "" : gap) + shown;
    width += wide;
  }
  return row;
}
