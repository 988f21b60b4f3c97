import { sha256 } from '@noble/hashes/sha2.js';
import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils.js';
import type { MarkKeys } from '../history/signed-marks.ts';

/** The last property of a file that one job hands to another. */
const ending = /,"signature":"([0-9a-f]{64})"\}\n?$/;

/** An object in JSON as a file, with the signature of everything before it; without one when there is no key. */
export function signFile(json: string, keys: MarkKeys): string {
  const signature = keys.sign(json, { in: 'file' });
  return signature === null ? `${json}\n` : `${json.slice(0, -1)},"signature":"${signature}"}\n`;
}

/** Whether a run with one of these keys wrote all of the text. */
export function isSignedFile(text: string, keys: MarkKeys): boolean {
  const found = ending.exec(text.slice(-100));
  const signature = found?.[1];
  if (found === null || signature === undefined) return false;
  const end = text.length - found[0].length;
  return keys.accepts({ content: `${text.slice(0, end)}}`, signature }, { in: 'file' });
}

/** Names a file by what is in it: 64 hex digits. */
export function digestOfFile(text: string): string {
  return bytesToHex(sha256(utf8ToBytes(text.trimEnd())));
}
