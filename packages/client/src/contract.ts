import type { BriefFrame, Conversation, Draft, Entry, Route, RouteAnswer, RouteBody, RouteQuery } from "@plenary/api";

/** Names for parts of the contract. */

export type { ConversationSummary } from "@plenary/api";
export type { Entry };

/** Older floors, and a view that was not read yet, have fewer options. */
export type ConversationView = Omit<Conversation, "options"> & { options: Partial<Conversation["options"]> };
export type ConversantView = Conversation["conversants"][number];
/** An agent that waits until the owner allows or refuses its new address. */
export type AddressChange = NonNullable<Conversation["moves"]>[number];
export type DraftFrame = Draft;
export type StreamFrame = BriefFrame;
export type KnownAgents = RouteAnswer<"GET /api/v1/agents">;
export type KnownAgent = KnownAgents["agents"][number];
export type Discovery = RouteAnswer<"POST /api/v1/discover">;
export type FoundAgent = Discovery["found"][number];
export type Need = RouteBody<"POST /api/v1/discover">;
export type GuestLink = RouteAnswer<"GET /api/v1/conversations/:id/links">["links"][number];
export type WhoAmI = RouteAnswer<"GET /api/v1/me">;

/** The operations of the host interface, for `call`. */
export type Operation = Extract<Route, "GET /version" | "POST /openfloor" | `${string} /api/v1/${string}`>;
export type OperationQuery<Name extends Operation> = RouteQuery<Name>;
export type OperationBody<Name extends Operation> = RouteBody<Name>;
export type OperationAnswer<Name extends Operation> = RouteAnswer<Name>;

type CommandRoute = Extract<Route, `POST /api/v1/conversations/:id/${string}`>;
type VerbOf<Name> = Name extends `POST /api/v1/conversations/:id/${infer Verb}` ? Exclude<Verb, "links"> : never;

/** `POST .../conversations/ID/VERB` with its fields. */
export type Commands = {
  [Verb in VerbOf<CommandRoute>]: RouteBody<Extract<Route, `POST /api/v1/conversations/:id/${Verb}`>>;
};
