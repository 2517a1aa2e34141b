import { hkdfSync } from "node:crypto";
import { EncryptJWT, jwtDecrypt } from "jose";
import type { Clock } from "../ports/clock.ts";

/** What this floor must remember between sending a person to the issuer and taking them back. */
type LoginTransaction = { state: string; nonce: string; verifier: string; returnPath: string };

/** The browser keeps it, in a form that only this floor can read or make. */
export type TransactionSeal = {
  seal(transaction: LoginTransaction): Promise<string>;
  /** Undefined when it is not ours, or too old. */
  open(sealed: string): Promise<LoginTransaction | undefined>;
};

export const transactionS = 600;

export function createTransactionSeal(secret: () => string, clock: Clock): TransactionSeal {
  let known: Uint8Array | undefined;
  const key = () => {
    known ??= new Uint8Array(hkdfSync("sha256", secret(), "", "plenary login transaction", 32));
    return known;
  };
  return {
    seal: (transaction) =>
      new EncryptJWT(transaction)
        .setProtectedHeader({ alg: "dir", enc: "A256GCM" })
        .setExpirationTime(Math.floor(clock.now() / 1_000) + transactionS)
        .encrypt(key()),
    async open(sealed) {
      try {
        const { payload } = await jwtDecrypt<LoginTransaction>(sealed, key(), {
          keyManagementAlgorithms: ["dir"],
          contentEncryptionAlgorithms: ["A256GCM"],
          currentDate: new Date(clock.now()),
          requiredClaims: ["exp"],
        });
        return payload;
      } catch {
        return undefined;
      }
    },
  };
}
