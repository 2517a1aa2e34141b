import { isSameAddress, isSameUri } from "@plenary/protocol";
import type { Floor } from "./floor.ts";

export const boundElsewhere =
  "this speakerUri joined before from another address; the owner allows the new one on the page, with /allow in the terminal " +
  "or by POST .../move, and the operator re-binds it for every conversation by POST .../rebind";

/**
 * The first of these names that was trusted at another address before and is not approved for this one. What the shell
 * found is a fact of the moment the envelope came in; what was approved is read where it takes effect.
 */
export function foreignName(
  floor: Floor,
  names: readonly string[],
  serviceUrl: string,
  trustedElsewhere: readonly string[] | undefined,
): string | undefined {
  if (trustedElsewhere === undefined || floor.options.policy === "spec") return undefined;
  return names.find((name) => {
    return trustedElsewhere.some((one) => isSameUri(one, name)) && !isApproved(floor, name, serviceUrl);
  });
}

function isApproved({ bindings }: Floor, name: string, serviceUrl: string): boolean {
  return Object.entries(bindings).some(([speakerUri, approved]) => {
    return isSameUri(speakerUri, name) && isSameAddress(approved, serviceUrl);
  });
}
