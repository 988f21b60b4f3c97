import { sha256 } from '@noble/hashes/sha2.js';
import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils.js';
import type { Settings } from '../settings/settings.ts';

/**
 * 16 hex digits over what decides what is found: another model, depth, choice of files or language asks for a full review. Limits of
 * tokens and time do not: what they cut is remembered as unreviewed.
 */
export function settingsDigest(settings: Settings, { withModel }: { readonly withModel: boolean }): string {
  const { profile, maxIterations, include, exclude, skipKinds, denyPaths, language } = settings;
  const { guidance, pathInstructions, memory, knowledge, embeddingsModel } = settings;
  const { model, reasoningEffort, extraBody, passes, verify, verifyModel } = settings;
  const byModel = withModel
    ? [
        ...[model, reasoningEffort, extraBody, passes, verify, verifyModel],
        ...[guidance, pathInstructions, memory, knowledge],
        ...(embeddingsModel === '' ? [] : [embeddingsModel]),
        ...(settings.vision ? [settings.imageDetail] : []),
      ]
    : null;
  const decisive = JSON.stringify([
    4,
    byModel,
    profile,
    maxIterations,
    include,
    exclude,
    skipKinds,
    denyPaths,
    language,
  ]);
  return bytesToHex(sha256(utf8ToBytes(decisive))).slice(0, 16);
}
