/** True for the names that images usually have. A name proves nothing: what a file is, its first bytes tell. */
export function isImageName(path: string): boolean {
  return /\.(?:png|jpe?g|webp|gif)$/i.test(path);
}
