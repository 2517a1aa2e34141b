import { Compile } from "typebox/schema";
import { ServerMessage } from "../messages/server-message.ts";

const check = Compile(ServerMessage);

/** Whether the value matches the strict schema of server messages. */
export function isServerMessage(value: unknown): boolean {
  return check.Check(value);
}
