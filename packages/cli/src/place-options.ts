import { Option } from "commander";
import { defaultStore } from "./store-place.ts";

/** Options that say where, the same for every command that has them. */

export function storeOption(): Option {
  return new Option("--store <store>", `where conversations are kept: a file, or :memory: (default: ${defaultStore})`);
}

export function floorOption(): Option {
  return new Option(
    "--floor <url>",
    "the floor's address (default: PLENARY_URL, else the floor that runs on the store)",
  );
}
