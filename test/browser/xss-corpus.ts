// Known ways in which user text became code or a request. Each would call window.__hit with its own
// number, show a dialog, or request something of phone.example.
import { addresses } from "./xss/addresses.ts";
import { foreign } from "./xss/foreign.ts";
import { markdown } from "./xss/markdown.ts";
import { parsing } from "./xss/parsing.ts";
import { clobbering, remote } from "./xss/remote.ts";
import { handlers, scripts } from "./xss/scripts.ts";

export type Payload = { name: string; text: string };

const byTechnique = { scripts, handlers, addresses, remote, clobbering, foreign, parsing, markdown };

export const techniques = Object.keys(byTechnique);

export const phone = "http://phone.example/";

export const payloads: readonly Payload[] = Object.entries(byTechnique)
  .flatMap(([technique, texts]) => texts.map((text, index) => ({ name: `${technique} ${index + 1}`, text })))
  .map(({ name, text }, n) => ({
    name,
    text: text.replaceAll("HIT", `__hit(${n})`).replaceAll("PHONE", `${phone}${n}`),
  }));

/** The same share of each technique, more than 300 in all; a nightly run uses all of them. */
export const tried: readonly Payload[] =
  process.env.PLENARY_NIGHTLY === "1" ? payloads : payloads.filter((_, index) => index % 9 < 5);
