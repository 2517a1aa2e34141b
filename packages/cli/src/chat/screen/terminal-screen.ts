import type { Line } from "@plenary/transcript";
import type { Terminal } from "../../io.ts";
import { sanitizeText } from "../../output/sanitize.ts";
import { truncate } from "../../output/truncate.ts";
import { complete } from "../commands/completion.ts";
import { builtInConvener, nameOfAgent } from "../commands/known-agents.ts";
import type { Participants } from "../participants.ts";
import type { ChatSession, Screen } from "../session.ts";
import type { ChatColors } from "./colors.ts";
import { layOutInput } from "./input-layout.ts";
import { type Keyboard, type KeyboardEvents, openKeyboard } from "./keyboard.ts";
import { createRegionPainter, type Region } from "./live-region.ts";
import { liveRows } from "./status-rows.ts";
import { layOutLine, wrap } from "./transcript-layout.ts";

const messageMax = 200_000;
/** Redraw interval for countdowns and drafts. */
const tickMs = 1_000;
const nothing: Region = { rows: [], cursor: { row: 0, column: 0 } };

/** Finished lines scroll as usual; below them a live region shows drafts, participants and the input. */
export class TerminalScreen implements Screen {
  readonly #terminal: Terminal;
  readonly #colors: ChatColors;
  readonly #painter: ReturnType<typeof createRegionPainter>;
  #printed: string[] = [];
  #hints: readonly string[] = [];
  #keyboard: Keyboard | undefined;
  #session: ChatSession | undefined;
  #drawing: NodeJS.Immediate | undefined;
  #clock: NodeJS.Timeout | undefined;
  #stopResizing = () => {};

  constructor(terminal: Terminal, colors: ChatColors) {
    this.#terminal = terminal;
    this.#colors = colors;
    this.#painter = createRegionPainter(terminal);
  }

  /** Opens the input line. */
  open(session: ChatSession, wishes: Pick<KeyboardEvents, "onLine" | "onInterrupt" | "onEnd">): void {
    this.#session = session;
    this.#keyboard = openKeyboard(this.#terminal, {
      ...wishes,
      onChange: () => this.refresh(),
      onSleep: () => this.#painter.clear(),
      onLine: (text) => {
        this.#hints = [];
        wishes.onLine(text);
      },
      complete: (text) => {
        const conveners = session.agents.flatMap((agent) => builtInConvener(agent) ?? []);
        const agents = session.agents.map(nameOfAgent);
        const completion = complete(text, { participants: session.participants.others(), agents, conveners });
        this.#hints = completion.candidates.length > 1 ? completion.candidates : [];
        this.refresh();
        return completion;
      },
    });
    this.#stopResizing = this.#terminal.onResize(() => this.refresh());
    this.#clock = setInterval(() => this.refresh(), tickMs);
    this.refresh();
  }

  printLine(line: Line, participants: Participants): void {
    this.#add(layOutLine(line, participants, this.#style()));
  }

  showMessage(text: string, tone: "plain" | "quiet" | "warning" | "problem" = "plain"): void {
    const paint = {
      plain: (row: string) => row,
      quiet: this.#colors.dim,
      warning: this.#colors.yellow,
      problem: this.#colors.red,
    };
    this.#add(wrap(sanitizeText(text, messageMax), this.#terminal.columns).map(paint[tone]));
  }

  echo(text: string): void {
    this.showMessage(`> ${text}`, "quiet");
  }

  restoreInput(text: string): void {
    this.#keyboard?.put(text);
  }

  /** Returns whether there was text to clear. */
  clearField(): boolean {
    const hadText = this.#keyboard?.text() !== "";
    this.#keyboard?.clear();
    return hadText;
  }

  refresh(): void {
    this.#drawing ??= setImmediate(() => {
      this.#drawing = undefined;
      this.#draw();
    });
  }

  /** Prints the remaining lines and gives the terminal back. */
  close(): void {
    clearInterval(this.#clock);
    clearImmediate(this.#drawing);
    this.#drawing = undefined;
    this.#stopResizing();
    this.#session = undefined;
    this.#draw();
    this.#painter.clear();
    this.#keyboard?.close();
    this.#keyboard = undefined;
  }

  #add(rows: readonly string[]): void {
    this.#printed.push(...rows);
    this.refresh();
  }

  #style() {
    return { colors: this.#colors, columns: this.#terminal.columns };
  }

  #draw(): void {
    const printed = this.#printed;
    this.#printed = [];
    this.#painter.paint(printed, this.#session === undefined ? nothing : this.#region(this.#session));
  }

  #region(session: ChatSession): Region {
    const { columns, rows: height } = this.#terminal;
    const text = this.#keyboard?.text() ?? "";
    const rowsMax = Math.max(1, Math.floor(height / 3));
    const prompt = session.question() === undefined ? "> " : "answer> ";
    const field = layOutInput(prompt, text, this.#keyboard?.cursor() ?? 0, { columns, rowsMax });
    const above = liveRows(session, this.#style(), rowsMax);
    const hints = this.#hintRows(text);
    const cursor = { row: above.length + field.cursor.row, column: field.cursor.column };
    return { rows: [...above, ...field.rows, ...hints], cursor };
  }

  /** The candidates of the last Tab, until the person types on. */
  #hintRows(text: string): string[] {
    if (this.#hints.length === 0 || text === "") return [];
    return [this.#colors.dim(truncate(this.#hints.map((hint) => hint.trim()).join("  "), this.#terminal.columns))];
  }
}
