import { hkdfSync } from "node:crypto";
import { EncryptJWT, jwtDecrypt } from "jose";
import type { Clock } from "../ports/clock.ts";

/** State of a sign-in between the redirect to the issuer and the callback. */
type LoginTransaction = { state: string; nonce: string; verifier: string; returnPath: string };

/** Encrypts the transaction for a cookie, so only this floor can read or create it. */
export type TransactionSeal = {
  seal(transaction: LoginTransaction): Promise<string>;
  /** Undefined when it is invalid or expired. */
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
