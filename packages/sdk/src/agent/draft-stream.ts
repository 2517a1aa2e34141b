import type { To } from "@plenary/protocol";
import type { DraftSink } from "./context.ts";
import type { Document } from "./receive.ts";

/** An answer that viewers can watch while it is written (D30), as Server-Sent Events. */
export type DraftStream = DraftSink & {
  /** Resolves when the first event is sent. */
  started: Promise<"started">;
  finish(document: Document): void;
  fail(): void;
  body: ReadableStream<Uint8Array>;
};

export function createDraftStream(onCancel: () => void): DraftStream {
  const encoder = new TextEncoder();
  let frames: ReadableStreamDefaultController<Uint8Array> | undefined;
  let isOpen = true;
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      frames = controller;
    },
    cancel() {
      isOpen = false;
      onCancel();
    },
  });
  let resolveStarted: (started: "started") => void = () => {};
  const started = new Promise<"started">((resolve) => {
    resolveStarted = resolve;
  });
  const send = (event: string, data: object) => {
    if (isOpen) frames?.enqueue(encoder.encode(`event: ${event}\ndata: ${JSON.stringify(data)}\n\n`));
  };
  const end = () => {
    if (isOpen) frames?.close();
    isOpen = false;
  };
  return {
    body,
    started,
    start(draft: { dialogEventId: string; to?: To }) {
      send("start", draft);
      resolveStarted("started");
    },
    delta: (draft) => send("delta", draft),
    step: (draft) => send("step", draft),
    finish(document) {
      send("envelope", document);
      end();
    },
    fail: end,
  };
}

export type DraftStreamEvent = { event: string; data: Record<string, unknown> };

/** Reads a stream of `createDraftStream`. A chunk may end anywhere. */
export async function* readDraftStream(body: ReadableStream<Uint8Array>): AsyncGenerator<DraftStreamEvent> {
  const decoder = new TextDecoder();
  const reader = body.getReader();
  let rest = "";
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    const frames = (rest + decoder.decode(value, { stream: true })).split("\n\n");
    rest = frames.pop() ?? "";
    for (const frame of frames) {
      const [, event = "", data = ""] = /^event: (.*)\ndata: (.*)$/u.exec(frame) ?? [];
      yield { event, data: JSON.parse(data) };
    }
  }
}
