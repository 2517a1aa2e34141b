import { bye } from "../bases.ts";
import { drop, type NegativeCase, refused, repairedError, set, warned } from "../case.ts";

const here = "/openFloor/sender";

export const senderCases: readonly NegativeCase[] = [
  { name: "an envelope without sender is refused", rule: "sender", ...refused, ...drop(bye, here) },
  {
    name: "a sender that is a string is refused",
    rule: "sender",
    ...refused,
    ...set(bye, here, "tag:ann.example,2025:1"),
  },
  { name: "a sender that is null is refused", rule: "sender", ...refused, ...set(bye, here, null) },
  { name: "a sender that is a list is refused", rule: "sender", ...refused, ...set(bye, here, [bye.openFloor.sender]) },
  {
    name: "a sender without speakerUri is refused",
    rule: "sender-speaker-uri",
    ...refused,
    ...drop(bye, `${here}/speakerUri`),
  },
  {
    name: "a sender whose speakerUri is a number is refused",
    rule: "sender-speaker-uri",
    ...refused,
    ...set(bye, `${here}/speakerUri`, 1234),
  },
  {
    name: "a sender whose speakerUri is empty is refused",
    rule: "sender-speaker-uri",
    ...refused,
    ...set(bye, `${here}/speakerUri`, ""),
  },
  {
    name: "a sender whose speakerUri is blank is refused",
    rule: "sender-speaker-uri",
    ...refused,
    ...set(bye, `${here}/speakerUri`, "  "),
  },
  {
    name: "a speakerUri that is no URI is kept as a name",
    rule: "sender-speaker-uri",
    ...warned,
    ...set(bye, `${here}/speakerUri`, "Parrot_beaconforge"),
  },
  {
    name: "a sender's serviceUrl that is a number is left out",
    rule: "sender-service-url",
    ...repairedError,
    ...set(bye, `${here}/serviceUrl`, 8080),
  },
  {
    name: "a sender's serviceUrl without a scheme is left out",
    rule: "sender-service-url",
    ...repairedError,
    ...set(bye, `${here}/serviceUrl`, "ann.example/floor"),
  },
  {
    name: "a sender's serviceUrl with a blank inside is left out",
    rule: "sender-service-url",
    ...repairedError,
    ...set(bye, `${here}/serviceUrl`, "https://ann.example/my floor"),
  },
  {
    name: "blanks around a sender's serviceUrl are cut",
    rule: "sender-service-url",
    ...warned,
    ...set(bye, `${here}/serviceUrl`, " https://ann.example/floor "),
  },
];
