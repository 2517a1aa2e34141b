import { createInterface } from "node:readline";
import { Transform, Writable } from "node:stream";
import { StringDecoder } from "node:string_decoder";
import type { Terminal } from "../../io.ts";
import type { Completion } from "../commands/completion.ts";

const pasteOn = "\u001b[?2004h";
const pasteOff = "\u001b[?2004l";
const pasteBegin = "\u001b[200~";
const pasteEnd = "\u001b[201~";
const historyMax = 500;

/** Shown for a line break in pasted text, which must not send the line. */
const lineEnd = "⏎";

export type KeyboardEvents = {
  onLine: (text: string) => void;
  /** The text or the cursor changed. */
  onChange: () => void;
  /** Ctrl+C. */
  onInterrupt: () => void;
  /** Ctrl+D on an empty line. */
  onEnd: () => void;
  /** Before the process is suspended (Ctrl+Z). */
  onSleep: () => void;
  complete: (text: string) => Completion;
};

export type Keyboard = ReturnType<typeof openKeyboard>;

/** Uses readline for editing and history, without its drawing. */
export function openKeyboard(terminal: Terminal, events: KeyboardEvents) {
  const keys = splitPastes();
  const mirror = new Writable({
    write(_chunk, _encoding, done) {
      events.onChange();
      done();
    },
  });
  const line = createInterface({
    input: keys,
    output: mirror,
    terminal: true,
    historySize: historyMax,
    tabSize: 2,
    prompt: "",
    // Escape is a key of its own here, so readline must not wait long for a sequence.
    escapeCodeTimeout: 50,
    completer: (text: string): [string[], string] => {
      const { part, candidates } = events.complete(text);
      return [[...candidates], part];
    },
  });
  terminal.input.pipe(keys);
  terminal.setRaw(true);
  terminal.write(pasteOn);
  line.on("line", (text) => events.onLine(text.replaceAll(lineEnd, "\n")));
  line.on("SIGINT", events.onInterrupt);
  let isClosed = false;
  line.on("close", () => !isClosed && events.onEnd());
  const rest = () => {
    terminal.write(pasteOff);
    terminal.setRaw(false);
  };
  line.on("SIGTSTP", () => {
    events.onSleep();
    rest();
    process.once("SIGCONT", () => {
      terminal.setRaw(true);
      terminal.write(pasteOn);
      events.onChange();
    });
    process.kill(process.pid, "SIGTSTP");
  });
  const replace = (text: string) => {
    line.write(null, { ctrl: true, name: "e" });
    line.write(null, { ctrl: true, name: "u" });
    if (text !== "") line.write(text.replace(/\r\n?|\n/gu, lineEnd));
  };
  return {
    text: () => line.line,
    cursor: () => line.cursor,
    /** Inserts text before the current text. */
    put: (text: string) => replace(line.line === "" ? text : `${text}${lineEnd}${line.line}`),
    clear: () => replace(""),
    close() {
      isClosed = true;
      line.close();
      terminal.input.unpipe(keys);
      rest();
      terminal.release();
    },
  };
}

/** Separates bracketed pastes: pasted line breaks send nothing and control characters are removed. */
function splitPastes(): Transform {
  const decoder = new StringDecoder("utf8");
  let isPasting = false;
  let held = "";
  return new Transform({
    transform(chunk, _encoding, done) {
      let text = held + decoder.write(chunk);
      held = "";
      let keys = "";
      while (text !== "") {
        const mark = isPasting ? pasteEnd : pasteBegin;
        const at = text.indexOf(mark);
        const piece = at < 0 ? text : text.slice(0, at);
        // The end mark may arrive in two chunks.
        const cut = isPasting && at < 0 ? begunIn(piece, mark) : "";
        held = cut;
        keys += isPasting ? asText(piece.slice(0, piece.length - cut.length)) : piece;
        if (at >= 0) isPasting = !isPasting;
        text = at < 0 ? "" : text.slice(at + mark.length);
      }
      done(null, keys);
    },
  });
}

/** The start of `mark` at the end of the text. */
function begunIn(text: string, mark: string): string {
  for (let length = mark.length - 1; length > 0; length -= 1) {
    if (text.endsWith(mark.slice(0, length))) return mark.slice(0, length);
  }
  return "";
}

function asText(pasted: string): string {
  return pasted
    .replace(/\r\n?|\n/gu, lineEnd)
    .replace(/\t/gu, "  ")
    .replace(/\p{Cc}/gu, "");
}
