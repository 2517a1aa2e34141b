// Runs before each test file: says which mutant is active, or notes which mutants the file reaches.
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect } from "vitest";

const folder = process.env.PLENARY_MUTATION;
const active = readFileSync(join(folder, `active-${process.env.PLENARY_LANE}`), "utf8");
const reached = new Set();
// A module is evaluated once for all files of a worker: what it reaches then counts for each of them.
const reachedByLoading = globalThis.__reachedByLoading ?? new Set();
globalThis.__reachedByLoading = reachedByLoading;
let isLoading = true;

globalThis.__mutant = (id) => {
  if (active === "") (isLoading ? reachedByLoading : reached).add(id);
  return id === active;
};

beforeAll(() => {
  isLoading = false;
});

afterAll(() => {
  if (active !== "") return;
  const { testPath } = expect.getState();
  mkdirSync(join(folder, "reached"), { recursive: true });
  const ids = [...new Set([...reachedByLoading, ...reached])];
  writeFileSync(
    join(folder, "reached", `${testPath.replaceAll(/[^\w.]+/g, "_")}.json`),
    JSON.stringify({ test: testPath, ids }),
  );
});
