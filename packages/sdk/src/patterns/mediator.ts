import { isSameUri } from "@plenary/protocol";
import type { AgentOptions, Answer, Handler, StreamPart, UtteranceInput } from "../agent/handlers.ts";
import { type Agent, createAgent } from "../agent.ts";
import type { Dialler } from "../dialler/dial.ts";
import { createDialler } from "../dialler.ts";
import type { FloorAccess } from "./floor-client.ts";
import { findSubFloors, type Invitee, openSubFloor, resumeSubFloor, type SubFloor } from "./sub-floor.ts";

export type SubFloorRequest = { title?: string; invite?: readonly Invitee[] };

export type MediatorInput<State> = UtteranceInput<State> & {
  /**
   * Returns a sub-floor of this conversation: an open one with the same title, or a new one. A private utterance gets a
   * sub-floor of its own, which closes when the handler ends.
   */
  subFloor: (wish?: SubFloorRequest) => Promise<SubFloor>;
};

export type MediatorOptions<State> = Omit<AgentOptions<State>, "onUtterance"> & {
  /** The Plenary floor of the sub-floors, and a key there for the mediator with the right to host. */
  floor: { url: string; token: string };
  dialler?: Dialler;
  onUtterance: Handler<MediatorInput<State>>;
};

/**
 * Spec 0.3, mediation: an agent that holds conversations behind the scenes and answers in its own words. Its sub-floors close
 * when it is uninvited.
 */
export function createMediator<State = Record<string, unknown>>(options: MediatorOptions<State>): Agent {
  const { floor, dialler = createDialler({ mode: "local", exemptOrigins: [new URL(floor.url).origin] }) } = options;
  const { identification } = options.manifest;
  const access = { floor: floor.url, token: floor.token, as: identification.speakerUri, dialler };
  const opening = new Map<string, Promise<SubFloor>>();
  return createAgent<State>({
    ...options,
    async onUtterance(input) {
      const secret: SubFloor[] = [];
      const about = { ...access, ...aboutOf(input), name: identification.conversationalName };
      const subFloor = async (wish: SubFloorRequest = {}) => {
        if (!input.isPrivate) return sharedSubFloor(opening, { ...about, ...wish });
        const opened = await openSubFloor({ ...about, ...wish, title: whisperedTitle(wish.title) });
        secret.push(opened);
        return opened;
      };
      const close = () => Promise.all(secret.map((one) => one.close()));
      return closeWhenAnswered(() => options.onUtterance({ ...input, subFloor }), close);
    },
    async onUninvite(input) {
      await options.onUninvite?.(input);
      // The floor aborts the request soon after an uninvite, so no signal is passed on here.
      const about = { ...access, parent: input.conversation.id };
      for (const { id, isClosed } of await findSubFloors(about)) {
        if (!isClosed) await resumeSubFloor({ ...about, id }).close();
      }
      return undefined;
    },
  });
}

type TurnInput = Pick<UtteranceInput<unknown>, "conversation" | "baggage" | "traceparent" | "signal">;

function aboutOf({ conversation, baggage, traceparent, signal }: TurnInput) {
  return {
    parent: conversation.id,
    signal,
    ...(baggage !== undefined && { baggage }),
    ...(traceparent !== undefined && { traceparent }),
  };
}

const titleCharsMax = 100;

/** A unique title, so that a public utterance never finds this sub-floor, even if a crash left it open. */
function whisperedTitle(title = ""): string {
  return `${title.slice(0, titleCharsMax)} (whispered ${crypto.randomUUID()})`.trim();
}

type WantedSubFloor = FloorAccess & SubFloorRequest & { parent: string; name: string };

/** Concurrent requests get the same sub-floor. Each has a handle of its own. */
async function sharedSubFloor(opening: Map<string, Promise<SubFloor>>, wanted: WantedSubFloor): Promise<SubFloor> {
  const key = JSON.stringify([wanted.parent, wanted.title]);
  const known = opening.get(key);
  if (known !== undefined) return resumeSubFloor({ ...wanted, id: (await known).id });
  const opened = findOrOpen(wanted).finally(() => opening.delete(key));
  opening.set(key, opened);
  return opened;
}

/** After a restart the mediator has no state, so the open sub-floor is looked up on the floor. */
async function findOrOpen(wanted: WantedSubFloor): Promise<SubFloor> {
  const open = (await findSubFloors(wanted)).find((one) => !one.isClosed && one.title === wanted.title);
  if (open === undefined) return openSubFloor(wanted);
  const subFloor = resumeSubFloor({ ...wanted, id: open.id });
  const here = await subFloor.conversants();
  for (const invitee of wanted.invite ?? []) {
    const { serviceUrl } = typeof invitee === "string" ? { serviceUrl: invitee } : invitee;
    if (!here.some((one) => isSameUri(one.serviceUrl, serviceUrl))) await subFloor.invite(invitee);
  }
  return subFloor;
}

/** A streamed answer ends with its last part. */
async function closeWhenAnswered(work: () => Answer | Promise<Answer>, close: () => Promise<unknown>): Promise<Answer> {
  let isStreaming = false;
  try {
    const answer = await work();
    if (typeof answer !== "object" || !(Symbol.asyncIterator in answer)) return answer;
    isStreaming = true;
    return closing(answer, close);
  } finally {
    if (!isStreaming) await close();
  }
}

async function* closing(stream: AsyncIterable<StreamPart>, close: () => Promise<unknown>): AsyncGenerator<StreamPart> {
  try {
    yield* stream;
  } finally {
    await close();
  }
}
