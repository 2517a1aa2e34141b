import type { RunEvent } from "@plenary/nemo";
import type { EventOf } from "@plenary/protocol";
import type { StreamPart, UtteranceInput } from "@plenary/sdk";
import { withFeatures } from "../with-features.ts";
import { type NemoContext, type ReplyContext, runUntilPause } from "./run-until-pause.ts";
import type { NemoState, QueuedUtterance, WorkflowRun } from "./state.ts";
import { requestFor } from "./turn-request.ts";

type Utterance = UtteranceInput<NemoState>;

/** Starts a run of the workflow in the session. */
export function startRun(queued: QueuedUtterance, agent: NemoContext): WorkflowRun {
  const { session } = queued;
  const { asker, kind } = queued.request;
  const run: WorkflowRun = {
    session,
    asker,
    isByAgent: kind === "agent",
    happenings: happeningsOf(queued, agent),
    next: undefined,
    waiting: undefined,
    hadUnrelatedText: false,
    isExpired: false,
    steps: [],
    trace: undefined,
  };
  session.run = run;
  return run;
}

async function* happeningsOf(queued: QueuedUtterance, { config }: NemoContext): AsyncGenerator<RunEvent> {
  const { session } = queued;
  const { run } = session;
  const request = await requestFor(queued, config);
  // The run may have been stopped before the request was ready.
  if (session.run === run && session.client !== undefined) yield* session.client.run(request);
}

export function replyContextOf(heard: Utterance, { config }: NemoContext): ReplyContext {
  const whisperer = heard.replyTo?.private === true ? heard.sender.speakerUri : undefined;
  return { ...heard, whisperer, untilMs: config.clock.now() + config.patienceMs };
}

/** A run for another person: its text becomes an utterance of its own. */
export async function* runSeparately(
  run: WorkflowRun,
  speak: (text: string) => EventOf<"utterance">,
  context: ReplyContext,
  agent: NemoContext,
): AsyncGenerator<StreamPart> {
  let text = "";
  const features = {};
  const rest: StreamPart[] = [];
  for await (const piece of runUntilPause(run, context, agent)) {
    if (typeof piece === "string") {
      text += piece;
      // Keeps the answer in progress alive.
      yield "";
    } else if ("step" in piece) {
      // The draft belongs to the person who is answered here: steps for another person are not shown in it.
      yield "";
    } else if ("features" in piece) Object.assign(features, piece.features);
    else rest.push(piece);
  }
  if (text.trim() !== "") yield withFeatures(speak(text), features);
  yield* rest;
}
