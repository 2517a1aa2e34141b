// A floor whose convener asks a scripted model.
import { createLlmConvener } from "@plenary/agents";
import { createDialler } from "@plenary/sdk";
import { afterEach, expect } from "vitest";
import { type Play, type StubModel, says, startModel } from "../support/stub-model.ts";
import { type ConvenedFloor, startConvenedFloor } from "./convened-floor.ts";

const dialler = createDialler({ mode: "local" });
export const key = "sk-a-key-that-nobody-may-see";
const closing: { close: () => Promise<void> }[] = [];

/** To be called in each test file: closes everything that a test started. */
export function closeAfterEach(): void {
  afterEach(async () => {
    for (const one of closing.splice(0).reverse()) await one.close();
  });
}

export type Settings = Partial<Parameters<typeof createLlmConvener>[0]>;

/** Ann owns the conversation; Ben, Cid and Dan have joined. Only Ann has the floor. */
export async function open(plays: Play[], settings: Settings = {}) {
  const model = await startModel(...plays);
  closing.push(model);
  const errors: unknown[] = [];
  const onError = (error: unknown) => errors.push(error);
  const floor = await startConvenedFloor({
    convener: "convener-llm",
    people: ["ben", "cid", "dan"],
    others: {
      "convener-llm": (options) => {
        const endpoint = { baseUrl: model.baseUrl, model: "stub-7b", key, dialler, onError };
        return createLlmConvener({ ...endpoint, deadlineMs: 5_000, ...options, ...settings });
      },
    },
  });
  closing.push(floor);
  return { model, floor, errors };
}

export function chooses(choice: string, why = "notNow"): Play {
  return says(JSON.stringify({ choice, why }));
}

/** The parts of a prompt. */
export function promptIn({ body }: StubModel["asked"][number]) {
  const [system, user] = body.messages.map(({ content }) => content);
  const [, document = "{}"] = user?.split("\n") ?? [];
  return { system, user, known: JSON.parse(document) };
}

/** A convener that misses its deadlines loses its role. */
export async function expectCarriesOn(floor: ConvenedFloor) {
  const entries = await floor.log();
  expect(entries.filter(({ kind }) => kind === "missed")).toEqual([]);
  expect(await floor.convener()).toBe("convener-llm");
  expect(await floor.present()).toContain("ann");
}
