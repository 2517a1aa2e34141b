// Every route for every role: who may use it, and the status for all others. A route without a row here does not compile.
import { operations, type Route } from "@plenary/api";
import { expect, test } from "vitest";
import { envelopeOf, type Json, utterance } from "../support/envelopes.ts";
import { type FloorWithRoles, type Role, roles, speakerOf, startFloorWithRoles } from "./floor-with-roles.ts";

type Row = {
  path?: string | ((floor: FloorWithRoles) => Promise<string>);
  body?: (role: Role) => Json;
  allowed: Answers;
};

/** The status for each role; a role that is not named has the default of the kind of route. */
type Answers = Partial<Record<Role, number>>;

const everyone = (status: number): Answers => Object.fromEntries(roles.map((role) => [role, status]));
const known = (status: number): Answers => ({ ...everyone(status), anonymous: 401 });
const hosts = (status: number): Answers => ({
  ...known(403),
  operator: status,
  owner: status,
  person: status,
});
/** A caller without a seat does not learn that the conversation exists. */
const present = (status: number): Answers => ({ ...known(status), former: 404, outsider: 404 });
const owners = (status: number): Answers => ({ ...present(403), operator: status, owner: status });
/** Any person in the conversation, including the owner. */
const persons = (status: number): Answers => ({ ...owners(status), person: status });
const operators = (status: number): Answers => ({ ...known(403), operator: status });

/** People: a NeMo client is a person, the credential of an agent is not. On loopback a caller without a credential is a guest. */
const nemo = (status: number): Answers => ({ ...hosts(status), anonymous: status });
const question = () => ({ messages: [{ role: "user", content: "hello" }] });

const c = "/api/v1/conversations/c";
const agent = { speakerUri: speakerOf("agent") };

/** A webhook of the owner. */
const hookPath =
  (rest = "") =>
  async ({ must }: FloorWithRoles): Promise<string> => {
    const url = "https://receiver.example/";
    const { body } = await must(201, "owner", "POST", "/api/v1/webhooks", { url, conversation: "c" });
    return `/api/v1/webhooks/${(body as Json).id}${rest}`;
  };
const hookOwners = (status: number): Answers => ({ ...known(404), operator: status, owner: status });

const rows: Record<Route, Row> = {
  "GET /": { allowed: everyone(200) },
  // This floor has no page.
  "GET /assets/:name": { path: "/assets/page.js", allowed: everyone(404) },
  "GET /favicon.svg": { allowed: everyone(404) },
  "GET /widget.js": { allowed: everyone(404) },
  "GET /livez": { allowed: everyone(200) },
  "GET /readyz": { allowed: everyone(200) },
  "GET /health": { allowed: everyone(200) },
  "GET /version": { allowed: everyone(200) },
  "GET /openapi.json": { allowed: everyone(200) },
  "GET /asyncapi.json": { allowed: everyone(200) },
  // This floor has no API reference.
  "GET /docs/api": { allowed: everyone(404) },
  "GET /docs/api/:name": { path: "/docs/api/viewer.js", allowed: everyone(404) },
  "GET /metrics": { allowed: operators(200) },
  "ALL /agents/:name": { path: "/agents/nobody", allowed: everyone(404) },
  "POST /openfloor": {
    body: (role) => envelopeOf("c", speakerOf(role), [utterance(speakerOf(role), "hello")]),
    allowed: present(200),
  },
  "ALL /openfloor": { allowed: everyone(405) },
  "POST /openfloor/at/:speaker": {
    path: `/openfloor/at/${Buffer.from("tag:nobody.example,2026:1").toString("base64url")}`,
    body: (role) => envelopeOf("elsewhere", speakerOf(role), []),
    // The same as for the address of a person.
    allowed: everyone(403),
  },
  "GET /openfloor/events": { allowed: known(200) },
  "GET /openfloor/ws": { allowed: known(101) },
  // A NeMo client is a person, and on loopback every caller is one. All of these credentials except two belong to agents.
  "GET /websocket": {
    allowed: { ...everyone(403), operator: 101, owner: 101, person: 101, anonymous: 101 },
  },
  // No agent has joined that could answer.
  "POST /chat": { body: question, allowed: nemo(200) },
  "POST /chat/stream": { body: question, allowed: nemo(200) },
  "POST /generate": { body: question, allowed: nemo(200) },
  "POST /generate/stream": { body: question, allowed: nemo(200) },
  "POST /generate/full": { body: question, allowed: nemo(200) },
  "POST /v1/chat": { body: question, allowed: nemo(200) },
  "POST /v1/chat/stream": { body: question, allowed: nemo(200) },
  "POST /v1/workflow": { body: question, allowed: nemo(200) },
  "POST /v1/workflow/stream": { body: question, allowed: nemo(200) },
  "POST /v1/workflow/full": { body: question, allowed: nemo(200) },
  "POST /v1/chat/completions": { body: question, allowed: nemo(200) },
  // The execution does not exist.
  "GET /executions/:execution": { path: "/executions/none", allowed: nemo(404) },
  "POST /executions/:execution/interactions/:interaction/response": {
    path: "/executions/none/interactions/none/response",
    body: () => ({ response: { text: "yes" } }),
    allowed: nemo(404),
  },
  "POST /v1/responses": { body: () => ({ input: "hello" }), allowed: nemo(200) },
  "GET /v1/responses/:response": { path: "/v1/responses/resp_1", allowed: nemo(404) },
  "GET /v1/models": { allowed: nemo(200) },
  "GET /v1/models/:model": { path: "/v1/models/plenary", allowed: nemo(200) },
  "GET /mcp/client/tool/list": { allowed: nemo(200) },
  "POST /feedback": {
    body: () => ({ observability_trace_id: "a".repeat(32), comment: "good" }),
    allowed: { ...nemo(200), anonymous: 401 },
  },
  "POST /api/v1/tickets": { body: (role) => ({ speaker: speakerOf(role) }), allowed: known(201) },
  "POST /api/v1/guests": {
    body: () => ({ invite: `plenaryi_${"a".repeat(16)}_${"b".repeat(43)}` }),
    allowed: everyone(401),
  },
  "GET /api/v1/me": { allowed: known(200) },
  "POST /api/v1/sessions": { body: () => ({ name: "Ann" }), allowed: operators(201) },
  // Holders of a key or of the operator's token cannot end it.
  "DELETE /api/v1/sessions": { allowed: known(422) },
  "GET /api/v1/agents": { allowed: hosts(200) },
  // The dialler of this floor never connects: the request is sent, or it is refused.
  "POST /api/v1/agents": { body: () => ({ serviceUrl: "not a url" }), allowed: hosts(400) },
  "POST /api/v1/agents/check": { body: () => ({}), allowed: hosts(200) },
  "DELETE /api/v1/agents": { path: "/api/v1/agents?serviceUrl=http://nobody.example/", allowed: operators(404) },
  // This floor has no discovery agent.
  "POST /api/v1/discover": { body: () => ({ text: "help" }), allowed: hosts(404) },
  "GET /api/v1/conversations": { allowed: known(200) },
  "POST /api/v1/conversations": {
    body: (role) => ({ owner: { identification: { speakerUri: speakerOf(role) } } }),
    allowed: hosts(201),
  },
  "GET /api/v1/conversations/:id": { path: c, allowed: present(200) },
  "GET /api/v1/conversations/:id/log": { path: `${c}/log`, allowed: { ...present(200), former: 200 } },
  "GET /api/v1/conversations/:id/export": {
    path: `${c}/export?format=markdown`,
    allowed: { ...present(200), former: 200 },
  },
  "GET /api/v1/conversations/:id/feedback": {
    path: `${c}/feedback`,
    allowed: { ...present(200), former: 200 },
  },
  "POST /api/v1/conversations/:id/close": { path: `${c}/close`, body: () => ({}), allowed: owners(200) },
  "POST /api/v1/conversations/:id/title": {
    path: `${c}/title`,
    body: () => ({ title: "Birds" }),
    allowed: owners(200),
  },
  "POST /api/v1/conversations/:id/pause": { path: `${c}/pause`, body: () => ({}), allowed: persons(200) },
  "POST /api/v1/conversations/:id/resume": { path: `${c}/resume`, body: () => ({}), allowed: persons(200) },
  "POST /api/v1/conversations/:id/convener": {
    path: `${c}/convener`,
    body: () => ({ speakerUri: null }),
    allowed: owners(200),
  },
  "POST /api/v1/conversations/:id/role": {
    path: `${c}/role`,
    body: () => ({ ...agent, role: "archivist" }),
    allowed: owners(200),
  },
  "POST /api/v1/conversations/:id/remove": { path: `${c}/remove`, body: () => agent, allowed: owners(200) },
  "POST /api/v1/conversations/:id/seat": {
    path: `${c}/seat`,
    body: () => ({ identification: { speakerUri: "tag:new.example,2026:1" } }),
    allowed: owners(200),
  },
  "POST /api/v1/conversations/:id/rebind": {
    path: `${c}/rebind`,
    body: () => ({ speakerUri: "tag:away.example,2026:1", serviceUrl: "https://moved.example/" }),
    allowed: owners(200),
  },
  // No agent asked for a move at this floor.
  "POST /api/v1/conversations/:id/move": {
    path: `${c}/move`,
    body: () => ({ ...agent, allow: true }),
    allowed: owners(404),
  },
  "POST /api/v1/conversations/:id/reveal": {
    path: `${c}/reveal`,
    body: () => ({ ...agent, from: 1 }),
    allowed: owners(200),
  },
  "POST /api/v1/conversations/:id/erase": { path: `${c}/erase`, body: () => ({ seq: 6 }), allowed: owners(200) },
  "GET /api/v1/conversations/:id/links": { path: `${c}/links`, allowed: owners(200) },
  "POST /api/v1/conversations/:id/links": { path: `${c}/links`, body: () => ({}), allowed: owners(201) },
  "DELETE /api/v1/conversations/:id/links/:link": {
    async path({ must }) {
      const { body } = await must(201, "owner", "POST", `${c}/links`, {});
      return `${c}/links/${(body as Json).id}`;
    },
    allowed: owners(204),
  },
  "GET /api/v1/dead-letters": { allowed: operators(200) },
  "GET /api/v1/dead-letters/:id": { path: "/api/v1/dead-letters/none", allowed: operators(404) },
  "POST /api/v1/dead-letters/:id/redrive": { path: "/api/v1/dead-letters/none/redrive", allowed: operators(404) },
  "POST /api/v1/webhooks": {
    body: () => ({ url: "https://receiver.example/", conversation: "c" }),
    allowed: { ...present(403), operator: 201, owner: 201 },
  },
  "GET /api/v1/webhooks": { allowed: known(200) },
  "GET /api/v1/webhooks/:id": { path: hookPath(), allowed: hookOwners(200) },
  "DELETE /api/v1/webhooks/:id": { path: hookPath(), allowed: hookOwners(204) },
  // The dialler of this floor never connects, so a test waits for its timeout.
  "POST /api/v1/webhooks/:id/test": { path: "/api/v1/webhooks/none/test", allowed: known(404) },
  "POST /api/v1/webhooks/:id/enable": { path: hookPath("/enable"), allowed: hookOwners(200) },
  "POST /api/v1/webhooks/:id/secret": { path: hookPath("/secret"), allowed: hookOwners(200) },
  "GET /api/v1/webhooks/:id/dead-letters": { path: hookPath("/dead-letters"), allowed: hookOwners(200) },
  "POST /api/v1/webhooks/:id/dead-letters/:letter/redrive": {
    path: hookPath("/dead-letters/none/redrive"),
    allowed: known(404),
  },
  // The issuer cannot be reached and no sign-in has begun; a sign-out comes from a page of the floor.
  "GET /login": { allowed: everyone(503) },
  "GET /login/callback": { allowed: everyone(401) },
  "POST /logout": { allowed: everyone(403) },
};

async function ask(floor: FloorWithRoles, route: Route, role: Role): Promise<number> {
  const [method = "", pattern = ""] = route.split(" ");
  const { path = pattern, body } = rows[route];
  const query = `speaker=${encodeURIComponent(speakerOf(role))}`;
  if (route === "GET /openfloor/ws" || route === "GET /websocket") return floor.upgrade(role, `${pattern}?${query}`);
  const place = typeof path === "string" ? path : await path(floor);
  const whole = route === "GET /openfloor/events" ? `${place}?${query}` : place;
  return (await floor.call(role, method === "ALL" ? "PUT" : method, whole, body?.(role))).status;
}

test.each(Object.keys(rows) as Route[])("%s", async (route) => {
  const { allowed } = rows[route];
  // Neither a refused request (see the next test) nor a reading one changes anything, so these share a floor.
  const isRefused = (role: Role) => (allowed[role] ?? 0) >= 400 || route.startsWith("GET ");
  for (const group of [roles.filter(isRefused), ...roles.filter((role) => !isRefused(role)).map((role) => [role])]) {
    const floor = await startFloorWithRoles();
    for (const role of group) expect([role, await ask(floor, route, role)]).toEqual([role, allowed[role]]);
    await floor.close();
    expect(floor.errors).toEqual([]);
  }
});

test("a refused request changes nothing", async () => {
  for (const route of Object.keys(rows) as Route[]) {
    // The test creates a link first, to withdraw it.
    const isCommand = route.startsWith("POST /api/v1/conversations/:id/");
    if ((operations[route].access !== "owner" && !isCommand) || route.startsWith("DELETE")) continue;
    const floor = await startFloorWithRoles();
    const whole = async () => [
      await floor.call("operator", "GET", c),
      await floor.call("operator", "GET", `${c}/links`),
    ];
    await floor.must(201, "owner", "POST", `${c}/links`, {});
    const before = (await whole()).map(({ body }) => body);
    const { allowed } = rows[route];
    for (const role of roles.filter((one) => (allowed[one] ?? 0) >= 400)) await ask(floor, route, role);
    expect([route, ...(await whole()).map(({ body }) => body)]).toEqual([route, ...before]);
    await floor.close();
  }
});

test("a missing conversation and a conversation of others get the same answer", async () => {
  const floor = await startFloorWithRoles();
  for (const [route, { body, path }] of Object.entries(rows)) {
    if (!route.includes("/conversations/:id") || typeof path !== "string") continue;
    const [method = ""] = route.split(" ");
    const mine = await floor.call("outsider", method, path, body?.("outsider"));
    const none = await floor.call(
      "outsider",
      method,
      path.replace("/conversations/c", "/conversations/none"),
      body?.("outsider"),
    );
    expect([route, mine.status, mine.body]).toEqual([route, none.status, none.body]);
  }
  const said = (id: string) => floor.call("outsider", "POST", "/openfloor", envelopeOf(id, speakerOf("outsider"), []));
  const [there, nowhere] = [await said("c"), await said("none")];
  expect([there.status, there.body]).toEqual([nowhere.status, nowhere.body]);
  await floor.close();
});

test("every route is described in /openapi.json, and no other route is", async () => {
  const floor = await startFloorWithRoles();
  const { body } = await floor.call("anonymous", "GET", "/openapi.json");
  const described = Object.entries((body as { paths: Record<string, Json> }).paths).flatMap(([path, methods]) =>
    Object.keys(methods).map((method) => `${method.toUpperCase()} ${path.replace(/\{(\w+)\}/gu, ":$1")}`),
  );
  // A route for all methods is described by the one method that has an effect.
  const named = Object.keys(operations).flatMap((route) => {
    if (route === "ALL /openfloor") return [];
    return [route.replace("ALL /agents", "POST /agents")];
  });
  expect(described.sort()).toEqual(named.sort());
  await floor.close();
});
