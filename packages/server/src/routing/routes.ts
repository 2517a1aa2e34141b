/**
 * Who may use a route.
 * open: every caller, without a limit. anyone: every caller, within the rate of its address. writer: the same, and callers
 * without a credential have stricter limits. credential: every authenticated caller; the route shows each its own.
 * sender: the same, or an agent that answers a delivery. host: callers that may create conversations. conversant: those
 * seated in the conversation now. reader: those who ever saw an entry of it. owner: its owner now. The operator may use
 * them all.
 */
export type Access =
  | "open"
  | "anyone"
  | "writer"
  | "credential"
  | "sender"
  | "host"
  | "conversant"
  | "reader"
  | "owner"
  | "operator";

/** All routes with their access. A route that is not listed here cannot be mounted. */
export const routes = {
  "GET /": "open",
  "GET /assets/:name": "open",
  "GET /favicon.svg": "open",
  "GET /livez": "open",
  "GET /readyz": "open",
  "GET /health": "open",
  "GET /version": "open",
  "GET /openapi.json": "open",
  "GET /metrics": "operator",
  "ALL /agents/:name": "writer",
  "POST /openfloor": "sender",
  "ALL /openfloor": "anyone",
  "POST /openfloor/at/:speaker": "writer",
  "GET /openfloor/events": "credential",
  "GET /openfloor/ws": "credential",
  "GET /websocket": "anyone",
  "POST /chat": "anyone",
  "POST /chat/stream": "anyone",
  "POST /generate": "anyone",
  "POST /generate/stream": "anyone",
  "POST /generate/full": "anyone",
  "POST /v1/chat": "anyone",
  "POST /v1/chat/stream": "anyone",
  "POST /v1/workflow": "anyone",
  "POST /v1/workflow/stream": "anyone",
  "POST /v1/workflow/full": "anyone",
  "POST /v1/chat/completions": "anyone",
  "GET /executions/:execution": "anyone",
  "POST /executions/:execution/interactions/:interaction/response": "anyone",
  "POST /v1/responses": "anyone",
  "GET /v1/responses/:response": "anyone",
  "GET /v1/models": "anyone",
  "GET /v1/models/:model": "anyone",
  "GET /mcp/client/tool/list": "anyone",
  "POST /feedback": "anyone",
  "POST /api/v1/tickets": "credential",
  "POST /api/v1/guests": "anyone",
  "GET /api/v1/me": "credential",
  "POST /api/v1/sessions": "operator",
  "DELETE /api/v1/sessions": "credential",
  "GET /api/v1/agents": "host",
  "POST /api/v1/agents": "host",
  "POST /api/v1/agents/check": "host",
  "DELETE /api/v1/agents": "operator",
  "POST /api/v1/discover": "host",
  "GET /api/v1/conversations": "credential",
  "POST /api/v1/conversations": "host",
  "GET /api/v1/conversations/:id": "conversant",
  "GET /api/v1/conversations/:id/log": "reader",
  "GET /api/v1/conversations/:id/export": "reader",
  "GET /api/v1/conversations/:id/feedback": "reader",
  "POST /api/v1/conversations/:id/close": "owner",
  "POST /api/v1/conversations/:id/title": "owner",
  "POST /api/v1/conversations/:id/pause": "conversant",
  "POST /api/v1/conversations/:id/resume": "conversant",
  "POST /api/v1/conversations/:id/convener": "owner",
  "POST /api/v1/conversations/:id/role": "owner",
  "POST /api/v1/conversations/:id/remove": "owner",
  "POST /api/v1/conversations/:id/seat": "owner",
  "POST /api/v1/conversations/:id/rebind": "owner",
  "POST /api/v1/conversations/:id/move": "owner",
  "POST /api/v1/conversations/:id/reveal": "owner",
  "POST /api/v1/conversations/:id/erase": "owner",
  "GET /api/v1/conversations/:id/links": "owner",
  "POST /api/v1/conversations/:id/links": "owner",
  "DELETE /api/v1/conversations/:id/links/:link": "owner",
  "GET /api/v1/dead-letters": "operator",
  "GET /api/v1/dead-letters/:id": "operator",
  "POST /api/v1/dead-letters/:id/redrive": "operator",
  "GET /login": "anyone",
  "GET /login/callback": "anyone",
  "POST /logout": "anyone",
} as const satisfies Record<string, Access>;

export type Route = keyof typeof routes;
