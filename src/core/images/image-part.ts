/** An image as a model gets it. */
export type ImagePart = {
  readonly mediaType: 'image/jpeg';
  readonly base64: string;
  /** Pixels of what is sent; the label has those of the file. */
  readonly width: number;
  readonly height: number;
  /** One line that says what it shows, such as `logo.png before (merge base), 640x480`. Its path is rendered by `shown()`. */
  readonly label: string;
};
