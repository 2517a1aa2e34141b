import type { Floor } from "@plenary/floor";
import type { Principal } from "../ports/principal.ts";

/** What a handler knows beside the request. */
export type Env = {
  Bindings: {
    address?: string;
    /** Called by handlers that wait for somebody else, so that the request is not counted as being served. */
    onWait?: () => void;
  };
  Variables: {
    principal: Principal;
    /** Of the conversation the route names, as it was when the caller was let in. */
    floor: Floor;
    /** By which name the caller stands in it; undefined: the operator, as nobody in particular. */
    speaker: string | undefined;
    /** A web page of another origin asks; only agents that live here answer it. */
    isForeignPage: boolean;
    /** It came without a right credential to an address that asks for none. */
    isStranger: boolean;
  };
};
