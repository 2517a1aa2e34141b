import { useState } from "react";
import { useDesk } from "../state/context.ts";

/** Does one thing at a time; what fails is told to the person. */
export function useDeed() {
  const { toast } = useDesk();
  const [isBusy, setBusy] = useState(false);
  async function attempt(deed: () => Promise<unknown>): Promise<boolean> {
    setBusy(true);
    try {
      await deed();
      return true;
    } catch (problem) {
      toast(problemWords(problem), "error");
      return false;
    } finally {
      setBusy(false);
    }
  }
  return { isBusy, attempt };
}

export function problemWords(problem: unknown): string {
  return problem instanceof Error && problem.message !== "" ? problem.message : "It did not work. Please try again.";
}
