// The names of deliveries can be guessed by counting: knowing one proves nothing.
import { afterEach, expect, test, vi } from "vitest";
import { ann, envelopeOf, type Json, utterance } from "../support/envelopes.ts";
import { silent, startAgent, textsIn } from "../support/http-agent.ts";
import { startTestFloor } from "../support/start-test-floor.ts";
import { patience } from "../support/wait-for.ts";
import { type FloorWithRoles, type Role, speakerOf, startFloorWithRoles } from "./floor-with-roles.ts";

let withRoles: FloorWithRoles;
afterEach(async () => {
  await withRoles.close();
  expect(withRoles.errors).toEqual([]);
});

const c = "/api/v1/conversations/c";

const answers = (role: Role, delivery: string, events: readonly Json[] = []) =>
  withRoles.call(role, "POST", "/openfloor", envelopeOf("c", speakerOf(role), events), { "in-reply-to": delivery });

const whole = async () => [
  (await withRoles.must(200, "operator", "GET", c)).body,
  (await withRoles.must(200, "operator", "GET", `${c}/log?limit=1000`)).body,
];

/** All deliveries that may still be answered. */
async function deliveries(): Promise<{ id: string; to: string }[]> {
  const { body } = await withRoles.must(200, "operator", "GET", `${c}/log?limit=1000`);
  const { entries } = body as { entries: { deliveries?: { id: string; to: string }[] }[] };
  return entries.flatMap(({ deliveries: sent = [] }) => sent);
}

test('an outsider that answers a delivery to others gets "not found", and changes nothing', async () => {
  withRoles = await startFloorWithRoles();
  await withRoles.send("person", [utterance(speakerOf("person"), "hello all")]);
  const before = await whole();
  for (const { id } of [...(await deliveries()), { id: "d1.0" }, { id: "d999.9" }]) {
    for (const role of ["outsider", "former"] as const) {
      expect([id, (await answers(role, id, [utterance(speakerOf(role), "me")])).status]).toEqual([id, 404]);
    }
  }
  expect(await whole()).toEqual(before);
});

test("a conversant answers deliveries to itself, and none to others", async () => {
  withRoles = await startFloorWithRoles();
  await withRoles.send("person", [utterance(speakerOf("person"), "hello all")]);
  const before = await whole();
  const sent = await deliveries();
  for (const { id, to } of sent) {
    for (const role of ["agent", "person", "owner"] as const) {
      if (to === speakerOf(role)) continue;
      const { status } = await answers(role, id, [utterance(speakerOf(role), "me")]);
      // The delivery to a conversant that has left is cancelled: an answer to it is accepted and recorded as late.
      expect([id, role, status]).toEqual([id, role, to === speakerOf("former") ? 200 : 403]);
    }
  }
  const [state] = await whole();
  const { conversants } = state as { conversants: Json[] };
  expect(conversants).toEqual((before[0] as { conversants: Json[] }).conversants);
  const own = sent.findLast(({ to }) => to === speakerOf("agent"));
  const { status } = await answers("agent", own?.id ?? "", [utterance(speakerOf("agent"), "hello person")]);
  expect(status).toBe(200);
  expect(JSON.stringify(await whole())).toContain("hello person");
});

test("an answer under another speaker's name gets 403, in time or late, and the delivery stays open", async () => {
  withRoles = await startFloorWithRoles({ hasConvener: false });
  await withRoles.send("person", [utterance(speakerOf("person"), "hello all")]);
  const own = (await deliveries()).findLast(({ to }) => to === speakerOf("agent"))?.id ?? "";
  const before = await whole();
  expect((await answers("person", own, [utterance(speakerOf("person"), "me")])).status).toBe(403);
  expect(await whole()).toEqual(before);
  expect((await answers("agent", own, [utterance(speakerOf("agent"), "hello")])).status).toBe(200);
  const answered = await whole();
  expect((await answers("person", own, [utterance(speakerOf("person"), "me")])).status).toBe(403);
  expect(await whole()).toEqual(answered);
});

test("an invite cannot be accepted by another speaker", async () => {
  withRoles = await startFloorWithRoles({ hasConvener: false });
  const invite = (await deliveries()).find(({ to }) => to === speakerOf("invited"));
  for (const role of ["outsider", "former", "agent"] as const) {
    expect((await answers(role, invite?.id ?? "")).status).not.toBe(200);
  }
  const { body } = await withRoles.must(200, "operator", "GET", c);
  const names = (body as { conversants: { identification: { speakerUri: string } }[] }).conversants.map(
    ({ identification }) => identification.speakerUri,
  );
  expect(names).toContain(speakerOf("invited"));
  expect(names).not.toContain(speakerOf("outsider"));
});

test("a conversation that has ended is not visible to outsiders either", async () => {
  withRoles = await startFloorWithRoles();
  await withRoles.must(200, "owner", "POST", `${c}/close`, {});
  const said = (id: string) =>
    withRoles.call("outsider", "POST", "/openfloor", envelopeOf(id, speakerOf("outsider"), []));
  const [ended, none] = [await said("c"), await said("none")];
  expect([ended.status, ended.body]).toEqual([none.status, none.body]);
  expect((await withRoles.send("owner", [utterance(speakerOf("owner"), "too late")])).status).toBe(409);
});

test("without a credential only the webhook-id of the delivery answers it, for its recipient alone", async () => {
  withRoles = await startFloorWithRoles();
  const floor = await startTestFloor();
  const agent = await startAgent((heard, self) =>
    textsIn(heard).length > 0 ? { status: 202, body: "" } : silent(heard, self),
  );
  const ids = ["c", "d"];
  for (const id of ids) await floor.invite(id, agent);
  for (const id of ids) await floor.say(id, "hello", { wait: 0 });
  await vi.waitFor(() => expect(agent.heard.filter((heard) => textsIn(heard).length > 0)).toHaveLength(2), patience);
  const [right = "", elsewhere = ""] = ids.map((id) => {
    const heard = agent.heard.find((one) => textsIn(one).length > 0 && one.text.includes(`"id":"${id}"`));
    return String(heard?.headers["webhook-id"]);
  });
  const post = async (inReplyTo: string, speakerUri = agent.speakerUri) => {
    const body = JSON.stringify(envelopeOf("c", speakerUri, [utterance(speakerUri, "answer")]));
    const headers = { "content-type": "application/json", "in-reply-to": inReplyTo };
    return (await fetch(`${floor.url}/openfloor`, { method: "POST", headers, body })).status;
  };
  const before = await floor.log("c");
  const [mark = "", delivery = ""] = right.split(":");
  const other = mark.startsWith("A") ? "B" : "A";
  for (const wrong of [elsewhere, `${other}${mark.slice(1)}:${delivery}`, delivery, `:${delivery}`, mark]) {
    expect([wrong, await post(wrong)]).toEqual([wrong, 401]);
  }
  expect(await post(right, ann)).toBe(403);
  expect(await floor.log("c")).toEqual(before);
  expect(await post(right)).toBe(200);
  expect(JSON.stringify((await floor.log("c")).slice(before.length))).toContain("answer/in-time");
  await floor.close();
});
