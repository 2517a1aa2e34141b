import { InvalidArgumentError } from "commander";

const secondsMax = 86_400;

export function secondsOf(text: string): number {
  const seconds = Number(text);
  if (/^\d{1,5}$/u.test(text) && seconds >= 1 && seconds <= secondsMax) return seconds;
  throw new InvalidArgumentError(`A time is a whole number of seconds from 1 to ${secondsMax}.`);
}
