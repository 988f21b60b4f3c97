/** The forms a secret value takes on its way through requests and logs, itself first. Each is as secret as the value. */
export function encodings(value: string): readonly string[] {
  const url = urlEncoded(value);
  const lowerCaseUrl = url.replace(/%[0-9A-F]{2}/g, (code) => code.toLowerCase());
  return [value, url, lowerCaseUrl, JSON.stringify(value).slice(1, -1), ...hexForms(value), ...base64Forms(value)];
}

function urlEncoded(value: string): string {
  try {
    return encodeURIComponent(value);
  } catch {
    return value; // A lone surrogate has no URL-encoded form.
  }
}

function hexForms(value: string): readonly string[] {
  const hex = [...new TextEncoder().encode(value)].map((byte) => byte.toString(16).padStart(2, '0')).join('');
  return [hex, hex.toUpperCase()];
}

/** Base64 depends on how many bytes stand before the value: three alignments, without the characters shared with them. */
function base64Forms(value: string): readonly string[] {
  const bytes = new TextEncoder().encode(value);
  return [0, 1, 2].flatMap((offset) => {
    const text = base64([...new Uint8Array(offset), ...bytes]);
    const bits = (offset + bytes.length) * 8;
    const inner = text.slice(Math.ceil((offset * 8) / 6), Math.floor(bits / 6));
    return [inner, inner.replaceAll('+', '-').replaceAll('/', '_')];
  });
}

function base64(bytes: readonly number[]): string {
  return btoa(bytes.map((byte) => String.fromCharCode(byte)).join(''));
}
