import type { RouteBody } from "@plenary/api";
import type { Context } from "hono";
import type { AccessContext, FloorContext, ProcessContext, ReceivingContext } from "../../context.ts";
import { personOf } from "../../conversation/new-conversation.ts";
import { Problem } from "../../errors.ts";
import { timeOf } from "../../ports/clock.ts";
import {
  type Credential,
  type CredentialStore,
  isLive,
  isSecretOf,
  newCredentialToken,
  partsOf,
} from "../../ports/credentials.ts";
import { isOperator } from "../../ports/principal.ts";
import type { Env, Mount } from "../../routing/guards.ts";

const root = "/api/v1/conversations/:id/links";
const dayS = 86_400;
/** Includes ended links, which are kept for a while. */
const linksMax = 1_000;
const liveLinksMax = 100;

/** A link admits guests, without an account, to one conversation. */
export function mountGuests(
  mount: Mount,
  server: ProcessContext & FloorContext & ReceivingContext & AccessContext,
): void {
  mount(`POST ${root}`, async (c, { body, answer }) => {
    const { conversation, token, link } = await makeLink(c, await body(), server);
    return answer({ ...viewOf(link), conversation, link: `${server.url}/#invite=${token}` }, 201);
  });
  mount(`GET ${root}`, async (c, { answer }) => {
    const conversation = c.get("floor").id;
    const links = await server.credentials.list({ kinds: ["link"], conversation, limit: linksMax });
    return answer({ links: links.map(viewOf) });
  });
  mount(`DELETE ${root}/:link`, async (c) => {
    const id = c.req.param("link") ?? "";
    const link = await server.credentials.find(id);
    const isHere = link?.kind === "link" && link.conversation === c.get("floor").id;
    if (!isHere || !(await server.credentials.revoke(id, timeOf(server.clock)))) {
      throw new Problem("not-found", { detail: "there is no such link, or it has ended" });
    }
    return c.body(null, 204);
  });
  mount("POST /api/v1/guests", async (_c, { body, answer }) => {
    const { invite, name } = await body();
    const link = await linkOf(server, invite);
    return answer(await admitGuest(server, link, name?.trim()), 201);
  });
}

/** Without the hash. */
function viewOf({ id, label, usesLeft = 0, createdAt, expiresAt = createdAt, revokedAt }: Credential) {
  return {
    id,
    ...(label !== undefined && { label }),
    usesLeft,
    createdAt,
    expiresAt,
    ...(revokedAt !== undefined && { revokedAt }),
  };
}

type NewLink = RouteBody<"POST /api/v1/conversations/:id/links">;

async function makeLink(c: Context<Env>, fields: NewLink, { clock, credentials }: ProcessContext & AccessContext) {
  const { label, uses = 1, expiresInS = dayS, speakerUri } = fields;
  const conversation = c.get("floor").id;
  const { id, token, hash } = newCredentialToken("link");
  // Every guest of the link would read and speak as that speaker.
  if (speakerUri !== undefined && !isOperator(c.get("principal"))) {
    throw new Problem("forbidden", {
      pointer: "/speakerUri",
      detail: "only the operator may set the speakerUri of a guest",
    });
  }
  await assertFewLinks(credentials, conversation, timeOf(clock));
  const link: Credential = {
    id,
    kind: "link",
    hash,
    scopes: [],
    isPerson: true,
    conversation,
    speakers: speakerUri === undefined ? [] : [speakerUri],
    usesLeft: uses,
    createdAt: timeOf(clock),
    expiresAt: timeOf(clock, 1_000 * expiresInS),
    ...(label !== undefined && { label }),
  };
  await credentials.add(link);
  return { conversation, token, link };
}

async function assertFewLinks(credentials: CredentialStore, conversation: string, now: string): Promise<void> {
  const links = await credentials.list({ kinds: ["link"], conversation, limit: linksMax });
  if (links.filter((link) => isLive(link, now)).length < liveLinksMax && links.length < linksMax) return;
  const fix = "withdraw one that is not needed any more";
  throw new Problem("refused", { detail: `a conversation has at most ${liveLinksMax} links`, fix });
}

async function linkOf({ credentials, clock }: ProcessContext & AccessContext, token: string): Promise<Credential> {
  const parts = partsOf(token);
  const link = parts?.kind === "link" ? await credentials.find(parts.id) : undefined;
  const isRight = parts !== undefined && link !== undefined && link.kind === "link" && isSecretOf(link, parts.secret);
  if (link !== undefined && isRight && isLive(link, timeOf(clock))) return link;
  throw invalidLink();
}

function invalidLink(): Problem {
  const fix = "ask the sender of the link for a new one";
  return new Problem("unauthorized", { detail: "this link is unknown, used up, withdrawn or too old", fix });
}

/** Seats the guest and issues its token. */
async function admitGuest(
  server: ProcessContext & FloorContext & ReceivingContext & AccessContext,
  link: Credential,
  name: string | undefined,
) {
  const { credentials, receiver, clock } = server;
  const { id, token, hash } = newCredentialToken("guest");
  const self = server.self;
  const { conversation = "" } = link;
  const speakerUri = link.speakers[0] ?? `${self.speakerUri}/guest/${id}`;
  if (!(await credentials.use(link.id, timeOf(clock)))) throw invalidLink();
  const identification = personOf({ speakerUri, ...(name !== undefined && { conversationalName: name }) }, self);
  try {
    await receiver.command(conversation, { verb: "seat", identification, seatKind: "person" }, { by: { by: "link" } });
  } catch (error) {
    // For example, the conversation is full: the link keeps its use.
    await credentials.giveBack(link.id);
    throw error;
  }
  const expiresAt = timeOf(clock, dayS * 1_000);
  const guest = { id, kind: "guest" as const, hash, speakers: [speakerUri], scopes: [], isPerson: true };
  await credentials.add({ ...guest, conversation, parent: link.id, createdAt: timeOf(clock), expiresAt });
  return { token, speakerUri, conversation, expiresAt };
}
