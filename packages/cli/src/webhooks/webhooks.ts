import type { OperationAnswer } from "@plenary/client";
import { isFloorProblem } from "../errors.ts";
import { type FloorOptions, withFloor } from "../floor/access.ts";
import type { ExitCode, Io } from "../io.ts";
import { printable } from "../output/sanitize.ts";

export type WebhooksOptions = FloorOptions & { json: boolean };

export type AddWebhookOptions = WebhooksOptions & {
  kind?: string[];
  eventType?: string[];
  conversation?: string;
  speaker?: string;
  label?: string;
};

type Webhook = OperationAnswer<"GET /api/v1/webhooks/:id">;

export async function addWebhook(url: string, options: AddWebhookOptions, io: Io): Promise<ExitCode> {
  const { kind: kinds, eventType: eventTypes, conversation, speaker, label, json } = options;
  return withFloor(options, io, async (floor) => {
    const given = Object.entries({ url, kinds, eventTypes, conversation, speaker, label });
    // The floor checks the names of kinds.
    const body = Object.fromEntries(given.filter(([, value]) => value !== undefined)) as { url: string };
    const made = await floor.call("POST /api/v1/webhooks", { body });
    await io.stderr.write(`This secret is not shown again: give it to the receiver now.\n  id  ${made.id}\n`);
    await io.stdout.write(json ? `${JSON.stringify(made)}\n` : `${made.secret}\n`);
    return 0;
  });
}

export async function listWebhooks(options: WebhooksOptions, io: Io): Promise<ExitCode> {
  return withFloor(options, io, async (floor) => {
    const { webhooks } = await floor.call("GET /api/v1/webhooks");
    const lines = webhooks.map((one) => `${options.json ? JSON.stringify(one) : lineOf(one)}\n`).join("");
    await io.stdout.write(lines || (options.json ? "" : "There are no webhooks. Add one: plenary webhooks add URL\n"));
    return 0;
  });
}

function lineOf({ id, url, conversation, label, state, failure, pending }: Webhook): string {
  const notes = [
    ...(label === undefined ? [] : [label]),
    ...(conversation === undefined ? [] : [`in ${conversation}`]),
    ...(pending === 0 ? [] : [`${pending} waiting`]),
    ...(failure === undefined ? [] : [failure]),
  ];
  return [id, state.padEnd("disabled".length), url, ...notes].map(printable).join("  ");
}

export async function testWebhook(id: string, options: WebhooksOptions, io: Io): Promise<ExitCode> {
  return withFloor(options, io, async (floor) => {
    const result = await known(floor.call("POST /api/v1/webhooks/:id/test", { params: { id } }));
    if (result === "unknown") return unknown(id, options, io, { id, delivered: false });
    const { delivered, status, failure = "" } = result;
    const text = delivered ? `delivered: it answered ${status}` : `not delivered: ${printable(failure)}`;
    await io.stdout.write(`${options.json ? JSON.stringify(result) : text}\n`);
    return delivered ? 0 : 1;
  });
}

export async function removeWebhook(id: string, options: WebhooksOptions, io: Io): Promise<ExitCode> {
  return withFloor(options, io, async (floor) => {
    const removed = await known(floor.call("DELETE /api/v1/webhooks/:id", { params: { id } }));
    if (removed === "unknown") return unknown(id, options, io, { id, removed: false });
    const text = options.json ? JSON.stringify({ id, removed: true }) : `${printable(id)} was removed`;
    await io.stdout.write(`${text}\n`);
    return 0;
  });
}

async function known<Answer>(answer: Promise<Answer>): Promise<Answer | "unknown"> {
  try {
    return await answer;
  } catch (problem) {
    if (isFloorProblem(problem) && problem.status === 404) return "unknown";
    throw problem;
  }
}

async function unknown(id: string, { json }: WebhooksOptions, io: Io, result: object): Promise<ExitCode> {
  if (json) await io.stdout.write(`${JSON.stringify(result)}\n`);
  else await io.stderr.write(`plenary: there is no webhook ${printable(id)}: see plenary webhooks list\n`);
  return 1;
}
