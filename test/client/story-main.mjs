// Tells the story in Node, Bun or Deno: options as JSON in the last argument, the result as JSON on stdout.
import process from "node:process";
import { tell } from "./story.mjs";

const { faultUrl, ...options } = JSON.parse(process.argv.at(-1));
const story = await tell({ ...options, fault: () => fetch(faultUrl, { method: "POST" }) });
process.stdout.write(`${JSON.stringify(story)}\n`);
