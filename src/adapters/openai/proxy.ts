import * as http from 'node:http';
import { UserError } from '../../core/errors.ts';

/**
 * Makes fetch obey HTTPS_PROXY, HTTP_PROXY and NO_PROXY, which Node does only when told (24.14 and later; older
 * ones cannot, and connect directly). Call it once, before the first request. @throws UserError for an unusable proxy.
 */
export async function useProxyFromEnvironment(): Promise<void> {
  if (typeof http.setGlobalProxyFromEnv !== 'function') return;
  try {
    http.setGlobalProxyFromEnv();
  } catch (error) {
    throw new UserError('The proxy that the environment names cannot be used.', {
      hint: 'Check HTTPS_PROXY, HTTP_PROXY and NO_PROXY.',
      cause: error,
    });
  }
}
