import type { Principal } from "../admit.ts";

/** What a handler knows beside the request. */
export type Env = { Variables: { principal: Principal } };
