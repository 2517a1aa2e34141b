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
