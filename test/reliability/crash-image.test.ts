import { copyFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createSqliteStore, verifySqlite } from "@plenary/server";
import { afterAll, beforeAll, expect, test } from "vitest";
import { isNightly, report } from "../support/nightly.ts";
import { newSeed, seeded } from "../support/random.ts";
import { createLife, type Step, stepsIn } from "./decisions.ts";
import { openSqlite } from "./sqlite-file.ts";
import { createWalView } from "./wal.ts";

const scenarios = isNightly ? 20 : 1;
const conversations = 3;

let folder = "";

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "plenary-crash-image-"));
});

afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** The file and its write-ahead log at the end of a run, and the length of the log at each acknowledgement. */
type Life = {
  main: Buffer;
  wal: Buffer;
  /** The content of the log before it was restarted over its old content. */
  stale: Buffer;
  steps: Step[];
  acknowledged: { steps: number; usedBytes: number }[];
};

/** Ends in the first generation of the log, or in a later one, which overwrites what was copied into the file. */
async function live(random: (below: number) => number, isRenewed: boolean): Promise<Life> {
  const file = join(folder, "life.db");
  for (const end of ["", "-wal", "-shm", "-lock"]) rmSync(`${file}${end}`, { force: true });
  const store = createSqliteStore(file);
  const life = createLife(random, conversations);
  const steps: Step[] = [];
  let acknowledged: Life["acknowledged"] = [];
  let main = readFileSync(file);
  let stale = readFileSync(`${file}-wal`);
  const first = createWalView(stale).salt;
  for (let last = first, more = 18; more > 0; ) {
    const together = life.next(1 + random(conversations));
    const written = together.map(({ conversation, change, expectedSeq }) =>
      store.log.append(conversation, change, expectedSeq),
    );
    expect(new Set(await Promise.all(written))).toEqual(new Set(["appended"]));
    const known = steps.length;
    steps.push(...together);
    const wal = readFileSync(`${file}-wal`);
    const { salt, usedBytes } = createWalView(wal);
    if (salt !== last) {
      main = readFileSync(file);
      acknowledged = [{ steps: known, usedBytes: 0 }];
      last = salt;
    }
    acknowledged.push({ steps: steps.length, usedBytes });
    if (isRenewed && salt === first) stale = wal;
    else more -= 1;
  }
  const wal = readFileSync(`${file}-wal`);
  await store.close();
  return { main, wal, stale: isRenewed ? stale : Buffer.alloc(0), steps, acknowledged };
}

/** Opens an image that a crash might have left. Returns how many steps it holds, or what is wrong. */
async function recover(main: Buffer, wal: Buffer, steps: readonly Step[]): Promise<number | string> {
  const file = join(folder, "image.db");
  for (const end of ["-shm", "-lock"]) rmSync(`${file}${end}`, { force: true });
  writeFileSync(file, main);
  writeFileSync(`${file}-wal`, wal);
  const store = createSqliteStore(file);
  try {
    const count = await stepsIn(store, steps);
    if (typeof count === "string") return count;
    const broken = [...verifySqlite(file)].find(({ problem }) => problem !== undefined);
    return broken === undefined ? count : `verify: ${broken.conversation}: ${broken.problem?.what}`;
  } finally {
    await store.close();
  }
}

type Figures = { images: number; problems: string[]; counts: Set<number | string> };

/** Cuts the log at the end of every frame, and within every frame; the rest is empty, old content or noise. */
async function cutEverywhere(life: Life, random: (below: number) => number, isMeant: () => boolean) {
  const { main, wal, stale, steps, acknowledged } = life;
  const { frames, frameBytes, boundary } = createWalView(wal);
  const figures: Figures = { images: 0, problems: [], counts: new Set() };
  const judge = async (image: Buffer, at: number, what: string) => {
    if (!isMeant()) return;
    const least = acknowledged.findLast(({ usedBytes }) => usedBytes <= at)?.steps ?? 0;
    const count = await recover(main, image, steps);
    figures.images += 1;
    figures.counts.add(count);
    if (typeof count === "string") figures.problems.push(`${what}: ${count}`);
    else if (count < least) figures.problems.push(`${what}: ${count} steps, ${least} were acknowledged`);
  };
  for (let frame = 0; frame <= frames; frame += 1) {
    const at = boundary(frame);
    await judge(Buffer.concat([wal.subarray(0, at), stale.subarray(at)]), at, `cut after frame ${frame}`);
    if (frame === frames) break;
    const torn = at + 1 + random(frameBytes - 1);
    await judge(Buffer.concat([wal.subarray(0, torn), stale.subarray(torn)]), at, `cut within frame ${frame}`);
    const noisy = Buffer.from(wal.subarray(0, at + frameBytes));
    for (let byte = at + 24; byte < noisy.length; byte += 1) noisy[byte] = random(256);
    await judge(noisy, at, `noise in frame ${frame}`);
  }
  return figures;
}

test.each([
  ["the first life of the log", false],
  ["a log that overwrites its past", true],
])(
  "a crash at any write point of %s leaves whole decisions, and all that were acknowledged",
  async (_name, isRenewed) => {
    const seed = newSeed("crash-image");
    const total = { images: 0, problems: [] as string[] };
    let written = 0;
    for (let count = 0; count < scenarios; count += 1) {
      const random = seeded(seed + count);
      const life = await live(random, isRenewed);
      written += life.steps.length;
      // A normal run tests a random half of the write points. A restarted log is long: a sixth of them.
      const isMeant = () => isNightly || random(isRenewed ? 6 : 2) === 0;
      const { images, problems, counts } = await cutEverywhere(life, random, isMeant);
      // The cuts have an effect: there are images of many moments.
      expect(counts.size).toBeGreaterThan(10);
      total.images += images;
      total.problems.push(...problems.map((problem) => `seed ${seed} scenario ${count}: ${problem}`));
    }
    report(
      `crash-image: seed ${seed}, ${isRenewed ? "renewed" : "first"} log, ${written} decisions, ${total.images} write points, ` +
        `${total.images - total.problems.length} recovered`,
    );
    expect(total.problems.slice(0, 10)).toEqual([]);
  },
);

test("a crash in the middle of a checkpoint loses nothing", async () => {
  const seed = newSeed("crash-image");
  const random = seeded(seed);
  const { main, wal, steps } = await live(random, false);
  const file = join(folder, "checkpointed.db");
  writeFileSync(file, main);
  writeFileSync(`${file}-wal`, wal);
  const db = openSqlite(file);
  db.pragma("wal_checkpoint(PASSIVE)");
  copyFileSync(file, `${file}-after`);
  db.close();
  const after = readFileSync(`${file}-after`);
  expect(after.length).toBeGreaterThan(main.length);
  const pageBytes = wal.readUInt32BE(8);
  const images = isNightly ? 400 : 30;
  const problems: string[] = [];
  for (let image = 0; image < images; image += 1) {
    const pages = 1 + random(after.length / pageBytes);
    const mixed = Buffer.alloc(pages * pageBytes);
    main.copy(mixed);
    for (let page = 0; page < pages; page += 1) {
      if (random(2) === 0) after.copy(mixed, page * pageBytes, page * pageBytes, (page + 1) * pageBytes);
    }
    const count = await recover(mixed, wal, steps);
    if (count !== steps.length) problems.push(`image ${image}: ${count} of ${steps.length}`);
  }
  report(`crash-image: seed ${seed}, ${images} half-done checkpoints, ${images - problems.length} recovered`);
  expect(problems.slice(0, 10)).toEqual([]);
});
