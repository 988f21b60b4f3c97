/** Base64 of any number of bytes. */
export function toBase64(bytes: Uint8Array): string {
  let binary = '';
  for (let at = 0; at < bytes.length; at += slice) {
    // In slices: each byte becomes an argument, and a call takes only so many.
    binary += String.fromCharCode(...bytes.subarray(at, at + slice));
  }
  return btoa(binary);
}

const slice = 8_192;
