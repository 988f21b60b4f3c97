import type { Bundle, BundleFile } from './bundle.ts';
import { estimateHunks } from './estimate-diff.ts';
import { splitFile } from './split.ts';

/** The bundle as two of about half its tokens: between files, or within its only file. Null when it cannot be divided. No line is dropped. */
export function halveBundle(bundle: Bundle): readonly [Bundle, Bundle] | null {
  const pieces = bundle.files.length > 1 ? bundle.files : halvesOf(bundle.files);
  if (pieces.length < 2) return null;
  const costs = pieces.map(({ hunks }) => estimateHunks(hunks));
  const half = costs.reduce((sum, cost) => sum + cost, 0) / 2;
  let tokens = 0;
  const beyond = costs.findIndex((cost) => {
    tokens += cost;
    return tokens > half;
  });
  const middle = Math.min(Math.max(beyond, 1), pieces.length - 1);
  return [
    part(bundle, { number: 1, files: pieces.slice(0, middle) }),
    part(bundle, { number: 2, files: pieces.slice(middle) }),
  ];
}

/** More than a half, since each piece brings its own header. */
const share = 0.6;

/** Pieces of pieces are counted anew: what matters to the model is that the others are reviewed as well. */
function halvesOf([only]: readonly BundleFile[]): readonly BundleFile[] {
  if (only === undefined) return [];
  const pieces = splitFile({ ...only.file, hunks: only.hunks }, estimateHunks(only.hunks) * share);
  return pieces.map((piece) => ({ ...piece, file: only.file }));
}

function part(bundle: Bundle, half: { readonly number: 1 | 2; readonly files: readonly BundleFile[] }): Bundle {
  const estimatedTokens = half.files.reduce((sum, { hunks }) => sum + estimateHunks(hunks), 0);
  return { name: `${bundle.name} (half ${half.number})`, files: half.files, estimatedTokens };
}
