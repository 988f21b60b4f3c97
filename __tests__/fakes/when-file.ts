import { existsSync, readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';

/** Resolves as soon as a file holds a text. */
export async function whenFile(path: string, text: string): Promise<void> {
  while (!existsSync(path) || !readFileSync(path, 'utf8').includes(text)) await sleep(20);
}
