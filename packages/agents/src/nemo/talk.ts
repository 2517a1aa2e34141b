import type { Happening } from "@plenary/nemo";
import type { EventOf } from "@plenary/protocol";
import type { HeardUtterance, Streamed } from "@plenary/sdk";
import { withFeatures } from "../with-features.ts";
import { leg, type Scene, type Self } from "./leg.ts";
import { requestFor } from "./request.ts";
import type { Later, NemoState, Talk } from "./state.ts";

type Said = HeardUtterance<NemoState>;

/** Begins a turn of the workflow. */
export function begin(later: Later, self: Self): Talk {
  const { session } = later;
  const { asker, kind } = later.matter;
  const talk: Talk = {
    ...{ session, asker, isByAgent: kind === "agent" },
    happenings: happeningsOf(later, self),
    ...{ next: undefined, waiting: undefined, hasStrayed: false, isLapsed: false, steps: [], trace: undefined },
  };
  session.talk = talk;
  return talk;
}

async function* happeningsOf(later: Later, { bridge }: Self): AsyncGenerator<Happening> {
  const { session } = later;
  const { talk } = session;
  const request = await requestFor(later, bridge);
  // It may have been stopped before it began.
  if (session.talk === talk && session.client !== undefined) yield* session.client.turn(request);
}

export function sceneOf(heard: Said, { bridge }: Self): Scene {
  const whisperer = heard.replyTo?.private === true ? heard.sender.speakerUri : undefined;
  return { ...heard, whisperer, untilMs: bridge.clock.now() + bridge.patienceMs };
}

/** A turn that somebody else waits for: its words are an utterance of their own. */
export async function* aside(
  talk: Talk,
  speak: (text: string) => EventOf<"utterance">,
  scene: Scene,
  self: Self,
): AsyncGenerator<Streamed> {
  let text = "";
  const features = {};
  const rest: Streamed[] = [];
  for await (const piece of leg(talk, scene, self)) {
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
