import { isSameUri } from "@plenary/protocol";
import type { AgentOptions, Answer, Handler, HeardUtterance, Streamed } from "../agent/handlers.ts";
import { type Agent, createAgent } from "../agent.ts";
import type { Dialler } from "../dialler/dial.ts";
import { createDialler } from "../dialler.ts";
import type { FloorAccess } from "./floor-client.ts";
import { findSubFloors, type Invitee, openSubFloor, resumeSubFloor, type SubFloor } from "./sub-floor.ts";

export type SubFloorWish = { title?: string; invite?: readonly Invitee[] };

export type HeardByMediator<State> = HeardUtterance<State> & {
  /**
   * The conversation behind this one: the open one of that title if there is one, whoever opened it, else a new one. For a
   * whisper there is one of its own, closed when the handler is done.
   */
  subFloor: (wish?: SubFloorWish) => Promise<SubFloor>;
};

export type MediatorOptions<State> = Omit<AgentOptions<State>, "onUtterance"> & {
  /** Where its sub-floors are: any floor of Plenary, and a key there that speaks as the mediator and may host. */
  floor: { url: string; token: string };
  dialler?: Dialler;
  onUtterance: Handler<HeardByMediator<State>>;
};

/**
 * Spec 0.3, mediation: an agent that holds whole conversations behind the scenes and comes back with words of its own. What it
 * has opened is closed when it is uninvited.
 */
export function createMediator<State = Record<string, unknown>>(options: MediatorOptions<State>): Agent {
  const { floor, dialler = createDialler({ mode: "local", exemptOrigins: [new URL(floor.url).origin] }) } = options;
  const { identification } = options.manifest;
  const access = { floor: floor.url, token: floor.token, as: identification.speakerUri, dialler };
  const opening = new Map<string, Promise<SubFloor>>();
  return createAgent<State>({
    ...options,
    async onUtterance(heard) {
      const secret: SubFloor[] = [];
      const about = { ...access, ...aboutOf(heard), name: identification.conversationalName };
      const subFloor = async (wish: SubFloorWish = {}) => {
        if (!heard.isPrivate) return shared(opening, { ...about, ...wish });
        const opened = await openSubFloor({ ...about, ...wish, title: whisperedTitle(wish.title) });
        secret.push(opened);
        return opened;
      };
      const close = () => Promise.all(secret.map((one) => one.close()));
      return finished(() => options.onUtterance({ ...heard, subFloor }), close);
    },
    async onUninvite(heard) {
      await options.onUninvite?.(heard);
      // The floor soon cuts off whom it has uninvited; this is done all the same.
      const about = { ...access, parent: heard.conversation.id };
      for (const { id, isClosed } of await findSubFloors(about)) {
        if (!isClosed) await resumeSubFloor({ ...about, id }).close();
      }
      return undefined;
    },
  });
}

type About = Pick<HeardUtterance<unknown>, "conversation" | "baggage" | "traceparent" | "signal">;

function aboutOf({ conversation, baggage, traceparent, signal }: About) {
  return {
    ...{ parent: conversation.id, signal },
    ...(baggage !== undefined && { baggage }),
    ...(traceparent !== undefined && { traceparent }),
  };
}

const titleCharsMax = 100;

/** Nobody else's: what is said to everyone does not find it, not even after a crash that kept it from being closed. */
function whisperedTitle(title = ""): string {
  return `${title.slice(0, titleCharsMax)} (whispered ${crypto.randomUUID()})`.trim();
}

type Wanted = FloorAccess & SubFloorWish & { parent: string; name: string };

/** Two words at the same time lead to one sub-floor, each with its own way to it. */
async function shared(opening: Map<string, Promise<SubFloor>>, wanted: Wanted): Promise<SubFloor> {
  const key = JSON.stringify([wanted.parent, wanted.title]);
  const known = opening.get(key);
  if (known !== undefined) return resumeSubFloor({ ...wanted, id: (await known).id });
  const opened = found(wanted).finally(() => opening.delete(key));
  opening.set(key, opened);
  return opened;
}

/** After a restart nothing is remembered here, and everything there. */
async function found(wanted: Wanted): Promise<SubFloor> {
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

/** A stream is done when its last word is. */
async function finished(work: () => Answer | Promise<Answer>, close: () => Promise<unknown>): Promise<Answer> {
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

async function* closing(stream: AsyncIterable<Streamed>, close: () => Promise<unknown>): AsyncGenerator<Streamed> {
  try {
    yield* stream;
  } finally {
    await close();
  }
}
