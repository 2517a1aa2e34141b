import { expect, test } from "vitest";
import type { Io } from "../io.ts";
import { createChatLogger, createFloorLogger } from "./floor-logger.ts";

function startIo({ isTty = false, env = {} as Io["env"] } = {}) {
  const written: string[] = [];
  const write = async (line: string) => void written.push(line);
  const stderr = { isTty, write };
  return { written, io: { stderr, env } };
}

test("by default problems are logged, as JSON, and for people on a terminal", () => {
  const piped = startIo();
  const logger = createFloorLogger({}, piped.io);
  logger.info("listening");
  logger.warn("a warning", { id: "c" });
  expect(piped.written.map((line) => JSON.parse(line))).toMatchObject([{ level: "warn", message: "a warning" }]);
  const terminal = startIo({ isTty: true });
  createFloorLogger({}, terminal.io).warn("a warning", { id: "c" });
  expect(terminal.written.join()).toContain("\u001b[33mWARN \u001b[0m a warning");
});

test("level and format can be chosen, and NO_COLOR counts", () => {
  const { io, written } = startIo({ isTty: true, env: { NO_COLOR: "1" } });
  createFloorLogger({ level: "debug" }, io).debug("a detail");
  createFloorLogger({ format: "json" }, io).error("an error");
  createFloorLogger({ level: "silent" }, io).error("an error");
  expect(written).toHaveLength(2);
  expect(written[0]).toMatch(/Z DEBUG a detail\n$/u);
  expect(JSON.parse(written[1] ?? "")).toMatchObject({ level: "error" });
});

test("a closed stderr does not matter", async () => {
  const stderr = { isTty: false, write: () => Promise.reject(new Error("EPIPE")) };
  createFloorLogger({}, { stderr, env: {} }).error("an error");
});

test("a chat shows the log of its own floor without colours", () => {
  const shown: string[] = [];
  createChatLogger({}, (line) => shown.push(line)).warn("a warning");
  expect(shown).toEqual([expect.stringMatching(/^[\d:.]+Z WARN {2}a warning\n$/u)]);
});
