import { faceOf } from "@plenary/transcript";
import type { Identification, SeatKind } from "../api/types.ts";

type Props = {
  speakerUri: string;
  identification: Identification | undefined;
  kind?: SeatKind;
  hasFloor?: boolean;
  isSmall?: boolean;
};

/** Initials in the conversant's colour. */
export function Avatar({ speakerUri, identification, kind = "person", hasFloor, isSmall }: Props) {
  const { initials, hue } = faceOf(speakerUri, identification);
  const looks = ["avatar", kind, hasFloor && "has-floor", isSmall && "small"].filter(Boolean).join(" ");
  return (
    <span className={looks} data-hue={hue} aria-hidden="true">
      {initials}
    </span>
  );
}
