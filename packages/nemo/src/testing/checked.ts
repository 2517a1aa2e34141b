import { Compile } from "typebox/schema";
import { ServerMessage } from "../messages/server-message.ts";

const check = Compile(ServerMessage);

/** Whether it is of the strict shape of what a server says. */
export function isServerMessage(value: unknown): boolean {
  return check.Check(value);
}
