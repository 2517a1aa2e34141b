import type { Happening } from "@plenary/nemo";
import type { EventOf } from "@plenary/protocol";
import type { HeardUtterance, Streamed } from "@plenary/sdk";
import { withFeatures } from "../with-features.ts";
import { type NemoContext, type ReplyContext, runUntilPause } from "./run-until-pause.ts";
import type { NemoState, QueuedUtterance, WorkflowRun } from "./state.ts";
import { requestFor } from "./turn-request.ts";

type Utterance = HeardUtterance<NemoState>;

/** Begins a turn of the workflow. */
export function startRun(later: QueuedUtterance, self: NemoContext): WorkflowRun {
  const { session } = later;
  const { asker, kind } = later.request;
  const talk: WorkflowRun = {
    ...{ session, asker, isByAgent: kind === "agent" },
    happenings: happeningsOf(later, self),
    ...{ next: undefined, waiting: undefined, hadUnrelatedText: false, isExpired: false, steps: [], trace: undefined },
  };
  session.run = talk;
  return talk;
}

async function* happeningsOf(later: QueuedUtterance, { bridge }: NemoContext): AsyncGenerator<Happening> {
  const { session } = later;
  const { run } = session;
  const request = await requestFor(later, bridge);
  // It may have been stopped before it began.
  if (session.run === run && session.client !== undefined) yield* session.client.turn(request);
}

export function replyContextOf(heard: Utterance, { bridge }: NemoContext): ReplyContext {
  const whisperer = heard.replyTo?.private === true ? heard.sender.speakerUri : undefined;
  return { ...heard, whisperer, untilMs: bridge.clock.now() + bridge.patienceMs };
}

/** A turn that somebody else waits for: its words are an utterance of their own. */
export async function* runSeparately(
  talk: WorkflowRun,
  speak: (text: string) => EventOf<"utterance">,
  scene: ReplyContext,
  self: NemoContext,
): AsyncGenerator<Streamed> {
  let text = "";
  const features = {};
  const rest: Streamed[] = [];
  for await (const piece of runUntilPause(talk, scene, self)) {
    if (typeof piece === "string") {
      text += piece;
      // Whoever is answered here waits all the same.
      yield "";
    } else if ("step" in piece) {
      // The draft is of the one who is answered here: what is done for somebody else is not shown there.
      yield "";
    } else if ("features" in piece) Object.assign(features, piece.features);
    else rest.push(piece);
  }
  if (text.trim() !== "") yield withFeatures(speak(text), features);
  yield* rest;
}
