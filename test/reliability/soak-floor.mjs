// A floor that can be asked for its heap after a forced collection. Run with --expose-gc.
import { readdirSync } from "node:fs";
import { createInterface } from "node:readline";
import { createFloorServer, createSqliteStore, silentLogger } from "@plenary/server";

const [file, token] = process.argv.slice(2);
const dialler = { dial: () => Promise.reject(new Error("nobody is to be dialled")) };
// Conversations beyond these leave memory, as they do on a floor that runs for long.
const store = createSqliteStore(file, { cachedMax: 50 });
const { url } = await createFloorServer({ store, dialler, logger: silentLogger }, { token, listen: { port: 0 } });
console.log(JSON.stringify({ url }));
for await (const _ of createInterface({ input: process.stdin })) {
  for (let count = 0; count < 3; count += 1) globalThis.gc();
  const { heapUsed, external } = process.memoryUsage();
  const descriptors = readdirSync("/proc/self/fd").length;
  console.log(JSON.stringify({ heapBytes: heapUsed + external, descriptors }));
}
