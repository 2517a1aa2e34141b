import type { Floor } from "@plenary/floor";
import type { Principal } from "../ports/principal.ts";

/** Values that guards set for handlers. */
export type Env = {
  Bindings: {
    address?: string;
    /** Called by handlers that wait for another party: the request does not count as being served any more. */
    onWait?: () => void;
  };
  Variables: {
    principal: Principal;
    /** The conversation of the path, loaded by the guard. */
    floor: Floor;
    /** The caller's speaker in it; undefined: the operator without a speaker. */
    speaker: string | undefined;
    /** The request comes from a web page of another origin; only hosted agents answer it. */
    isForeignPage: boolean;
    /** The request has no valid credential, on a route that needs none. */
    isAnonymous: boolean;
  };
};
