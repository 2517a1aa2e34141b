import type { Line } from "@plenary/transcript";
import type { Terminal } from "../../io.ts";
import { cut } from "../../output/format.ts";
import { legibleText } from "../../output/sanitize.ts";
import { complete } from "../commands/completion.ts";
import { nameOfAgent, readyMadeConvener } from "../commands/known-agents.ts";
import type { People } from "../participants.ts";
import type { Screen, Talk } from "../session.ts";
import type { Ink } from "./colors.ts";
import { layField } from "./input-layout.ts";
import { type Keyboard, openKeyboard } from "./keyboard.ts";
import { createRegionPainter, type Region } from "./live-region.ts";
import { standing } from "./status-rows.ts";
import { layLine, wrap } from "./transcript-layout.ts";

export type Wishes = {
  onLine: (text: string) => void;
  onInterrupt: () => void;
  onEnd: () => void;
};

const tellMax = 200_000;
/** While something is counted down or composed the region is drawn anew at least so often. */
const tickMs = 1_000;
const nothing: Region = { rows: [], cursor: { row: 0, column: 0 } };

/** Finished lines scroll by as in any terminal; below them a few rows live: drafts, who is here, and the field. */
export class TerminalScreen implements Screen {
  readonly #terminal: Terminal;
  readonly #ink: Ink;
  readonly #painter: ReturnType<typeof createRegionPainter>;
  #printed: string[] = [];
  #hints: readonly string[] = [];
  #keyboard: Keyboard | undefined;
  #talk: Talk | undefined;
  #drawing: NodeJS.Immediate | undefined;
  #clock: NodeJS.Timeout | undefined;
  #stopResizing = () => {};

  constructor(terminal: Terminal, ink: Ink) {
    this.#terminal = terminal;
    this.#ink = ink;
    this.#painter = createRegionPainter(terminal);
  }

  /** From here on there is a field to type in. */
  open(talk: Talk, wishes: Wishes): void {
    this.#talk = talk;
    this.#keyboard = openKeyboard(this.#terminal, {
      ...wishes,
      onChange: () => this.refresh(),
      onSleep: () => this.#painter.clear(),
      onLine: (text) => {
        this.#hints = [];
        wishes.onLine(text);
      },
      complete: (text) => {
        const conveners = talk.agents.flatMap((agent) => readyMadeConvener(agent) ?? []);
        const agents = talk.agents.map(nameOfAgent);
        const completion = complete(text, { people: talk.people.others(), agents, conveners });
        this.#hints = completion.candidates.length > 1 ? completion.candidates : [];
        this.refresh();
        return completion;
      },
    });
    this.#stopResizing = this.#terminal.onResize(() => this.refresh());
    this.#clock = setInterval(() => this.refresh(), tickMs);
    this.refresh();
  }

  print(line: Line, people: People): void {
    this.#add(layLine(line, people, this.#paper()));
  }

  tell(text: string, tone: "plain" | "quiet" | "warning" | "problem" = "plain"): void {
    const paint = {
      plain: (row: string) => row,
      quiet: this.#ink.dim,
      warning: this.#ink.yellow,
      problem: this.#ink.red,
    };
    this.#add(wrap(legibleText(text, tellMax), this.#terminal.columns).map(paint[tone]));
  }

  echo(text: string): void {
    this.tell(`> ${text}`, "quiet");
  }

  giveBack(text: string): void {
    this.#keyboard?.put(text);
  }

  /** Whether there was something in the field to be taken away. */
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

  /** Everything that is left to print is printed; the screen is the shell's again. */
  close(): void {
    clearInterval(this.#clock);
    clearImmediate(this.#drawing);
    this.#drawing = undefined;
    this.#stopResizing();
    this.#talk = undefined;
    this.#draw();
    this.#painter.clear();
    this.#keyboard?.close();
    this.#keyboard = undefined;
  }

  #add(rows: readonly string[]): void {
    this.#printed.push(...rows);
    this.refresh();
  }

  #paper() {
    return { ink: this.#ink, columns: this.#terminal.columns };
  }

  #draw(): void {
    const printed = this.#printed;
    this.#printed = [];
    this.#painter.paint(printed, this.#talk === undefined ? nothing : this.#region(this.#talk));
  }

  #region(talk: Talk): Region {
    const { columns, rows: height } = this.#terminal;
    const text = this.#keyboard?.text() ?? "";
    const rowsMax = Math.max(1, Math.floor(height / 3));
    const prompt = talk.questions.newest(Date.now()) === undefined ? "> " : "answer> ";
    const field = layField(prompt, text, this.#keyboard?.cursor() ?? 0, { columns, rowsMax });
    const above = standing(talk, this.#paper(), rowsMax);
    const hints = this.#hintRows(text);
    const cursor = { row: above.length + field.cursor.row, column: field.cursor.column };
    return { rows: [...above, ...field.rows, ...hints], cursor };
  }

  /** What Tab could have meant, until something else is typed. */
  #hintRows(text: string): string[] {
    if (this.#hints.length === 0 || text === "") return [];
    return [this.#ink.dim(cut(this.#hints.map((hint) => hint.trim()).join("  "), this.#terminal.columns))];
  }
}
