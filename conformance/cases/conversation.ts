import { floor } from "../bases.ts";
import { drop, type Flaw, type NegativeCase, refused, repairedError, set, warned } from "../case.ts";

const here = "/openFloor/conversation";
const ann = "tag:ann.example,2025:1";
const bot = "tag:bot.example,2025:1";
const stranger = "tag:stranger.example,2025:1";
const [first, second] = floor.openFloor.conversation.conversants;
const alone = {
  openFloor: { ...floor.openFloor, conversation: { id: "conversation-1", conversants: [first, second] } },
};
const nobody: Flaw = { rule: "conversants-present", path: `${here}/conversants`, ...warned };

export const conversationCases: readonly NegativeCase[] = [
  { name: "an envelope without conversation is refused", rule: "conversation", ...refused, ...drop(floor, here) },
  { name: "a conversation that is a string is refused", rule: "conversation", ...refused, ...set(floor, here, "c") },
  { name: "a conversation that is a list is refused", rule: "conversation", ...refused, ...set(floor, here, []) },
  {
    name: "a conversation without id is refused",
    rule: "conversation-id",
    ...refused,
    ...drop(floor, `${here}/id`),
  },
  {
    name: "a conversation id that is a number is refused",
    rule: "conversation-id",
    ...refused,
    ...set(floor, `${here}/id`, 31050879),
  },
  { name: "an empty conversation id is refused", rule: "conversation-id", ...refused, ...set(floor, `${here}/id`, "") },
  {
    name: "a conversation id that is null is refused",
    rule: "conversation-id",
    ...refused,
    ...set(floor, `${here}/id`, null),
  },
  {
    name: "conversants that are an object are left out",
    rule: "conversants",
    ...repairedError,
    ...set(alone, `${here}/conversants`, { ann }),
  },
  {
    name: "conversants that are a string are left out",
    rule: "conversants",
    ...repairedError,
    ...set(alone, `${here}/conversants`, ann),
  },
  {
    name: "a conversant that is a string is left out",
    rule: "conversant",
    ...repairedError,
    ...set(alone, `${here}/conversants/1`, bot),
  },
  {
    name: "a conversant without identification is left out",
    rule: "identification",
    ...repairedError,
    ...drop(alone, `${here}/conversants/1/identification`),
  },
  {
    name: "a conversant's identification takes no key of its own",
    rule: "conversant-identification-keys",
    ...repairedError,
    ...set(alone, `${here}/conversants/1/identification/character`, "grumpy"),
  },
  {
    name: "a conversant is listed once",
    rule: "conversants-once",
    ...repairedError,
    ...set(alone, `${here}/conversants/2`, first),
  },
  {
    name: "a conversation with roles lists the conversants",
    rule: "conversants-present",
    ...warned,
    ...drop(floor, `${here}/conversants`),
  },
  {
    name: "assigned roles are no list",
    rule: "floor-roles",
    ...repairedError,
    ...set(floor, `${here}/assignedFloorRoles`, [bot]),
  },
  {
    name: "assigned roles are no string",
    rule: "floor-roles",
    ...repairedError,
    ...set(floor, `${here}/assignedFloorRoles`, bot),
  },
  {
    name: "a role is given to a list, even of one",
    rule: "floor-role-members",
    ...repairedError,
    ...set(floor, `${here}/assignedFloorRoles/convener`, bot),
  },
  {
    name: "a role is given by speakerUri, not by number",
    rule: "floor-role-members",
    ...repairedError,
    ...set(floor, `${here}/assignedFloorRoles/archivist`, [bot, 5]),
    path: `${here}/assignedFloorRoles/archivist/1`,
  },
  {
    name: "a role is given by speakerUri, not by true",
    rule: "floor-role-members",
    ...repairedError,
    ...set(floor, `${here}/assignedFloorRoles/scribe`, true),
  },
  {
    name: "a role holder who is no conversant breaks the text",
    rule: "floor-role-listed",
    ...repairedError,
    ...set(floor, `${here}/assignedFloorRoles/convener/0`, stranger),
  },
  {
    name: "a name that is no URI is still a role holder",
    rule: "floor-role-members",
    ...warned,
    ...set(floor, `${here}/assignedFloorRoles/convener/0`, "Stranger"),
    also: [{ rule: "floor-role-listed", path: `${here}/assignedFloorRoles/convener/0`, ...repairedError }],
  },
  {
    name: "a second convener breaks the text",
    rule: "convener-single",
    ...repairedError,
    ...set(floor, `${here}/assignedFloorRoles/convener`, [bot, ann]),
  },
  {
    name: "a second owner breaks the text",
    rule: "owner-single",
    ...repairedError,
    ...set(floor, `${here}/assignedFloorRoles/owner`, [ann, bot]),
  },
  {
    name: "currentRoles is read as assignedFloorRoles",
    rule: "current-roles",
    ...warned,
    ...set(alone, `${here}/currentRoles`, { convener: [bot] }),
  },
  {
    name: "currentRoles beside assignedFloorRoles is left out",
    rule: "current-roles",
    ...repairedError,
    ...set(floor, `${here}/currentRoles`, { convener: [bot] }),
  },
  {
    name: "the floor is granted to a list",
    rule: "floor-granted",
    ...repairedError,
    ...set(floor, `${here}/floorGranted`, ann),
  },
  {
    name: "the floor is granted by speakerUri, not by number",
    rule: "floor-granted",
    ...repairedError,
    ...set(floor, `${here}/floorGranted/1`, 2),
  },
  {
    name: "a holder of the floor that is no conversant violates the text",
    rule: "floor-granted-listed",
    ...repairedError,
    ...set(floor, `${here}/floorGranted/1`, stranger),
  },
  {
    name: "conversants that are unusable leave roles without conversants",
    rule: "conversants",
    ...repairedError,
    ...set(floor, `${here}/conversants`, 2),
    also: [nobody],
  },
];
