// A chat session at a floor that says what a test makes it say.
import { connect } from "@plenary/client";
import type { Line } from "@plenary/transcript";
import { expect, onTestFinished, vi } from "vitest";
import { chatColors } from "../chat/screen/colors.ts";
import { layOutLine } from "../chat/screen/transcript-layout.ts";
import { ChatSession, type Screen } from "../chat/session.ts";

export const me = "tag:me";
export const clock = "tag:clock";
export const identification = (speakerUri: string, conversationalName: string) => ({
  speakerUri,
  serviceUrl: "https://x.example/",
  organization: "",
  synopsis: "",
  conversationalName,
});

export function said(seq: number, sender: string, text: string, id = `d${seq}`) {
  const features = { text: { mimeType: "text/plain", tokens: [{ value: text }] } };
  const dialogEvent = { id, speakerUri: sender, span: { startTime: "2026-11-16T10:00:00Z" }, features };
  const event = { eventType: "utterance", parameters: { dialogEvent } };
  return { entry: { seq, at: "2026-11-16T10:00:00Z", kind: "event", sender, event }, seq };
}

export function seated(seq: number, conversationalName: string, because = "1.14/joined-by-answering") {
  const seat = { identification: identification(clock, conversationalName), kind: "agent", state: "joined" };
  return { entry: { seq, at: "", kind: "seated", because, seat }, seq };
}

/** The far end of a socket. */
class Socket {
  readonly after: string | null;
  readonly readyState = 1;
  onopen: (() => void) | null = null;
  onmessage: ((message: { data: string }) => void) | null = null;
  onclose: ((end: { code: number }) => void) | null = null;
  onerror = null;

  constructor(url: string) {
    this.after = new URL(url).searchParams.get("after");
    queueMicrotask(() => this.onopen?.());
  }

  close() {}
}

type FloorAnswers = { earlier?: { entry: object }[]; here?: object[]; awaited?: string[]; refusal?: string };

/** The conversation c1, open and live. */
export async function openSession({ earlier = [], here = [], awaited = [], refusal }: FloorAnswers = {}) {
  const sockets: Socket[] = [];
  const person = { identification: identification(me, "Ann"), kind: "person", state: "joined", hasFloor: true };
  const conversants = [person, ...here];
  const answers: Record<string, object> = {
    "/api/v1/me": { speakers: [me], scopes: ["host"], floor: { speakerUri: "tag:floor", serviceUrl: "http://x/" } },
    "/api/v1/tickets": { ticket: "t" },
    "/api/v1/agents": { agents: [], invitedByDefault: [] },
    "/api/v1/conversations/c1": {
      ...{ id: "c1", seq: earlier.length, isClosed: false, isPaused: false, assignedFloorRoles: {} },
      ...{ floorGranted: [], floorRequested: [], awaited, conversants },
    },
    "/api/v1/conversations/c1/log": { entries: earlier.map(({ entry }) => entry) },
    "/openfloor": refusal === undefined ? {} : { refused: [{ problem: refusal, because: "x" }] },
  };
  const floor = await connect({
    url: "http://127.0.0.1:9",
    fetch: async (url) => Response.json(answers[new URL(String(url)).pathname]),
    WebSocket: class extends Socket {
      constructor(url: string) {
        super(url);
        sockets.push(this);
      }
    },
    limits: { retryMs: 1 },
  });
  onTestFinished(() => floor.close());
  const printed: string[] = [];
  const messages: string[] = [];
  const restored: string[] = [];
  const screen: Screen = {
    printLine(line: Line, participants) {
      layOutLine(line, participants, { colors: chatColors({ env: {} }), columns: 80 });
      printed.push(wordsOf(line, participants.nameOf));
    },
    showMessage: (text) => void messages.push(text),
    refresh: () => {},
    restoreInput: (text) => void restored.push(text),
  };
  const session = await ChatSession.open(floor, await floor.join("c1"), screen);
  onTestFinished(() => session.close());
  session.start();
  await vi.waitFor(() => expect(session.connection).toBe("live"));
  const write = (data: string) => sockets.at(-1)?.onmessage?.({ data });
  /** Resolves when the session has seen it. */
  const tell = async (...frames: object[]) => {
    const seen = session.nextChange();
    for (const frame of frames) write(JSON.stringify(frame));
    await seen;
  };
  return { session, sockets, printed, messages, restored, tell, write };
}

function wordsOf(line: Line, nameOf: (speakerUri: string) => string): string {
  if (line.kind === "note")
    return line.words.map((word) => (typeof word === "string" ? word : nameOf(word.speakerUri))).join("");
  return `${nameOf(line.sender)}: ${line.dialogEvent.features.text?.tokens[0]?.value}`;
}
