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

/** The bytes of base64 that was written by `toBase64`. */
export function fromBase64(text: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
}
