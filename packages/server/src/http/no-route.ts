import { operations } from "@plenary/api";
import { Problem } from "../errors.ts";

const shownMax = 200;

const routes = Object.keys(operations).map((route) => {
  const [method = "", path = ""] = route.split(" ");
  const pattern = path.replace(/[.]/gu, "\\.").replace(/:\w+/gu, "[^/]+");
  return { method, pattern: new RegExp(`^${pattern}$`, "u") };
});

/** The problem of a request that no route takes: another method of a path, or no path of this floor. */
export function noRoute(method: string, path: string): Problem {
  const allow = routes.filter(({ pattern }) => pattern.test(path)).map((route) => route.method);
  const shown = path.slice(0, shownMax);
  // A route of the contract that this floor does not have, such as sign-in.
  const isMissing = allow.length === 0 || allow.includes(method) || allow.includes("ALL");
  if (isMissing) return new Problem("not-found", { detail: `there is no ${method} ${shown}` });
  const detail = `${shown} takes ${allow.join(" and ")}`;
  return new Problem("method-not-allowed", { detail, extra: { allow } });
}
