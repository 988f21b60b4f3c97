import { createRedactor } from '../core/secrets/redact.ts';
import { secretValues } from '../core/settings/formats.ts';
import { previewSettings } from '../core/settings/parse-settings.ts';
import { takeTokens } from '../run/machine.ts';
import { environmentLayer } from '../run/setting-layers.ts';
import { jobOnly } from './command.ts';

/**
 * Whoever started the command: keys, tokens and settings, and what keeps all that is secret of them out of every text. Keys and tokens are taken
 * out of the environment, so this is called once.
 */
export function personOf(environment: NodeJS.ProcessEnv, flags: Readonly<Record<string, string>> = {}) {
  const apiKey = takeKey(environment);
  const tokens = takeTokens(environment);
  const { layer, notes } = environmentLayer(environment, jobOnly);
  const layers = [{ where: 'flag', trusted: true, values: flags }, layer];
  const preview = previewSettings(layers);
  const redact = createRedactor([apiKey, ...Object.values(tokens), ...secretValues(preview)]);
  return { apiKey, tokens, environment, layer, layers, preview, notes, redact };
}

/** The key, where children and crash reports would see it. */
function takeKey(environment: NodeJS.ProcessEnv): string {
  const key = environment['POSTIL_API_KEY'] || environment['OPENAI_API_KEY'] || '';
  delete environment['POSTIL_API_KEY'];
  delete environment['OPENAI_API_KEY'];
  // Nothing is posted here, so nothing is signed.
  delete environment['POSTIL_STATE_KEY'];
  return key.trim();
}
