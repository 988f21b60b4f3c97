import Bottleneck from 'bottleneck/light.js';

/** A wait longer than this is not worth a runner's time: the caller gets the refusal instead. */
const longestWaitSeconds = 120;
const waitsPerRequest = 2;

type Asked = { readonly method: string; readonly url: string };

/**
 * What the throttling plugin does when GitHub asks to wait: at most two waits a request, of at most 120 seconds each
 * (FAILURES P6). A request that met a limit was not carried out, so a write may be sent again.
 */
export function limitPatience(onWait: (text: string) => void) {
  return {
    onRateLimit: waitOrGiveUp('rate limit', onWait),
    onSecondaryRateLimit: waitOrGiveUp('secondary rate limit', onWait),
  };
}

/** One write after the other, a second between: what GitHub asks for. The plugin's own three seconds would double a short run. */
export function paced(): Bottleneck.Group {
  return new Bottleneck.Group({ maxConcurrent: 1, minTime: 1000 });
}

/** A group without spacing, for the throttling plugin. */
export function unpaced(): Bottleneck.Group {
  return new Bottleneck.Group({});
}

function waitOrGiveUp(limit: string, onWait: (text: string) => void) {
  return (seconds: number, asked: Asked, _octokit: unknown, retryCount: number): boolean => {
    const wait = retryCount < waitsPerRequest && seconds <= longestWaitSeconds;
    const consequence = wait ? 'Waiting.' : 'Not waiting that long.';
    onWait(`GitHub's ${limit} asks for ${seconds} s before ${asked.method} ${pathOf(asked.url)}. ${consequence}`);
    return wait;
  };
}

function pathOf(url: string): string {
  return URL.canParse(url) ? new URL(url).pathname : url;
}
