import type { Conversant } from "./envelope.ts";
import type { Manifest } from "./manifest.ts";

/** Spec 1.6.1: a conversant carries the identification of its manifest; the schema allows no further keys there. */
export function conversantOf(manifest: Manifest): Conversant {
  const { speakerUri, serviceUrl, organization, conversationalName, synopsis, department, role, openFloorRoles } =
    manifest.identification;
  return {
    identification: {
      speakerUri,
      serviceUrl,
      organization,
      conversationalName,
      synopsis,
      ...(department !== undefined && { department }),
      ...(role !== undefined && { role }),
      ...(openFloorRoles !== undefined && { openFloorRoles }),
    },
  };
}
